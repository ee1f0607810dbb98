import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { fileSystemPath, InvalidPathError } from '../../../platform/paths/index.ts';
import { canonicalPath } from './canonical-path.ts';

let base: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'canonical-')));
  mkdirSync(join(base, 'real/inner'), { recursive: true });
  symlinkSync(join(base, 'real'), join(base, 'link'));
  symlinkSync('real/inner', join(base, 'relative'));
  symlinkSync('link/inner', join(base, 'twice'));
  symlinkSync('gone/away', join(base, 'dangling'));
  symlinkSync('loop-b', join(base, 'loop-a'));
  symlinkSync('loop-a', join(base, 'loop-b'));
  writeFileSync(join(base, 'file'), '');
});

describe('canonicalPath', () => {
  it.each([
    ['a path without links', 'real/inner', 'real/inner'],
    ['an absolute link', 'link/inner', 'real/inner'],
    ['a relative link', 'relative', 'real/inner'],
    ['a link to a link', 'twice/x', 'real/inner/x'],
    ['a trailing slash and dots', './link/./inner//', 'real/inner'],
    ['a dangling link', 'dangling/x', 'gone/away/x'],
    ['what does not exist', 'nowhere/at/all', 'nowhere/at/all'],
    ['something below a file', 'file/x', 'file/x'],
    ['`..` after a link, as the system sees it', 'relative/../x', 'real/x'],
    ['`..` above the root', '../../../../../../../../../../../..', undefined],
  ])('resolves %s', (_, path, expected) => {
    expect(canonicalPath(`${base}/${path}`)).toBe(expected === undefined ? '/' : join(base, expected));
  });

  it('agrees with the system about what exists', () => {
    for (const path of ['link', 'link/inner', 'relative', 'twice', 'relative/..', 'file'])
      expect(canonicalPath(`${base}/${path}`)).toBe(realpathSync.native(`${base}/${path}`));
  });

  it('ends for links that lead in a circle', () => {
    expect(canonicalPath(join(base, 'loop-a/x'))).toMatch(/loop-[ab]\/x$/);
  });

  it('takes names that are not UTF-8', () => {
    const name = join(base, 'caf\udce9');
    mkdirSync(fileSystemPath(name));
    symlinkSync(fileSystemPath(name), fileSystemPath(join(base, 'odd')));
    expect(canonicalPath(join(base, 'odd/x'))).toBe(`${name}/x`);
  });

  it('throws for a path that no file can have', () => {
    expect(() => canonicalPath('/a\0b')).toThrow(InvalidPathError);
  });
});
