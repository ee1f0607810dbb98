#!/usr/bin/env node
'use strict';

/**
 * The launcher: plain JavaScript that parses and runs on any Node.js from 18.
 *
 * `--version` and `-V` alone are answered here. Otherwise, on a new enough Node.js, the program is imported into this
 * process; in a checkout on an older one, this file is run again with the Node.js that `tools/node` pins; anywhere else
 * one line says which version is needed (exit 2).
 *
 * The program is `dist/` when it is built, else the sources. In a checkout (`src/` is there) a build that is older than
 * any source file is passed over, so that nobody runs, tests or measures yesterday's code.
 *
 * A re-executed program finds a pipe to this process at the descriptor named in HERMA_LAUNCHER_FD and ends itself when it
 * closes. HERMA_LAUNCHER_PID says whose pipe it is; a process that inherited the two variables from further up drops them.
 */

const fs = require('fs');
const path = require('path');

const ROOT = path.dirname(__dirname);
const REQUIRED_MAJOR = 24;
const COULD_NOT = 2;
/** 128 + SIGHUP, as when the launcher goes away later. */
const ORPHANED = 129;
const FORWARDED_SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT'];
/** What the system answers when there are too many open files or processes, or no memory. */
const EXHAUSTED = ['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'];
const RAISE_LIMIT = 'end other programs or raise the limit (ulimit -n, ulimit -u)';

function start() {
  const args = process.argv.slice(2);
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) return printVersion();
  if (process.platform === 'win32') {
    return fail('Windows is not supported, yet; run it in WSL, on Linux or on macOS');
  }
  if (isOrphaned()) {
    process.exitCode = ORPHANED;
    return undefined;
  }
  const isReexecuted = takeLauncherVariables();
  if (Number.parseInt(process.versions.node, 10) >= REQUIRED_MAJOR) return runHere(args);
  const pinned = isReexecuted ? undefined : pinnedNode();
  if (pinned === undefined) return fail(needsNewerNode());
  return runWith(pinned, args);
}

function printVersion() {
  const manifest = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  try {
    fs.writeSync(1, `${manifest.version}\n`);
  } catch (error) {
    if (error.code === 'EAGAIN') process.stdout.write(`${manifest.version}\n`);
    else if (error.code !== 'EPIPE') fail(`cannot write to standard output (${error.code})`);
  }
}

function fail(message, details = '') {
  try {
    fs.writeSync(2, `herma: ${message}\n${details}`);
  } catch {
    // A closed stderr loses only the text: the exit code still says that nothing was done.
  }
  process.exitCode = COULD_NOT;
}

function needsNewerNode() {
  const remedy = isCheckout()
    ? 'run `npm ci` in this checkout, which brings one'
    : `install Node.js ${REQUIRED_MAJOR} or newer`;
  return `needs Node.js ${REQUIRED_MAJOR} or newer, this is ${process.versions.node} (${process.execPath}); ${remedy}`;
}

/** Whether this is a re-executed program whose launcher was killed before this line: nothing may be begun then. */
function isOrphaned() {
  const { HERMA_LAUNCHER_PID: launcher, HERMA_LAUNCHER_FD: fd } = process.env;
  if (launcher === undefined || launcher === String(process.ppid)) return false;
  if (!/^[1-9]\d*$/.test(launcher) || !/^\d+$/.test(String(fd))) return false;
  try {
    return fs.fstatSync(Number(fd)).isSocket() && isGone(Number(launcher));
  } catch {
    // No such descriptor: the variables come from further up.
    return false;
  }
}

/** Fails towards false where it cannot be told. */
function isGone(pid) {
  try {
    process.kill(pid, 0);
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')')).startsWith(') Z');
  } catch (error) {
    return error.code === 'ESRCH' || (error.code === 'ENOENT' && process.ppid === 1);
  }
}

/** Says whether the parent is our launcher; otherwise removes its variables from the environment. */
function takeLauncherVariables() {
  const isOurs = process.env.HERMA_LAUNCHER_PID === String(process.ppid);
  if (!isOurs) delete process.env.HERMA_LAUNCHER_FD;
  delete process.env.HERMA_LAUNCHER_PID;
  return isOurs && process.env.HERMA_LAUNCHER_FD !== undefined;
}

function isCheckout() {
  return fs.existsSync(path.join(ROOT, 'tools', 'node', 'package.json'));
}

/** The Node.js of the private workspace `tools/node`, or undefined where there is none for this machine. */
function pinnedNode() {
  if (!isCheckout()) return undefined;
  const name = `node-${process.platform}-${process.arch}`;
  return [ROOT, path.join(ROOT, 'tools', 'node')]
    .map((folder) => path.join(folder, 'node_modules', name, 'bin', 'node'))
    .find((file) => fs.existsSync(file));
}

