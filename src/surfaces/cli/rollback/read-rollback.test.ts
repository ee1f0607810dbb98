import { describe, expect, it } from 'vitest';
import { readRollback } from './read-rollback.ts';
import { NO_FLAGS, type RollbackFlags } from './rollback-command.ts';

const read = (words: readonly string[], flags: Partial<RollbackFlags> = {}): unknown => {
  const given = readRollback({ words, flags: { ...NO_FLAGS, ...flags }, command: 'herma rollback' });
  return given.ok ? given.value : { message: given.message, remedy: given.remedy };
};
const restore = {
  type: 'restore',
  files: [],
  mode: 'agent',
  includeAmbiguous: false,
  isDryRun: false,
};

describe('the words of a rollback', () => {
  it.each([
    [[], {}, { type: 'list', allCalls: false }],
    [[], { allCalls: true }, { type: 'list', allCalls: true }],
    [['diff', '1'], { allCalls: true }, { type: 'diff', ref: '1', files: [], allCalls: true }],
    [['diff', '1'], {}, { type: 'diff', ref: '1', files: [] }],
    [
      ['diff', '4270a8c', 'a b.txt', 'undo'],
      {},
      { type: 'diff', ref: '4270a8c', files: ['a b.txt', 'undo'] },
    ],
    [['2'], {}, { ...restore, target: { ref: '2' } }],
    [['4270A8C'], { all: true }, { ...restore, target: { ref: '4270A8C' }, mode: 'all' }],
    [
      ['2'],
      { exact: true, dryRun: true },
      { ...restore, target: { ref: '2' }, mode: 'exact', isDryRun: true },
    ],
    [
      ['2', 'my file.txt', '-x', 'diff'],
      { includeAmbiguous: true },
      {
        ...restore,
        target: { ref: '2' },
        files: ['my file.txt', '-x', 'diff'],
        includeAmbiguous: true,
      },
    ],
    [['2', './3'], {}, { ...restore, target: { ref: '2' }, files: ['./3'] }],
    [[], { call: 'call_1' }, { ...restore, target: { callId: 'call_1' } }],
    [['a.txt'], { call: 'call_1' }, { ...restore, target: { callId: 'call_1' }, files: ['a.txt'] }],
    [['undo'], {}, { type: 'undo', mode: 'agent', isDryRun: false }],
    [['undo'], { all: true, dryRun: true }, { type: 'undo', mode: 'all', isDryRun: true }],
  ])('%j with %j are read', (words, flags, expected) => {
    expect(read(words, flags)).toEqual(expected);
  });

  it.each([
    [['0'], {}, 'there is no checkpoint "0"', '1 is the newest; herma rollback lists them'],
    [['-1'], {}, 'there is no checkpoint "-1"', '1 is the newest'],
    [['+1'], {}, 'there is no checkpoint "+1"', '1 is the newest'],
    [['diff', '0'], {}, 'there is no checkpoint "0"', '1 is the newest'],
    [['dif', '1'], {}, '"dif" is neither a checkpoint nor diff nor undo', 'did you mean diff?'],
    [['src/a.ts'], {}, '"src/a.ts" is neither', 'herma rollback N FILE restores a file'],
    [['abc'], {}, '"abc" is neither', 'lists the checkpoints'],
    [['\u001b[2Jx'], {}, '\\\\x1b[2Jx', 'lists the checkpoints'],
    [[''], {}, '"" is neither', 'lists the checkpoints'],
    [['constructor'], {}, '"constructor" is neither', 'lists the checkpoints'],
    [['diff'], {}, 'diff needs a checkpoint', 'herma rollback diff 1'],
    [['1', '2'], {}, '"2" looks like another', 'herma rollback 1 ./2'],
    [['diff', '1', '2'], {}, '"2" looks like another', 'herma rollback diff 1 ./2'],
    [['1', ''], {}, 'the name of a file is empty', 'herma rollback 1 FILE'],
    [['1', 'a\0b'], {}, 'has a NUL', 'herma rollback 1 FILE'],
    [['undo', 'a.txt'], {}, 'undo takes back the last restore, and no "a.txt"', 'herma rollback undo'],
    [['undo'], { exact: true }, 'undo takes no --exact', 'herma rollback undo --all'],
    [['undo'], { includeAmbiguous: true }, 'undo takes no --include-ambiguous', 'herma rollback undo'],
    [['1'], { all: true, exact: true }, '--all and --exact exclude each other', 'give one of them'],
    [
      ['undo'],
      { allCalls: true },
      '--all-calls is about the numbers of the list',
      'herma rollback --all-calls',
    ],
    [['1', 'a.txt'], { exact: true }, '--exact is about the whole tree', 'leave one of them out'],
    [[], { all: true }, '--all means nothing to the list', 'herma rollback N --all'],
    [['diff', '1'], { dryRun: true }, '--dry-run means nothing to diff', 'herma rollback N --dry-run'],
    [['2'], { call: 'c1' }, 'so does "2"', 'give one of them'],
    [['undo'], { call: 'c1' }, 'so does "undo"', 'give one of them'],
    [[], { call: 'c1', exact: true }, '--exact and --call exclude each other', 'herma rollback --call ID'],
  ])('%j with %j are refused, with what to type', (words, flags, message, remedy) => {
    expect(read(words, flags)).toEqual({
      message: expect.stringContaining(message),
      remedy: expect.stringContaining(remedy),
    });
  });

  it('does not repeat an endless word', () => {
    expect(JSON.stringify(read(['z'.repeat(10_000)])).length).toBeLessThan(400);
  });
});
