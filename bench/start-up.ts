import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alternate, type Figure } from './measure.ts';

const ROUNDS = 25;
const REPOSITORY = new URL('..', import.meta.url).pathname;

/** `herma --version` and `herma call` from `dist/` (made by `npm run build`), against a Node.js that does nothing. */
export async function startUp(): Promise<readonly Figure[]> {
  const home = await mkdtemp(join(tmpdir(), 'herma-bench-'));
  try {
    const launcher = await installed(home);
    await writeFile(join(home, 'small.txt'), 'one line\n');
    const request = JSON.stringify({ tool: 'read_file', args: { path: 'small.txt' }, cwd: home });
    const run =
      (args: readonly string[], stdin = '') =>
      () =>
        timeOf(args, { stdin, home });
    const [floor = Number.NaN, version = Number.NaN, call = Number.NaN] = await alternate(ROUNDS, [
      run(['-e', '0']),
      run([launcher, '--version']),
      run([launcher, 'call'], request),
    ]);
    return [
      { name: 'herma --version / node -e 0', ratio: version / floor, limit: 1.3, value: version, floor },
      { name: 'herma call read_file / node -e 0', ratio: call / floor, limit: 4, value: call, floor },
    ];
  } finally {
    await rm(home, { recursive: true });
  }
}

/** The package as it is installed: built, without its sources. */
export async function installed(folder: string): Promise<string> {
  const root = join(folder, 'herma');
  await mkdir(root);
  for (const part of ['bin', 'dist', 'package.json'])
    await cp(join(REPOSITORY, part), join(root, part), { recursive: true });
  await symlink(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'));
  return join(root, 'bin', 'herma.js');
}

/** Milliseconds until a Node.js with these arguments has ended; throws when it fails. */
export async function timeOf(
  args: readonly string[],
  { stdin, home }: { readonly stdin: string; readonly home: string },
): Promise<number> {
  const env = { ...process.env, HERMA_HOME: join(home, 'home') };
  delete (env as NodeJS.ProcessEnv)['NODE_EXTRA_CA_CERTS'];
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(stdin);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}`);
  return performance.now() - startedAt;
}
