import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileSystemPath, isInside, resolveInside } from './index.ts';

function createTree(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'inside-')));
  mkdirSync(join(folder, 'base/sub'), { recursive: true });
  mkdirSync(join(folder, 'base-twin'));
  writeFileSync(join(folder, 'base/sub/file'), '');
  writeFileSync(join(folder, 'secret'), '');
  return folder;
}

describe('isInside', () => {
  it.each([
    ['/a/b', '/a/b', true],
    ['/a/b', '/a/b/c', true],
    ['/a/b', '/a/b/..c', true],
    ['/a/b', '/a/b/c/../d', true],
    ['/a/b/', '/a/b/c', true],
    ['/', '/anything', true],
    ['/a/b', '/a/bc', false],
    ['/a/b', '/a', false],
    ['/a/b', '/a/b/../c', false],
    ['/a/b', '/', false],
  ])('of %s for %s is %s', (base, path, expected) => {
    expect(isInside(base, path)).toBe(expected);
  });
});

describe('resolveInside', () => {
  it('accepts what is inside, there or not, relative or absolute', () => {
    const base = join(createTree(), 'base');
    for (const path of ['sub/file', 'sub/new/deeper', '.', '', 'sub/../other', join(base, 'sub')]) {
      expect(resolveInside(base, path)).toMatchObject({ ok: true });
    }
    expect(resolveInside(base, 'sub/file')).toEqual({
      ok: true,
      value: { path: join(base, 'sub/file'), realPath: join(base, 'sub/file') },
    });
  });

  it.each(['..', '../secret', '../base-twin', 'sub/../../secret', '/etc/passwd', '/'])(
    'refuses %s',
    (path) => {
      const base = join(createTree(), 'base');
      const result = resolveInside(base, path);
      expect(result).toMatchObject({ ok: false, code: 'outside', message: `${path} is outside ${base}` });
    },
  );

  it('refuses a link that leads out, also in the middle of a path that does not exist yet', () => {
    const folder = createTree();
    const base = join(folder, 'base');
    symlinkSync(folder, join(base, 'out'));
    symlinkSync('../../secret', join(base, 'sub/out'));
    for (const path of ['out', 'out/secret', 'out/new/file', 'sub/out']) {
      expect(resolveInside(base, path)).toMatchObject({ ok: false, code: 'outside' });
    }
  });

  it('accepts a link that stays inside, and a base that is itself behind a link', () => {
    const folder = createTree();
    symlinkSync(join(folder, 'base'), join(folder, 'alias'));
    symlinkSync('sub', join(folder, 'base/other'));
    expect(resolveInside(join(folder, 'alias'), 'other/file')).toEqual({
      ok: true,
      value: { path: join(folder, 'alias/other/file'), realPath: join(folder, 'base/sub/file') },
    });
  });

  it('fails closed on what it cannot follow', () => {
    const folder = createTree();
    const base = join(folder, 'base');
    symlinkSync(join(folder, 'nowhere'), join(base, 'dangling'));
    symlinkSync('loop', join(base, 'loop'));
    for (const path of ['dangling', 'dangling/x', 'loop', 'loop/x', 'sub/file/x', 'nul\0']) {
      expect(resolveInside(base, path)).toMatchObject({ ok: false, code: 'unresolvable' });
    }
    expect(resolveInside(join(folder, 'no-base'), 'x')).toMatchObject({
      ok: false,
      code: 'unresolvable',
      message: `cannot follow ${join(folder, 'no-base')}: there is no such file or folder`,
    });
  });

  it.runIf(process.platform === 'linux')('follows names that are not UTF-8', () => {
    const folder = createTree();
    const base = join(folder, 'base');
    mkdirSync(fileSystemPath(join(base, 'n\udce9')));
    symlinkSync(fileSystemPath(join(base, 'n\udce9')), join(base, 'link'));
    symlinkSync('..', fileSystemPath(join(base, 'n\udce9/up')));
    expect(resolveInside(base, 'link/new')).toMatchObject({ value: { realPath: join(base, 'n\udce9/new') } });
    expect(resolveInside(base, 'n\udce9/../..')).toMatchObject({ ok: false, code: 'outside' });
    expect(resolveInside(join(base, 'n\udce9'), 'up')).toMatchObject({ ok: false, code: 'outside' });
  });
});
