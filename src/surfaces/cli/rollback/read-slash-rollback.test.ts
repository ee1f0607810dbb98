import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSlashRollback } from './read-slash-rollback.ts';
import { splitArgument } from './split-argument.ts';

const read = (line: string): unknown => {
  const given = readSlashRollback(line);
  return given.ok ? given.value : { message: given.message, remedy: given.remedy };
};
const restore = (files: readonly string[], more: object = {}): object => ({
  type: 'restore',
  target: { ref: '2' },
  files,
  mode: 'agent',
  includeAmbiguous: false,
  isDryRun: false,
  ...more,
});

describe('what follows /rollback', () => {
  it.each([
    ['', { type: 'list', allCalls: false }],
    ['--all-calls', { type: 'list', allCalls: true }],
    ['undo', { type: 'undo', mode: 'agent', isDryRun: false }],
    ['undo --all', { type: 'undo', mode: 'all', isDryRun: false }],
    ['diff 2', { type: 'diff', ref: '2', files: [] }],
    ['diff 2 my file.txt', { type: 'diff', ref: '2', files: ['my file.txt'] }],
    ['2', restore([])],
    ['2 --all', restore([], { mode: 'all' })],
    ['--exact 2', restore([], { mode: 'exact' })],
    ['2 my file.txt', restore(['my file.txt'])],
    ['2 my  two   spaces.txt', restore(['my  two   spaces.txt'])],
    ['2 3 blind mice.txt', restore(['3 blind mice.txt'])],
    ["2 it's here.txt", restore(["it's here.txt"])],
    ['2 a - b.txt', restore(['a - b.txt'])],
    ['2 日本 語.txt --dry-run', restore(['日本 語.txt'], { isDryRun: true })],
    ['2 --all my file.txt', restore(['my file.txt'], { mode: 'all' })],
    ['2 my file.txt --all other.txt', restore(['my file.txt', 'other.txt'], { mode: 'all' })],
    ['2 "my file.txt"', restore(['my file.txt'])],
    [`2 'a b' "c d" e`, restore(['a b', 'c d', 'e'])],
    [`2 "a \\"b\\" \\\\ c"`, restore(['a "b" \\ c'])],
    [`2 'a'"b c"`, restore(['ab c'])],
    ['2 my\\ file.txt other', restore(['my file.txt', 'other'])],
    ['2 C:\\temp', restore(['C:\\temp'])],
    ['2 -- --all', restore(['--all'])],
    ['2 -- -x my file', restore(['-x my file'])],
    ['2 "--all"', restore(['--all'])],
    ['--call c1', restore([], { target: { callId: 'c1' } })],
    ['--call=c1 my file.txt', restore(['my file.txt'], { target: { callId: 'c1' } })],
    ['2 a.txt --include-ambiguous', restore(['a.txt'], { includeAmbiguous: true })],
  ])('%j is read', (line, expected) => {
    expect(read(line)).toEqual(expected);
  });

  it.each([
    ['-1', 'there is no checkpoint "-1"', '/rollback lists them'],
    ['nonsense', '"nonsense" is neither', '/rollback N FILE'],
    ['diff', 'diff needs a checkpoint', '/rollback diff 1'],
    ['2 3', '"3" looks like another', '/rollback 2 ./3'],
    ['2 --al', 'there is no option "--al"', 'did you mean --all?'],
    ['2 -f', 'there is no option "-f"', 'stands after --'],
    ['diff 2 -f', 'there is no option "-f"', 'stands after --'],
    ['--call', '--call needs the id of a call', '/rollback --call ID'],
    ['--call=', '--call needs the id of a call', '/rollback --call ID'],
    ['2 "my file', 'a quote is not closed: "\\"my file"', 'close it'],
    ["2 'tis.txt", 'a quote is not closed', 'close it'],
    ['2 ""', 'the name of a file is empty', '/rollback 2 FILE'],
    ['undo now', 'no "now"', '/rollback undo'],
    ['--constructor', 'there is no option "--constructor"', 'after --'],
  ])('%j is refused, with what to type', (line, message, remedy) => {
    expect(read(line)).toEqual({
      message: expect.stringContaining(message),
      remedy: expect.stringContaining(remedy),
    });
  });

  it('takes every name in quotes as it is', () => {
    const name = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => !/^[+-]?\d+$|\0/.test(text));
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), (names) => {
        const quoted = names.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`);
        expect(read(`2 ${quoted.join(' ')}`)).toEqual(restore(names));
      }),
    );
  });

  it('takes every name without a quote, an option or a backslash as it is', () => {
    const word = fc.stringMatching(/^[a-z.äß日][\w.'ä-]{0,8}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        expect(read(`2 ${words.join('  ')}`)).toEqual(restore([words.join('  ')]));
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', '2', ' ', "'", '"', '\\\\', '-', '=', '\n', '--all', '--call'),
        }),
        (line) => {
          expect(typeof readSlashRollback(line).ok).toBe('boolean');
        },
      ),
    );
  });
});

describe('words', () => {
  it('know where they stand', () => {
    expect(splitArgument(` a 'b c'`)).toEqual({
      ok: true,
      value: [
        { text: 'a', start: 1, end: 2, isQuoted: false },
        { text: 'b c', start: 3, end: 8, isQuoted: true },
      ],
    });
  });
});