/** Imports the program into this process; the process ends by itself when the program has nothing left to do. */
function runHere(args) {
  const entry = programEntry();
  if (entry === undefined) return fail(`${ROOT} holds neither dist/ nor src/; install the package again`);
  enableCompileCache();
  return import(require('url').pathToFileURL(entry).href)
    .then((program) => program.main(args))
    .then(
      (code) => {
        process.exitCode = code;
      },
      (error) => failedToRun(error, args),
    );
}

function programEntry() {
  const built = path.join(ROOT, 'dist', 'surfaces', 'cli', 'main.js');
  const source = path.join(ROOT, 'src', 'surfaces', 'cli', 'main.ts');
  const builtAt = modifiedAt(built);
  if (modifiedAt(source) === undefined) return builtAt === undefined ? undefined : built;
  return builtAt === undefined || hasNewerSource(path.join(ROOT, 'src'), builtAt) ? source : built;
}

function modifiedAt(file) {
  const stats = fs.statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? undefined : stats.mtimeMs;
}

function hasNewerSource(folder, builtAt) {
  return fs.readdirSync(folder, { withFileTypes: true }).some((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return hasNewerSource(file, builtAt);
    return !entry.name.endsWith('.test.ts') && modifiedAt(file) > builtAt;
  });
}

/**
 * Keeps compiled code in the user's own cache folder: Node's default is a predictable place in the shared temporary
 * folder, from which another user's code could be loaded. Without a writable folder there is no cache, and no error.
 */
function enableCompileCache() {
  const { enableCompileCache: enable } = require('module');
  if (process.env.NODE_COMPILE_CACHE) return enable();
  const base = process.env.XDG_CACHE_HOME || path.join(require('os').homedir(), '.cache');
  if (!path.isAbsolute(base)) return undefined;
  const folder = path.join(base, 'herma', 'compiled');
  try {
    makeFolders(folder);
  } catch {
    // Only speed is lost.
    return undefined;
  }
  return enable(folder);
}

/** Not with `recursive`: that never returns where new folders are refused with ENOENT, as in /proc. */
function makeFolders(folder) {
  if (fs.existsSync(folder)) return;
  makeFolders(path.dirname(folder));
  fs.mkdirSync(folder, { mode: 0o700 });
}

function failedToRun(error, args) {
  const message = error instanceof Error ? error.message.split('\n')[0] : String(error);
  const code = error instanceof Error ? error.code : undefined;
  const details = args.includes('--verbose') && error instanceof Error ? `${error.stack}\n` : '';
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'ENOENT') {
    const remedy = isCheckout() ? `run \`npm ci\` in ${ROOT}` : 'install the package again';
    fail(`${message}; ${remedy}`, details);
  } else if (EXHAUSTED.includes(code)) {
    fail(`${message}; ${RAISE_LIMIT}`, details);
  } else {
    fail(`internal error: ${message}; \`--verbose\` shows where`, details);
  }
}

/** Runs this file with another Node.js and passes everything on: streams, signals, exit code, death by signal. */
function runWith(node, args) {
  // Before it is started: a signal that comes meanwhile waits until it can be passed on.
  for (const signal of FORWARDED_SIGNALS) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !isTerminalInterruptShared()) child.kill(signal);
    });
  }
  const child = require('child_process').spawn(node, [__filename, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, HERMA_LAUNCHER_FD: '3', HERMA_LAUNCHER_PID: String(process.pid) },
  });
  // Without its pipes when the system had no descriptor left for them; 'error' then says so.
  child.stdio?.[3]?.on('error', () => undefined);
  child.once('error', (error) => {
    const remedy = EXHAUSTED.includes(error.code)
      ? RAISE_LIMIT
      : `install Node.js ${REQUIRED_MAJOR} or newer`;
    fail(`${node} does not start (${error.code}); ${remedy}`);
  });
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // Reached only where the signal does not end this process: an init process, for one.
    setTimeout(() => process.exit(128 + require('os').constants.signals[signal]), 1000);
  });
}

/**
 * Whether an interrupt typed at the terminal reached the program too: it goes to the whole foreground process group, which
 * the two share. Fails towards forwarding: an interrupt that arrives twice is better than one that is lost.
 */
function isTerminalInterruptShared() {
  try {
    const stat = fs.readFileSync('/proc/self/stat', 'utf8');
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return group === foreground;
  } catch {
    return false;
  }
}

try {
  start();
} catch (error) {
  failedToRun(error, process.argv.slice(2));
}
