import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseV4a, pathsOfV4a } from './parse-v4a.ts';

function patchOf(...lines: readonly string[]): string {
  return ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');
}

describe('parseV4a', () => {
  it('reads files that are added, updated, moved and deleted', () => {
    const patch = patchOf(
      '*** Add File: new file.txt',
      '+one',
      '+',
      '*** Update File: src/a.ts',
      '*** Move to: src/b.ts',
      '@@ class A',
      '@@   method()',
      ' kept',
      '-old',
      '+new',
      '',
      ' after',
      '@@',
      '+last',
      '*** End of File',
      '*** Delete File: old.txt',
    );
    expect(parseV4a(patch)).toEqual({
      ok: true,
      value: [
        { type: 'add', path: 'new file.txt', patchLine: 2, lines: ['one', ''] },
        {
          type: 'update',
          path: 'src/a.ts',
          patchLine: 5,
          moveTo: 'src/b.ts',
          hunks: [
            {
              patchLine: 7,
              anchors: ['class A', '  method()'],
              lines: [
                { kind: 'context', text: 'kept' },
                { kind: 'remove', text: 'old' },
                { kind: 'add', text: 'new' },
                { kind: 'context', text: '' },
                { kind: 'context', text: 'after' },
              ],
              isAtEnd: false,
            },
            { patchLine: 14, anchors: [], lines: [{ kind: 'add', text: 'last' }], isAtEnd: true },
          ],
        },
        { type: 'delete', path: 'old.txt', patchLine: 17 },
      ],
    });
  });

  it('takes Windows line endings, blank lines around the patch and between its parts', () => {
    const patch = [
      '',
      '*** Begin Patch',
      '',
      '*** Update File: a',
      '',
      '@@',
      '-x',
      '',
      '*** Delete File: b',
      '',
      '*** End Patch',
      '',
    ];
    const parsed = parseV4a(patch.join('\r\n'));
    expect(parsed).toMatchObject({
      ok: true,
      value: [{ path: 'a', hunks: [{ lines: [{ kind: 'remove', text: 'x' }] }] }, { path: 'b' }],
    });
  });

  it('does not take the header of a unified diff for a line of the file', () => {
    const parsed = parseV4a(patchOf('*** Update File: a', '@@ -1,3 +1,4 @@ function x()', '-x'));
    expect(parsed).toMatchObject({ ok: true, value: [{ hunks: [{ anchors: [] }] }] });
  });

  it.each([
    ['', 'line 1: "*** Begin Patch" is missing'],
    ['hello', 'line 1: "*** Begin Patch" is missing, found "hello"'],
    [
      '*** Begin Patch\n*** Delete File: a',
      'line 2: the header of a file is missing, found the end of the patch',
    ],
    ['*** Begin Patch\n*** End Patch', 'line 2: the patch holds no file'],
    ['*** Begin Patch\n*** Delete File: a\n*** End Patch\nmore', 'line 4: text after "*** End Patch"'],
    [patchOf('*** Rename File: a'), 'line 2: the header of a file is missing, found "*** Rename File: a"'],
    [patchOf('*** Update File:   '), 'line 2: no file is named'],
    [patchOf('*** Update File: a'), 'line 2: nothing is changed in "a"'],
    [patchOf('*** Update File: a', '*** Move to:'), 'line 3: no file is named'],
    [patchOf('*** Update File: a', '@@ x', ' kept'), 'line 3: the hunk changes nothing'],
    [patchOf('*** Update File: a', ' kept', 'bare'), 'line 4: a line of the hunk is missing, found "bare"'],
    [patchOf('*** Add File: a', '+x', 'bare'), 'line 4: a line of the new file is missing, found "bare"'],
    [patchOf('*** Delete File: a', '-x'), 'line 3: the header of a file is missing, found "-x"'],
  ])('names the line of what cannot be read: %j', (patch, message) => {
    const parsed = parseV4a(patch);
    expect(parsed).toMatchObject({ ok: false, code: 'bad_patch', message: expect.stringContaining(message) });
  });

  it('never throws, and lists every path of what it can read', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '*** Begin Patch',
        '*** End Patch',
        '*** End of File',
        '@@',
        '@@ x',
        ' k',
        '-r',
        '+a',
        '',
      ),
      fc.constantFrom(
        '*** Update File: a',
        '*** Add File: b',
        '*** Delete File: c',
        '*** Move to: d',
        'junk',
        '***',
      ),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const patch = patchOf(...lines);
        const parsed = parseV4a(patch);
        if (!parsed.ok) return;
        const paths = parsed.value.flatMap((section) =>
          section.type === 'update' && section.moveTo !== undefined
            ? [section.path, section.moveTo]
            : [section.path],
        );
        expect(pathsOfV4a(patch)).toEqual(expect.arrayContaining(paths));
      }),
      { numRuns: 2000 },
    );
  });

  it('reads megabytes of blank lines in one pass', () => {
    const parsed = parseV4a(patchOf('*** Update File: a', '-x', '\n'.repeat(2_000_000), ' y', '+z'));
    expect(parsed.ok).toBe(true);
  });
});

describe('pathsOfV4a', () => {
  it('lists the paths of a patch that cannot be read too, once each', () => {
    const patch = 'junk\n*** Update File: a\n*** Move to: ../b\nx\n*** Delete File: a\n*** Add File: c d ';
    expect(pathsOfV4a(patch)).toEqual(['a', '../b', 'c d']);
  });

  it('does not take lines of a file for headers', () => {
    expect(pathsOfV4a(patchOf('*** Add File: a', '+*** Add File: b'))).toEqual(['a']);
  });
});
