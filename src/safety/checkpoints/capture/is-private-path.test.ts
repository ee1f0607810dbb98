import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { isPrivatePath } from './is-private-path.ts';

let root: string;

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'private-')));
});

describe('isPrivatePath', () => {
  it.each(['.env', '.env.local', 'a/.env', 'node_modules/x/y.js', '.git/config', 'a/.git/HEAD', 'x.pyc'])(
    'is true of %s without any rules',
    (path) => {
      expect(isPrivatePath(root, path)).toBe(true);
    },
  );

  it.each(['a.ts', '.env.example', 'environment', 'build/x', 'venv/x', ':(top)c', 'a b/ü'])(
    'is false of %s without any rules',
    (path) => {
      expect(isPrivatePath(root, path)).toBe(false);
    },
  );

  it('is true inside of a virtual environment', () => {
    write('venv/pyvenv.cfg', '');
    expect(isPrivatePath(root, 'venv/lib/x.py')).toBe(true);
  });

  it('agrees with git', () => {
    execFileSync('git', ['init', '-q'], { cwd: root });
    write('.gitignore', '*.log\n/out/\n!keep.log\ndeep/*\n!deep/a\n');
    write('sub/.gitignore', '!x.log\nlocal\n');
    write('.git/info/exclude', 'excluded\n');
    const paths = [
      'x.log',
      'keep.log',
      'out/x',
      'sub/out/x',
      'sub/x.log',
      'sub/y.log',
      'sub/local/z',
      'local',
      'excluded',
      'sub/excluded/q',
      'deep/a/b',
      'deep/c',
      'plain',
    ];
    for (const path of paths) {
      let ignored = true;
      try {
        execFileSync('git', ['check-ignore', '-q', path], { cwd: root });
      } catch {
        // It ends with 1 for what is not ignored.
        ignored = false;
      }
      expect([path, isPrivatePath(root, path)]).toEqual([path, ignored]);
    }
  });

  it('knows the rules of a repository that the project lies in', () => {
    execFileSync('git', ['init', '-q'], { cwd: root });
    write('.gitignore', '/packages/app/secret\n');
    write('packages/.gitignore', '*.key\n');
    write('packages/app/x', '');
    const project = join(root, 'packages/app');
    expect(isPrivatePath(project, 'secret')).toBe(true);
    expect(isPrivatePath(project, 'a.key')).toBe(true);
    expect(isPrivatePath(project, 'x')).toBe(false);
  });
});
