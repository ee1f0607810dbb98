import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileSystemPath, projectRoot, resolvePath } from './index.ts';

function createFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'project-')));
}

describe('projectRoot', () => {
  it.each(['.git', 'package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod', 'Makefile'])(
    'is where %s is, at or above',
    (marker) => {
      const root = createFolder();
      mkdirSync(join(root, 'a/b'), { recursive: true });
      writeFileSync(join(root, marker), '');
      expect(projectRoot(join(root, 'a/b'))).toBe(root);
      expect(projectRoot(root)).toBe(root);
    },
  );

  it('is the nearest of several, and seen through links', () => {
    const root = createFolder();
    mkdirSync(join(root, 'inner/src'), { recursive: true });
    writeFileSync(join(root, 'package.json'), '');
    writeFileSync(join(root, 'inner/package.json'), '');
    symlinkSync(join(root, 'inner/src'), join(root, 'link'));
    expect(projectRoot(join(root, 'link'))).toBe(join(root, 'inner'));
  });

  it('is the folder itself when nothing marks a project, or it does not exist', () => {
    const folder = createFolder();
    expect(projectRoot(folder)).toBe(folder);
    expect(projectRoot(join(folder, 'gone'))).toBe(join(folder, 'gone'));
  });

  it.runIf(process.platform === 'linux')('keeps names that are not UTF-8', () => {
    const folder = join(createFolder(), 'caf\udce9');
    mkdirSync(fileSystemPath(folder));
    expect(projectRoot(folder)).toBe(folder);
  });
});

describe('resolvePath', () => {
  it.each([
    ['/base', 'a/b', '/base/a/b'],
    ['/base', '../a', '/a'],
    ['/base', '/abs', '/abs'],
    ['/base', '', '/base'],
  ])('from %s sees %j as %s', (base, path, expected) => {
    expect(resolvePath(base, path)).toBe(expected);
  });
});
