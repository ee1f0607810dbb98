import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly scripts: Record<string, string>;
  readonly engines: Record<string, string>;
  readonly license: string;
  readonly exports: Record<string, unknown>;
}

interface Lock {
  readonly packages: Record<
    string,
    {
      integrity?: string;
      link?: boolean;
      dev?: boolean;
      hasInstallScript?: boolean;
      resolved?: string;
      dependencies?: Record<string, string>;
      optionalDependencies?: Record<string, string>;
    }
  >;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const lockText = readFileSync(join(root, 'package-lock.json'), 'utf8');
const lock: Lock = JSON.parse(lockText);
const installed = Object.entries(lock.packages).filter(
  ([path, entry]) => path.includes('node_modules/') && !entry.link,
);

function manifest(file: string): Manifest {
  const value: Manifest = JSON.parse(readFileSync(join(root, file), 'utf8'));
  return value;
}

/** Whether the lock file holds the package where Node.js looks for it: beside the one that needs it, or further up. */
function isLocked(path: string, name: string): boolean {
  if (`${path === '' ? '' : `${path}/`}node_modules/${name}` in lock.packages) return true;
  return path !== '' && isLocked(path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/'))), name);
}

/** Helpers for the clipboard and the modifier keys that are loaded on macOS only, and may be missing there. */
const OPTIONAL_ADDONS = 'node_modules/@earendil-works/pi-tui/native/';

describe('the dependencies', () => {
  it.each(['package.json', 'tools/node/package.json'])('of %s are pinned exactly', (file) => {
    const { dependencies, devDependencies, optionalDependencies } = manifest(file);
    const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(versions.length).toBeGreaterThan(0);
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  it('are locked by content, and from no particular registry', () => {
    expect(installed.length).toBeGreaterThan(100);
    expect(installed.filter(([, entry]) => entry.integrity === undefined).map(([path]) => path)).toEqual([]);
    expect(installed.filter(([, entry]) => entry.resolved !== undefined).map(([path]) => path)).toEqual([]);
  });

  it('are locked for every platform, so that `npm ci` finds nothing missing', () => {
    const missing = Object.entries(lock.packages).flatMap(([path, entry]) =>
      Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
        .filter((name) => !isLocked(path, name))
        .map((name) => `${path} needs ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('run nothing when they are installed', () => {
    expect(installed.filter(([, entry]) => entry.hasInstallScript).map(([path]) => path)).toEqual([]);
  });

  it('of the product need no native addon', () => {
    const addons = installed
      .filter(([path, entry]) => !entry.dev && existsSync(join(root, path)))
      .flatMap(([path]) =>
        readdirSync(join(root, path), { recursive: true, encoding: 'utf8' }).map((file) => join(path, file)),
      )
      .filter((file) => file.endsWith('.node') || file.endsWith('binding.gyp'));
    expect(addons.filter((file) => !file.startsWith(OPTIONAL_ADDONS))).toEqual([]);
  });
});

describe('the package', () => {
  const { scripts, engines, license, exports } = manifest('package.json');

  it('says what it needs and what one may do with it', () => {
    expect(engines).toEqual({ node: '>=24' });
    expect(license).toBe('MIT');
    expect(readFileSync(join(root, 'LICENSE'), 'utf8')).toMatch(/^MIT License/);
  });

  it('has a door for each part that is usable alone', () => {
    expect(Object.keys(exports)).toEqual([
      '.',
      './gate',
      './checkpoints',
      './ledger',
      './policy',
      './events',
      './plugin',
      './redact',
      './testing',
      './package.json',
    ]);
  });

  it('has the commands of the README', () => {
    expect(scripts).toMatchObject({ start: 'node bin/herma.js tour', test: 'vitest run' });
  });

  it('is developed on the Node.js that its workspace pins', () => {
    const { optionalDependencies = {} } = manifest('tools/node/package.json');
    expect(Object.values(optionalDependencies)).toEqual([process.versions.node, process.versions.node]);
  });
});
