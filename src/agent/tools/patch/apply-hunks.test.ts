import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyHunks } from './apply-hunks.ts';
import { type Hunk, parseV4a } from './parse-v4a.ts';

function hunksOf(...lines: readonly string[]): readonly Hunk[] {
  const parsed = parseV4a(['*** Begin Patch', '*** Update File: f', ...lines, '*** End Patch'].join('\n'));
  const [section] = parsed.ok ? parsed.value : [];
  if (section?.type !== 'update') throw new Error(`not an update: ${JSON.stringify(parsed)}`);
  return section.hunks;
}

function apply(text: string, ...lines: readonly string[]): string {
  const applied = applyHunks(text, hunksOf(...lines), 'f');
  return applied.ok ? applied.value.text : applied.message;
}

describe('applyHunks', () => {
  it('applies hunks in the order of the file', () => {
    expect(apply('a\nb\nc\nd\n', ' a', '-b', '+B', '@@', ' c', '+c2', ' d')).toBe('a\nB\nc\nc2\nd\n');
  });

  it('counts what it adds and removes', () => {
    const applied = applyHunks('a\nb\n', hunksOf('-a', '+1', '+2', ' b'), 'f');
    expect(applied).toMatchObject({ ok: true, value: { linesAdded: 2, linesRemoved: 1 } });
  });

  it('finds the place after an @@ line, indented or named in part', () => {
    const text = 'class A\n  run()\n    x\nclass B\n  run()\n    x\n';
    expect(apply(text, '@@ class B', '-    x', '+    y')).toBe(
      'class A\n  run()\n    x\nclass B\n  run()\n    y\n',
    );
    expect(apply(text, '@@ class B', '@@ run()', '+    new')).toBe(
      'class A\n  run()\n    x\nclass B\n  run()\n    new\n    x\n',
    );
  });

  it('keeps Windows line endings, also of what it adds', () => {
    expect(apply('a\r\nb\r\n', ' a', '-b', '+B', '+c')).toBe('a\r\nB\r\nc\r\n');
  });

  it('keeps the endings of lines it does not touch in a mixed file', () => {
    expect(apply('a\r\nb\nc\n', ' a', '-b', '+B')).toBe('a\r\nB\nc\n');
  });

  it.each([
    ['a\nb', [' a', '-b', '+B'], 'a\nB'],
    ['a\nb', ['-b', '+b', '+c'], 'a\nb\nc'],
    ['a\nb', [' a', '-b'], 'a'],
    ['a\nb\n', ['-a', '-b'], ''],
    ['', ['+x'], 'x\n'],
    ['a', ['+z', '*** End of File'], 'a\nz'],
  ])('does not change whether %j ends with a newline: %j', (text, lines, expected) => {
    expect(apply(text, ...lines)).toBe(expected);
  });

  it('keeps a byte-order mark', () => {
    expect(apply('\uFEFFa\nb\n', '-a', '+A')).toBe('\uFEFFA\nb\n');
  });

  it('takes white space at the end of lines as unimportant, and keeps that of the file', () => {
    expect(apply('a  \nb\t\nc\n', ' a', '-b', '+B', ' c ')).toBe('a  \nB\nc\n');
  });

  it('takes the place at the end of the file where that is said', () => {
    expect(apply('x\ny\nx\n', '-x', '+z', '*** End of File')).toBe('x\ny\nz\n');
    expect(apply('a\na\na\n', ' a', '-a', '+z', '*** End of File')).toBe('a\na\nz\n');
  });

  it.each([
    ['x\ny\nx\n', ['-x', '+z'], 'fits in several places: from line 1, 3.'],
    ['a\na\na\n', [' a', '-a'], 'fits in several places: from line 1, and overlapping.'],
    ['a\nb\n', ['+x'], 'only adds lines and does not say where.'],
    ['a\nb\n', ['-c'], 'No line is "c".'],
    [
      'let value = compute(1);\n',
      ['-let value = compute(2);'],
      'Most alike is line 1: "let value = compute(1);"',
    ],
    ['a\nx\nb\n', [' a', '-b'], 'its lines are not in the file one below the other.'],
    ['  a\n', ['-a'], 'at line 1 they are, but indented otherwise.'],
    ['a\nb\n', ['-b', '@@', '-a'], 'its lines are not in the file after line 2, but at line 1.'],
    ['a\nb\n', ['@@ nowhere', '-b'], 'the line "@@ nowhere" is not in the file after line 0.'],
    ['a\nb\n', ['-a', '*** End of File'], 'its lines are not where the file ends.'],
  ])('says why a hunk does not fit %j: %j', (text, lines, message) => {
    const applied = applyHunks(text, hunksOf(...lines), 'f');
    expect(applied).toMatchObject({ ok: false, message: expect.stringContaining(message) });
    expect(applied).toMatchObject({
      message: expect.stringMatching(/^The hunk at line \d+ of the patch, for f,/),
    });
  });

  it('equals the edit the patch was made from', () => {
    fc.assert(
      fc.property(edit, ({ lines, ending, endsWithNewline, context }) => {
        const before = lines.filter(({ op }) => op !== 'add').map(({ text }) => text);
        const after = lines.filter(({ op }) => op !== 'remove').map(({ text }) => text);
        const write = (texts: readonly string[]): string =>
          texts.join(ending) + (endsWithNewline && texts.length > 0 ? ending : '');
        const hunks = makeHunks(lines, context);
        const hasEnding = before.length > 1 || (before.length > 0 && endsWithNewline);
        fc.pre(hunks.length > 0 && hasEnding);
        expect(apply(write(before), ...hunks)).toBe(write(after));
      }),
      { numRuns: 1000 },
    );
  });
});

interface EditedLine {
  readonly op: 'keep' | 'remove' | 'add';
  readonly text: string;
}

const edit = fc.record({
  lines: fc
    .array(
      fc.record({
        op: fc.constantFrom<EditedLine['op']>('keep', 'keep', 'keep', 'remove', 'add'),
        tail: fc.string({ maxLength: 3 }),
      }),
      {
        minLength: 1,
        maxLength: 30,
      },
    )
    .map((lines) =>
      lines.map(
        ({ op, tail }, index): EditedLine => ({
          op,
          text: `${String(index)}:${tail.replaceAll(/\s/g, '_')}`,
        }),
      ),
    ),
  ending: fc.constantFrom('\n', '\r\n'),
  endsWithNewline: fc.boolean(),
  context: fc.integer({ min: 1, max: 3 }),
});

/** Hunks with so many lines of context around each change, as a careful model would write them. */
function makeHunks(lines: readonly EditedLine[], context: number): readonly string[] {
  const near = lines.map((_, index) =>
    lines.some(({ op }, other) => op !== 'keep' && Math.abs(other - index) <= context),
  );
  const sign = { keep: ' ', remove: '-', add: '+' } as const;
  return lines.flatMap(({ op, text }, index) => {
    if (near[index] !== true) return [];
    return [...(near[index - 1] === true ? [] : ['@@']), sign[op] + text];
  });
}
