import { nodeVersion, platformName } from '../../../platform/environment/index.ts';
import { temporaryDirectory } from '../../../platform/files/index.ts';
import { ensureHome } from '../../../platform/paths/index.ts';
import { runProcess } from '../../../platform/process/index.ts';
import { openDatabase } from '../../../platform/sqlite/index.ts';
import { byteSize } from '../output/byte-size.ts';
import { type DoctorCheck, type DoctorSubject, finding } from './doctor-check.ts';

const REQUIRED_NODE = 24;
const TOOL_TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 64 * 1024;
const LITTLE_SPACE = 1024 ** 3;
const NO_SPACE = 50 * 1024 ** 2;

export const nodeCheck: DoctorCheck = {
  name: 'node',
  run: () => {
    const version = nodeVersion();
    const isEnough = Number.parseInt(version, 10) >= REQUIRED_NODE;
    return Promise.resolve(
      isEnough
        ? finding('ok', `Node.js ${version} on ${platformName()}`, undefined)
        : finding('problem', `Node.js ${version} is too old`, `install Node.js ${REQUIRED_NODE} or newer`),
    );
  },
};

export const gitCheck = programCheck({
  name: 'git',
  command: 'git',
  whenMissing: { status: 'warn', remedy: 'install git: projects are told apart by their repositories' },
});

export const bashCheck = programCheck({
  name: 'bash',
  command: 'bash',
  whenMissing: { status: 'problem', remedy: 'install bash: the terminal tool runs its commands in it' },
});

export const homeCheck: DoctorCheck = {
  name: 'home',
  run: ({ paths }) => {
    const home = ensureHome(paths.home);
    if (!home.ok) return Promise.resolve(finding('problem', home.message, home.remedy));
    const [warning] = home.value.warnings;
    return Promise.resolve(
      warning === undefined
        ? finding('ok', `${paths.home}${home.value.isNew ? ' (created)' : ''}`, undefined)
        : finding('warn', warning, undefined),
    );
  },
};

export const sqliteCheck: DoctorCheck = {
  name: 'sqlite',
  run: async () => {
    const folder = await temporaryDirectory();
    if (!folder.ok) return finding('problem', folder.message, folder.remedy);
    await using temporary = folder.value;
    const opened = openDatabase(`${temporary.path}/check.db`, { synchronous: 'FULL', migrations: [] });
    if (!opened.ok) return finding('problem', opened.message, opened.remedy);
    try {
      const version = opened.value.get('SELECT sqlite_version() AS version')?.['version'];
      opened.value.run('CREATE TABLE t (x)');
      return finding('ok', `SQLite ${typeof version === 'string' ? version : ''} works`, undefined);
    } finally {
      opened.value.close();
    }
  },
};

export const diskCheck: DoctorCheck = {
  name: 'disk',
  run: async (subject, signal) => {
    const free = await freeBytes(subject, signal);
    if (free === undefined)
      return finding('warn', `the free space of ${subject.paths.home} is unknown`, undefined);
    const message = `${byteSize(free)} free for ${subject.paths.home}`;
    if (free >= LITTLE_SPACE) return finding('ok', message, undefined);
    return finding(
      free < NO_SPACE ? 'problem' : 'warn',
      message,
      'free some space, or move HERMA_HOME to another disk',
    );
  },
};

interface Program {
  readonly name: string;
  readonly command: string;
  readonly whenMissing: { readonly status: 'warn' | 'problem'; readonly remedy: string };
}

function programCheck({ name, command, whenMissing }: Program): DoctorCheck {
  return {
    name,
    run: async (subject, signal) => {
      const ran = await run(subject, signal, [command, '--version']);
      const { status, remedy } = whenMissing;
      if (ran.error !== undefined) return finding(status, ran.error, remedy);
      return finding('ok', ran.output.split('\n', 1).join(''), undefined);
    },
  };
}

/** By df, in the portable form of POSIX. */
async function freeBytes(subject: DoctorSubject, signal: AbortSignal): Promise<number | undefined> {
  const { output, error } = await run(subject, signal, ['df', '-Pk', subject.paths.home]);
  const blocks = error === undefined ? output.trim().split('\n').at(-1)?.split(/\s+/).at(-3) : undefined;
  return blocks !== undefined && /^\d+$/.test(blocks) ? Number(blocks) * 1024 : undefined;
}

async function run(
  { environment }: DoctorSubject,
  signal: AbortSignal,
  [command = '', ...args]: readonly string[],
): Promise<{ readonly output: string; readonly error?: string }> {
  const result = await runProcess({
    command,
    args,
    cwd: '/',
    env: { ...environment, LC_ALL: 'C' },
    maxStdoutBytes: MAX_OUTPUT_BYTES,
    maxStderrBytes: MAX_OUTPUT_BYTES,
    keep: 'head',
    timeoutMs: TOOL_TIMEOUT_MS,
    signal,
  });
  if (result.spawnError !== undefined) return { output: '', error: result.spawnError.message };
  if (result.exitCode === 0) return { output: result.stdoutText };
  const end = result.timedOut ? 'did not end in time' : `ended with exit code ${result.exitCode ?? 'none'}`;
  return { output: '', error: `${command} ${end}` };
}
