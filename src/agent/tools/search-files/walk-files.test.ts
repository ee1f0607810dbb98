import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type WalkStep, walkFiles } from './walk-files.ts';

const created: string[] = [];

afterAll(() => {
  for (const folder of created) rmSync(folder, { recursive: true, force: true });
});

function newRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ignore-'));
  created.push(folder);
  execFileSync('git', ['init', '-q', folder]);
  return folder;
}

async function walk(folder: string): Promise<readonly string[]> {
  const steps: WalkStep[] = [];
  for await (const step of walkFiles(folder, () => false)) steps.push(step);
  return steps.map(({ path }) => path.slice(folder.length + 1));
}

function gitFiles(folder: string): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--others', '--exclude-standard'], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder, XDG_CONFIG_HOME: folder },
  });
  return listed
    .split('\0')
    .filter((name) => name !== '')
    .sort();
}

const name = fc.constantFrom('a', 'b', 'ab', 'build', 'x.o', '.hid');
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const glob = fc.oneof(
  name,
  fc.constantFrom(
    '*',
    '**',
    '*.o',
    '?',
    '[ab]',
    '[!a]',
    '[a-c]*',
    '.*',
    'a*',
    '*b',
    'bu?ld',
    '\\a',
    '[[:alpha:]]b',
  ),
);
const rule = fc
  .tuple(
    fc.constantFrom('', '', '!'),
    fc.constantFrom('', '/', '**/'),
    fc.array(glob, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', '', '/', '/**', ' '),
  )
  .map(([negation, start, globs, end]) => `${negation}${start}${globs.join('/')}${end}`);
const ignoreFile = fc.array(rule, { minLength: 1, maxLength: 5 }).map((rules) => `${rules.join('\n')}\n`);

interface Tree {
  readonly files: readonly string[];
  readonly ignores: readonly { readonly folder: string; readonly text: string }[];
  readonly exclude: string;
}

const tree: fc.Arbitrary<Tree> = fc.record({
  files: fc.array(path, { minLength: 1, maxLength: 14 }),
  ignores: fc.array(fc.record({ folder: fc.oneof(fc.constant(''), path), text: ignoreFile }), {
    maxLength: 3,
  }),
  exclude: fc.oneof(fc.constant(''), ignoreFile),
});

/** What clashes with what is there already is left out. */
function plant(folder: string, { files, ignores, exclude }: Tree): void {
  const entries = [
    ...files.map((file) => [file, ''] as const),
    ...ignores.map(({ folder: inside, text }) => [join(inside, '.gitignore'), text] as const),
  ];
  for (const [file, text] of entries) {
    try {
      mkdirSync(join(folder, file, '..'), { recursive: true });
      writeFileSync(join(folder, file), text);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  }
  writeFileSync(join(folder, '.git', 'info', 'exclude'), exclude);
}

describe('walkFiles', () => {
  it('finds what git finds, whatever the rules are', async () => {
    await fc.assert(
      fc.asyncProperty(tree, async (planted) => {
        const folder = newRepository();
        plant(folder, planted);
        expect([...(await walk(folder))].sort()).toEqual(gitFiles(folder));
        rmSync(folder, { recursive: true });
      }),
      { numRuns: 120 },
    );
  });
});
