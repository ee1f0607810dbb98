import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ensureHome } from './index.ts';

function createFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'home-')));
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o7777;
}

/** Runs a shell script where a read-only tmpfs can be mounted on `$1`; the module under test is `$2`. */
function runInNamespace(script: string, ...args: readonly string[]): ReturnType<typeof spawnSync> {
  return spawnSync('unshare', ['-rm', 'sh', '-ec', script, 'sh', ...args], { encoding: 'utf8' });
}

const canMount = runInNamespace('mount -t tmpfs none "$1"', createFolder()).status === 0;

describe('ensureHome', () => {
  it('creates a home, and what is missing above it, for its owner alone', () => {
    const folder = createFolder();
    const home = join(folder, 'new/er/home');
    expect(ensureHome(home)).toEqual({ ok: true, value: { home, isNew: true, warnings: [] } });
    expect(modeOf(home)).toBe(0o700);
    expect(modeOf(join(folder, 'new'))).toBe(0o700);
  });

  it('is content with a home that is private', () => {
    const home = createFolder();
    expect(ensureHome(home)).toEqual({ ok: true, value: { home, isNew: false, warnings: [] } });
  });

  it('takes a home behind a link', () => {
    const folder = createFolder();
    mkdirSync(join(folder, 'real'), { mode: 0o700 });
    symlinkSync('real', join(folder, 'home'));
    expect(ensureHome(join(folder, 'home'))).toMatchObject({
      ok: true,
      value: { isNew: false, warnings: [] },
    });
  });

  it.each(['.herma', 'other'])('closes an open home called %s that is its own, and says so', (name) => {
    const home = join(createFolder(), name);
    mkdirSync(home);
    if (name === 'other') writeFileSync(join(home, 'state.db'), '');
    else writeFileSync(join(home, 'anything'), '');
    chmodSync(home, 0o755);
    expect(ensureHome(home)).toMatchObject({
      ok: true,
      value: { warnings: [`${home} was open to other users (mode 0755); its mode is 0700 now`] },
    });
    expect(modeOf(home)).toBe(0o700);
    expect(ensureHome(home)).toMatchObject({ ok: true, value: { warnings: [] } });
  });

  it('reports an open folder that is not recognisably its own, and leaves it as it is', () => {
    const home = createFolder();
    writeFileSync(join(home, 'letter.txt'), '');
    chmodSync(home, 0o755);
    expect(ensureHome(home)).toMatchObject({
      ok: true,
      value: { warnings: [expect.stringMatching(/is open to other users \(mode 0755\): run chmod 700/)] },
    });
    expect(modeOf(home)).toBe(0o755);
  });

  it('leaves a folder that everybody shares as it is', () => {
    const home = createFolder();
    chmodSync(home, 0o1777);
    expect(ensureHome(home)).toMatchObject({
      ok: true,
      value: { warnings: [expect.stringMatching(/mode 0777/)] },
    });
    expect(modeOf(home)).toBe(0o1777);
  });

  it('refuses a file', () => {
    const home = join(createFolder(), 'file');
    writeFileSync(home, '');
    expect(ensureHome(home)).toEqual({
      ok: false,
      code: 'not_a_directory',
      message: `cannot use the home folder ${home}: it is not a folder`,
      remedy: 'set HERMA_HOME to a folder that you can write',
      path: home,
    });
  });

  it.each([
    ['below a file', (folder: string) => join(folder, 'file/home'), 'not_a_directory'],
    ['where nobody can create anything', () => '/proc/herma-home', 'not_found'],
    ['behind a link that leads nowhere', (folder: string) => join(folder, 'dangling'), 'not_found'],
    ['behind a link to itself', (folder: string) => join(folder, 'loop'), 'link_loop'],
    ['with a name that is too long', (folder: string) => join(folder, 'x'.repeat(300)), 'name_too_long'],
    ['with a NUL in its name', (folder: string) => join(folder, 'a\0b'), 'invalid_path'],
  ])('refuses a home %s', (_, locate, code) => {
    const folder = createFolder();
    writeFileSync(join(folder, 'file'), '');
    symlinkSync('nowhere', join(folder, 'dangling'));
    symlinkSync('loop', join(folder, 'loop'));
    const result = ensureHome(locate(folder));
    expect(result).toMatchObject({ ok: false, code, remedy: expect.stringMatching(/HERMA_HOME/) });
    expect(result.ok ? '' : result.message).toMatch(/^cannot use the home folder .+: .+$/);
  });

  it.runIf(canMount)(
    'says that the disk is read-only, for a home that exists and for one that does not',
    () => {
      const folder = createFolder();
      const module_ = fileURLToPath(new URL('index.ts', import.meta.url));
      const run = runInNamespace(
        `mount -t tmpfs none "$1"; mkdir -m 700 "$1/there"; mount -o remount,ro "$1"
       "$3" -e 'import(process.argv[1]).then(({ ensureHome }) => {
         for (const name of ["there", "new"]) console.log(JSON.stringify(ensureHome(process.argv[2] + "/" + name)));
       })' "$2" "$1"`,
        folder,
        module_,
        process.execPath,
      );
      const results = run.stdout
        .toString()
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line));
      expect(results).toHaveLength(2);
      for (const result of results) {
        expect(result).toMatchObject({
          ok: false,
          code: 'read_only',
          message: expect.stringMatching(/: the disk is read-only$/),
        });
      }
    },
  );
});
