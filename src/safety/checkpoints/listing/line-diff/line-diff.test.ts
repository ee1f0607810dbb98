import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedRegions } from './changed-regions.ts';
import { compareContents } from './compare-contents.ts';
import { countLines } from './count-lines.ts';
import { isBinary, lineCount, textLines } from './text-lines.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const word = fc.constantFrom('a', 'b', 'c', '', '}', 'a\r', 'ä', '--', '++ x');
const lines = fc.array(
  word.map((text) => `${text}\n`),
  { maxLength: 40 },
);

/** The longest common subsequence by the book. */
function commonLength(one: readonly string[], other: readonly string[]): number {
  const row = Array.from({ length: other.length + 1 }, () => 0);
  for (const line of one) {
    let diagonal = 0;
    other.forEach((against, index) => {
      const above = row[index + 1] ?? 0;
      row[index + 1] = line === against ? diagonal + 1 : Math.max(above, row[index] ?? 0);
      diagonal = above;
    });
  }
  return row.at(-1) ?? 0;
}

function applied(before: readonly string[], after: readonly string[]): readonly string[] {
  const result: string[] = [];
  let at = 0;
  for (const region of changedRegions(before, after)) {
    result.push(...before.slice(at, region.oldStart));
    result.push(...after.slice(region.newStart, region.newStart + region.newCount));
    at = region.oldStart + region.oldCount;
  }
  return [...result, ...before.slice(at)];
}

describe('changedRegions', () => {
  it('turn the old lines into the new ones', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        expect(applied(before, after)).toEqual(after);
      }),
      { numRuns: 500 },
    );
  });

  it('are apart, in order and as few lines as possible', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const regions = changedRegions(before, after);
        regions.forEach((region, index) => {
          const previous = regions[index - 1];
          if (previous !== undefined)
            expect(region.oldStart).toBeGreaterThan(previous.oldStart + previous.oldCount);
          expect(region.oldCount + region.newCount).toBeGreaterThan(0);
        });
        const kept = before.length - regions.reduce((sum, { oldCount }) => sum + oldCount, 0);
        expect(kept).toBe(commonLength(before, after));
      }),
      { numRuns: 500 },
    );
  });

  it('are all between the common head and tail where too many lines differ', () => {
    const before = Array.from({ length: 3000 }, (_, index) => `${String((index * 7919) % 3001)}\n`);
    const after = before.toReversed();
    const regions = changedRegions(['head\n', ...before, 'tail\n'], ['head\n', ...after, 'tail\n']);
    expect(regions).toEqual([{ oldStart: 1, oldCount: 3000, newStart: 1, newCount: 3000 }]);
  });

  it('are exact for texts that have nothing in common, however long', () => {
    const before = Array.from({ length: 20_000 }, (_, index) => `old ${String(index)}\n`);
    const after = Array.from({ length: 20_000 }, (_, index) => `new ${String(index)}\n`);
    before[10_000] = 'same\n';
    after[5000] = 'same\n';
    expect(changedRegions(before, after)).toHaveLength(2);
  });

  it('look at no more than 50,000 lines between the head and the tail', () => {
    const before = Array.from({ length: 50_001 }, (_, index) => `old ${String(index)}\n`);
    const after = [...before];
    [after[0], after[25_000], after[50_000]] = ['x\n', 'y\n', 'z\n'];
    expect(changedRegions(before, after)).toHaveLength(1);
    expect(changedRegions(before.slice(1), after.slice(1))).toHaveLength(2);
  });
});

describe('textLines and lineCount', () => {
  it('agree and lose nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\n', '\r', 'é', '\u{feff}') }), (text) => {
        expect(textLines(bytes(text)).join('')).toBe(text);
        expect(lineCount(bytes(text))).toBe(textLines(bytes(text)).length);
      }),
    );
  });
});

describe('isBinary', () => {
  it.each<[string, Uint8Array, boolean]>([
    ['nothing', bytes(''), false],
    ['text', bytes('a\r\nü\n'), false],
    ['a NUL', bytes('a\0b'), true],
    ['a NUL at 7,999', bytes(`${'a'.repeat(7999)}\0`), true],
    ['a NUL at 8,000', bytes(`${'a'.repeat(8000)}\0`), false],
    ['a byte that is not UTF-8', Uint8Array.of(0x61, 0xff), true],
    ['more than 64 MiB', new Uint8Array(64 * 1024 * 1024 + 1).fill(0x61), true],
  ])('of %s', (_, content, is) => {
    expect(isBinary(content)).toBe(is);
  });
});

describe('countLines', () => {
  it('counts as git does', () => {
    const folder = mkdtempSync(join(tmpdir(), 'count-'));
    const [one, other] = [join(folder, 'one'), join(folder, 'other')];
    const text = fc
      .tuple(lines, fc.constantFrom('', 'end', 'a'))
      .map(([list, end]) => `${list.join('')}${end}`);
    fc.assert(
      fc.property(text, text, (before, after) => {
        writeFileSync(one, before);
        writeFileSync(other, after);
        const { stdout } = spawnSync('git', ['diff', '--no-index', '--minimal', '--numstat', one, other]);
        const [insertions = 0, deletions = 0] = stdout.toString().split('\t').slice(0, 2).map(Number);
        expect(countLines(bytes(before), bytes(after))).toEqual({ insertions, deletions, binary: false });
      }),
      { numRuns: 60 },
    );
  });

  it.each<[string, string | undefined, string | undefined, object]>([
    ['a new file', undefined, 'a\nb', { insertions: 2, deletions: 0, binary: false }],
    ['a deleted file', 'a\nb\n', undefined, { insertions: 0, deletions: 2, binary: false }],
    ['an empty new file', undefined, '', { insertions: 0, deletions: 0, binary: false }],
    ['a newline at the end', 'a', 'a\n', { insertions: 1, deletions: 1, binary: false }],
    ['other line ends', 'a\nb\n', 'a\r\nb\r\n', { insertions: 2, deletions: 2, binary: false }],
    ['text that became binary', 'a\n', '\0', { insertions: 0, deletions: 0, binary: true }],
    ['a new binary file', undefined, '\0', { insertions: 0, deletions: 0, binary: true }],
  ])('of %s', (_, before, after, count) => {
    const of = (text: string | undefined) => (text === undefined ? undefined : bytes(text));
    expect(countLines(of(before), of(after))).toEqual(count);
  });

  it('agrees with compareContents about what is binary', () => {
    expect(compareContents(bytes('a'), Uint8Array.of(0xff)).type).toBe('binary');
    expect(compareContents(undefined, undefined)).toMatchObject({ type: 'text', regions: [] });
  });
});
