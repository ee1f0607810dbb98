import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { decodeFileName, fileSystemPath } from '../../../platform/paths/index.ts';
import { encodeCommit, treeOfCommit } from './commit-object.ts';
import { CorruptObjectError } from './corrupt-object-error.ts';
import { hashObject } from './object-name.ts';
import { decodeTree, encodeTree, type TreeItem } from './tree-object.ts';

const oid = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => Buffer.from(bytes).toString('hex'));
const name = fc
  .oneof(
    fc
      .uint8Array({ minLength: 1, maxLength: 12 })
      .map((bytes) => decodeFileName(bytes.filter((byte) => byte !== 0 && byte !== 0x2f))),
    fc.constantFrom(
      'a',
      'a.b',
      'a-b',
      'a0',
      'ab',
      'a b',
      ':x',
      '-x',
      '\u{1f600}',
      '\u{ff5e}',
      'a\nb',
      '.git',
      '__proto__',
      'constructor',
    ),
  )
  .filter((text) => !['', '.', '..'].includes(text));
const item: fc.Arbitrary<TreeItem> = fc.record({
  name,
  mode: fc.constantFrom(0o100644, 0o100755, 0o120000, 0o040000),
  oid,
});
const items = fc.uniqueArray(item, { selector: ({ name: text }) => text, maxLength: 20 });

let repository: string;

function git(input: string | Buffer, ...args: string[]): string {
  return execFileSync('git', ['-C', repository, ...args], {
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

beforeAll(() => {
  repository = mkdtempSync(join(tmpdir(), 'tree-'));
  execFileSync('git', ['init', '-q', '--bare', repository]);
});

describe('encodeTree and decodeTree', () => {
  it('give the entries back, whatever their names and order', () => {
    fc.assert(
      fc.property(items, (tree) => {
        const back = decodeTree(encodeTree(tree));
        const byName = (one: TreeItem, other: TreeItem): number => (one.name < other.name ? -1 : 1);
        expect(back.toSorted(byName)).toEqual(tree.toSorted(byName));
        expect(encodeTree(back)).toEqual(encodeTree(tree));
      }),
      { numRuns: 500 },
    );
  });

  it('make the tree that git makes', () => {
    fc.assert(
      fc.property(items, (tree) => {
        fc.pre(!tree.some(({ name: text }) => text === '.git'));
        const type = (mode: number): string => (mode === 0o040000 ? 'tree' : 'blob');
        const rows = tree.map(({ name: text, mode, oid: id }) =>
          Buffer.concat([
            Buffer.from(`${mode.toString(8).padStart(6, '0')} ${type(mode)} ${id}\t`),
            Buffer.from(fileSystemPath(text)),
            Buffer.of(0),
          ]),
        );
        const expected = git(Buffer.concat(rows), 'mktree', '-z', '--missing').trim();
        expect(hashObject('tree', encodeTree(tree))).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('sort a folder as if its name ended in a slash', () => {
    const id = 'ab'.repeat(20);
    const order = (mode: number): string[] =>
      decodeTree(
        encodeTree([
          { name: 'a0', mode: 0o100644, oid: id },
          { name: 'a', mode, oid: id },
          { name: 'a.b', mode: 0o100644, oid: id },
        ]),
      ).map((entry) => entry.name);
    expect(order(0o100644)).toEqual(['a', 'a.b', 'a0']);
    expect(order(0o040000)).toEqual(['a.b', 'a', 'a0']);
  });

  it.each(['', '.', '..', 'a/b', 'a\0b', '\ud800'])('refuse the name %j', (text) => {
    expect(() => encodeTree([{ name: text, mode: 0o100644, oid: 'ab'.repeat(20) }])).toThrow();
  });

  it('refuse a name that comes twice', () => {
    const one = { name: 'a', mode: 0o100644, oid: 'ab'.repeat(20) };
    expect(() => encodeTree([one, { ...one, mode: 0o040000 }])).toThrow(/twice/);
  });

  it('refuse bytes that are no tree', () => {
    const whole = encodeTree([{ name: 'a', mode: 0o100644, oid: 'ab'.repeat(20) }]);
    for (let length = 1; length < whole.length; length += 1)
      expect(() => decodeTree(whole.subarray(0, length))).toThrow(CorruptObjectError);
    expect(() => decodeTree(Buffer.from('10064x a\0'.padEnd(40, 'x')))).toThrow(CorruptObjectError);
    expect(() => decodeTree(Buffer.from('100644 \0'.padEnd(40, 'x')))).toThrow(CorruptObjectError);
  });
});

describe('hashObject', () => {
  it('is what git hash-object says', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(hashObject('blob', bytes)).toBe(git(Buffer.from(bytes), 'hash-object', '--stdin').trim());
      }),
      { numRuns: 20 },
    );
  });
});

describe('encodeCommit and treeOfCommit', () => {
  it('name the tree', () => {
    fc.assert(
      fc.property(oid, fc.string({ unit: 'binary' }), fc.double(), (tree, message, at) => {
        fc.pre(!Number.isNaN(at) && Math.abs(at) < 1e15);
        const commit = encodeCommit({ tree, message, at });
        expect(treeOfCommit(commit)).toBe(tree);
        expect(commit.includes(0)).toBe(false);
      }),
    );
  });

  it('write the time in whole seconds, never before 1970', () => {
    const text = (at: number): string => encodeCommit({ tree: 'ab'.repeat(20), message: 'm', at }).toString();
    expect(text(1_700_000_000_999)).toContain('committer Herma <herma@localhost> 1700000000 +0000\n\nm\n');
    expect(text(-5)).toContain('author Herma <herma@localhost> 0 +0000\n');
  });

  it.each(['', 'tree x\n', `tree ${'AB'.repeat(20)}\n`, `tree ${'ab'.repeat(20)}`])('refuse %j', (text) => {
    expect(() => treeOfCommit(Buffer.from(text))).toThrow(CorruptObjectError);
  });
});
