import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import { getOwn, getString, isJsonObject } from '../../kernel/json/index.ts';
import { credentialFreeEnvironment, type Environment } from '../../platform/environment/index.ts';
import { makeDirectory, readJsonFile, writeFileAtomic } from '../../platform/files/index.ts';
import { resolvePath } from '../../platform/paths/index.ts';
import { runProcess } from '../../platform/process/index.ts';
import type { PluginSource } from './plugin-source.ts';

/** What was fetched: a folder, and what pins it. */
export interface FetchedPlugin {
  /** Absolute; holds the manifest. */
  readonly path: string;
  readonly pin: {
    readonly commit?: string;
    readonly version?: string;
    readonly integrity?: string;
  };
}

export interface FetchParts {
  /** An existing, empty folder. */
  readonly staging: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

const LIMIT_MS = 5 * 60 * 1000;
const OUTPUT_BYTES = 64 * 1024;

/** No hooks, no helpers that a repository could bring, and no question that nobody answers. */
const GIT_SETTINGS = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'protocol.ext.allow=never'];
const GIT_PROTOCOLS = 'https:http:ssh:git:file';

/** Fetches a plugin from its source. No code of the plugin, and no script of its packages, runs. */
export async function fetchPlugin(source: PluginSource, parts: FetchParts): Promise<Result<FetchedPlugin>> {
  switch (source.kind) {
    case 'folder':
      return succeed({ path: source.path, pin: {} });
    case 'git':
      return fetchFromGit(source, parts);
    case 'npm':
      return fetchFromNpm(source.spec, parts);
  }
}

/** A shallow copy of one commit, without submodules. */
async function fetchFromGit(
  { url, ref = 'HEAD' }: { readonly url: string; readonly ref?: string },
  parts: FetchParts,
): Promise<Result<FetchedPlugin>> {
  const path = resolvePath(parts.staging, 'repository');
  const git = async (...args: readonly string[]): Promise<Result<string>> =>
    run('git', [...GIT_SETTINGS.flatMap((setting) => ['-c', setting]), ...args], {
      ...parts,
      environment: gitEnvironment(parts.environment),
    });
  const commands = [
    ['init', '--quiet', '--template=', '--', path],
    ['-C', path, 'fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--', url, ref],
    ['-C', path, 'checkout', '--quiet', '--detach', '--no-recurse-submodules', 'FETCH_HEAD'],
  ];
  for (const command of commands) {
    const done = await git(...command);
    if (!done.ok) return done;
  }
  const commit = await git('-C', path, 'rev-parse', 'HEAD');
  return commit.ok ? succeed({ path, pin: { commit: commit.value.trim() } }) : commit;
}

/** Variables by which a surrounding git, such as that of a hook, would lead ours elsewhere, are left out. */
function gitEnvironment(environment: Environment): Environment {
  const own = Object.entries(environment).filter(([name]) => !/^GIT_(?!SSH|ASKPASS)/.test(name));
  return Object.fromEntries([...own, ['GIT_TERMINAL_PROMPT', '0'], ['GIT_ALLOW_PROTOCOL', GIT_PROTOCOLS]]);
}

/** The package with its dependencies inside it, so that its folder can be moved. */
async function fetchFromNpm(spec: string, parts: FetchParts): Promise<Result<FetchedPlugin>> {
  const path = resolvePath(parts.staging, 'npm');
  const made = await makeDirectory(path);
  if (!made.ok) return made;
  const begun = await writeFileAtomic(resolvePath(path, 'package.json'), '{"private":true}\n', {
    fsync: false,
  });
  if (!begun.ok) return begun;
  const options = [
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--omit=dev',
    '--omit=peer',
    '--legacy-peer-deps',
    '--install-strategy=nested',
    '--no-bin-links',
    '--save-exact',
    '--loglevel=error',
    `--prefix=${path}`,
  ];
  const done = await run('npm', ['install', ...options, '--', spec], parts);
  return done.ok ? installedPackage(path) : done;
}

/** The one package that `package.json` depends on, as the lock file pins it. */
async function installedPackage(path: string): Promise<Result<FetchedPlugin>> {
  const unreadable = fail('npm_failed', 'npm did not say what it installed.', 'Update npm and try again.');
  const lock = await readJsonFile(resolvePath(path, 'package-lock.json'));
  if (!lock.ok || !isJsonObject(lock.value)) return unreadable;
  const packages = getOwn(lock.value, 'packages');
  if (!isJsonObject(packages)) return unreadable;
  const root = getOwn(packages, '');
  const dependencies = isJsonObject(root) ? getOwn(root, 'dependencies') : undefined;
  const [name] = isJsonObject(dependencies) ? Object.keys(dependencies) : [];
  const pinned = name === undefined ? undefined : getOwn(packages, `node_modules/${name}`);
  if (name === undefined || !isJsonObject(pinned)) return unreadable;
  const [version, integrity] = [getString(pinned, 'version'), getString(pinned, 'integrity')];
  if (version === undefined || integrity === undefined) {
    return fail(
      'not_pinned',
      `npm gives no hash for ${name}, so it cannot be pinned.`,
      'Install it from its git repository.',
    );
  }
  return succeed({ path: resolvePath(path, `node_modules/${name}`), pin: { version, integrity } });
}

async function run(
  command: string,
  args: readonly string[],
  { staging, environment, signal }: FetchParts,
): Promise<Result<string>> {
  const result = await runProcess({
    command,
    args,
    cwd: staging,
    env: credentialFreeEnvironment(environment),
    maxStdoutBytes: OUTPUT_BYTES,
    maxStderrBytes: OUTPUT_BYTES,
    keep: 'head-and-tail',
    timeoutMs: LIMIT_MS,
    signal,
  });
  if (result.exitCode === 0) return succeed(result.stdoutText);
  const failed = `${command}_failed`;
  if (result.spawnError !== undefined) return fail(failed, result.spawnError.message, `Install ${command}.`);
  if (result.aborted) return fail('cancelled', 'The installation was cancelled.');
  if (result.timedOut)
    return fail(failed, `${command} did not end within ${String(LIMIT_MS / 60_000)} minutes.`);
  const lines = result.stderrText.split('\n').filter((line) => line.trim() !== '');
  return fail(failed, `${command} failed: ${lines.slice(0, 3).join(' · ').slice(0, 500)}`);
}
