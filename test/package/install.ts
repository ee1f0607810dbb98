import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../../package.json' with { type: 'json' };
import lock from '../../package-lock.json' with { type: 'json' };

const repository = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES = [
  'src',
  'bin',
  'docs',
  'package.json',
  'tsconfig.json',
  'tsdown.config.ts',
  'README.md',
  'LICENSE',
];

/** Builds and packs a copy, so that no other test finds a half-written `dist/`; answers the tarball. */
export function pack(): string {
  const copy = mkdtempSync(join(tmpdir(), 'pack-'));
  for (const part of SOURCES) cpSync(join(repository, part), join(copy, part), { recursive: true });
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'));
  const packed = succeed(run(copy, 'npm', 'pack', '--silent', '--pack-destination', copy));
  return join(copy, packed.trim().split('\n').at(-1) ?? '');
}

/**
 * Installs the tarball into an empty project with the versions of our lock file, from what `npm ci` left in npm's cache.
 * Where the cache is gone, the packages of this checkout are linked instead: only those that the package declares, so that
 * an undeclared one is missed.
 */
export function install(tarball: string): string {
  const project = mkdtempSync(join(tmpdir(), 'project-'));
  const herma = `file:${tarball}`;
  const root = { name: 'consumer', dependencies: { herma } };
  writeJson(join(project, 'package.json'), { ...root, type: 'module', private: true });
  writeJson(join(project, 'package-lock.json'), {
    lockfileVersion: 3,
    packages: {
      '': root,
      'node_modules/herma': { ...manifest, resolved: herma },
      ...Object.fromEntries(lockedPackages()),
    },
  });
  const arguments_ = ['ci', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  if (run(project, 'npm', ...arguments_).status !== 0) linkInstead(project, tarball);
  return project;
}

/** The lock entries of what the product needs. npm finds their content by its digest; the address is a formality. */
function lockedPackages(): [path: string, entry: unknown][] {
  return Object.entries(lock.packages).flatMap(([path, entry]): [string, unknown][] => {
    const isProduct = path.startsWith('node_modules/') && !('dev' in entry) && !('link' in entry);
    if (!isProduct || path.startsWith('node_modules/node-')) return [];
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const resolved = `https://registry.npmjs.org/${name}/-/${basename(name)}-${entry.version}.tgz`;
    return [[path, { ...entry, resolved }]];
  });
}

function linkInstead(project: string, tarball: string): void {
  const modules = join(project, 'node_modules');
  mkdirSync(join(modules, 'herma'), { recursive: true });
  succeed(run(project, 'tar', '-xzf', tarball, '--strip-components=1', '-C', join(modules, 'herma')));
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(repository, 'node_modules', name), join(modules, name));
  }
  mkdirSync(join(modules, '.bin'));
  symlinkSync('../herma/bin/herma.js', join(modules, '.bin/herma'));
}

export function run(folder: string, command: string, ...args: string[]): SpawnSyncReturns<string> {
  return spawnSync(command, args, { cwd: folder, encoding: 'utf8', maxBuffer: 1e8 });
}

/** The standard output of a command that has to succeed. */
export function succeed({ status, stdout, stderr }: SpawnSyncReturns<string>): string {
  if (status !== 0) throw new Error(`exit ${status}: ${stderr || stdout}`);
  return stdout;
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, JSON.stringify(value));
}
