import { describe, expect, it } from 'vitest';
import { fail, succeed } from '../../../kernel/errors/index.ts';
import type { CheckpointDiff, CheckpointStore } from '../../../safety/checkpoints/index.ts';
import { type ChatRollbackParts, rollbackInChat } from './chat-rollback.ts';
import { fakeStore, ID_1, LIST, OWNER, report } from './fake-checkpoints.ts';

interface Ran {
  /** `info: text` */
  readonly said: readonly string[];
  readonly failed: readonly { readonly message: string; readonly remedy?: string }[];
  readonly questions: readonly string[];
}

async function rollback(
  argument: string,
  store: Partial<CheckpointStore>,
  more: Partial<ChatRollbackParts> = {},
): Promise<Ran> {
  const [said, failed, questions]: [string[], { message: string; remedy?: string }[], string[]] = [
    [],
    [],
    [],
  ];
  await rollbackInChat(argument, {
    store: fakeStore(store),
    isEnabled: true,
    directory: '/work/a',
    rootSessionId: 's1',
    rewindTo: async () => Promise.reject(new Error('no rewind is expected here')),
    say: (kind, text) => said.push(`${kind}: ${text}`),
    fail: (failure) => failed.push(failure),
    ...more,
    confirm: async (question) => {
      questions.push(question);
      return more.confirm?.(question) ?? false;
    },
  });
  return { said, failed, questions };
}

const listing = (list = LIST): Partial<CheckpointStore> => ({ list: async () => Promise.resolve(list) });

function restoring(...reports: readonly ReturnType<typeof report>[]): {
  readonly store: Partial<CheckpointStore>;
  readonly asked: unknown[][];
} {
  const asked: unknown[][] = [];
  return {
    asked,
    store: {
      restore: async (...given) => {
        asked.push(given);
        return Promise.resolve(reports[asked.length - 1] ?? report({ ok: false }));
      },
    },
  };
}

describe('/rollback', () => {
  it('lists, in one notice, with what to type in the chat', async () => {
    const { said } = await rollback('', listing());
    expect(said).toHaveLength(1);
    expect(said[0]?.split('\n')).toEqual([
      'info: 📸 Checkpoints for /path/to/project:',
      '',
      '  1. 4270a8c  2026-03-16 04:36  before patch  (1 file, +1/-0)',
      '  2. eaf4c1f  2026-03-16 04:35  before write_file',
      '  3. b3f9d2e  2026-03-16 04:34  before terminal: sed -i s/old/new/ config.py  (1 file, +1/-1)',
      '',
      '  /rollback <N>         restore to checkpoint N',
      '  /rollback diff <N>    preview changes since checkpoint N',
      '  /rollback <N> <file>  restore a single file from checkpoint N',
    ]);
  });

  it('says that checkpoints are off', async () => {
    const none = { ...LIST, entries: [] };
    const empty = await rollback('', listing(none), { isEnabled: false });
    expect(empty.said).toEqual([expect.stringMatching(/^warning: There are no.*\nCheckpoints are off\./)]);
    const earlier = await rollback('', listing(), { isEnabled: false });
    expect(earlier.said[1]).toMatch(/^warning: Checkpoints are off in this chat: these are earlier ones\./);
    const { store } = restoring(report({ restored: ['a'] }));
    const restored = await rollback('1 a', store, { isEnabled: false });
    expect(restored.said[0]).toMatch(/^warning: Checkpoints are off in this chat/);
    expect(restored.said[1]).toMatch(/^info: Restored/);
  });

  it('shows 80 lines of a difference, and where the rest is', async () => {
    const asked: unknown[] = [];
    const difference: CheckpointDiff = {
      id: ID_1,
      root: '/work/a',
      files: [{ path: 'a', status: 'modified', insertions: 1, deletions: 1, binary: false }],
      holes: [{ path: 'dist', reason: 'ignored' }],
      patch: '--- a/a\n+++ b/a\n',
      isCut: true,
    };
    const diff: CheckpointStore['diff'] = async (...given) => {
      asked.push(given);
      return Promise.resolve(succeed(difference));
    };
    const { said } = await rollback('diff 1 my file.txt', { diff });
    expect(asked).toEqual([['/work/a', '1', { paths: ['my file.txt'], maxLines: 80 }]]);
    expect(said[0]?.split('\n')).toEqual([
      'info: --- a/a',
      '+++ b/a',
      '… the rest is left out; all of it: herma rollback diff 4270a8c',
      '1 path not captured, and never touched by a restore:',
      '  dist (ignored)',
    ]);
  });

  it('hides secrets in a difference, unless told otherwise', async () => {
    const patch = `--- a/a\n+++ b/a\n@@ -0,0 +1 @@\n+token: ghp_${'a1B2'.repeat(9)}\n`;
    const diff: CheckpointStore['diff'] = async () =>
      Promise.resolve(
        succeed({
          id: ID_1,
          root: '/work/a',
          files: [{ path: 'a', status: 'created', insertions: 1, deletions: 0, binary: false }],
          holes: [],
          patch,
          isCut: false,
        }),
      );
    expect((await rollback('diff 1', { diff })).said[0]).toMatch(/\+token: \[redacted /);
    expect((await rollback('diff 1 --raw', { diff })).said[0]).toContain('ghp_');
  });

  it('restores as the lineage in hand, and rewinds the conversation', async () => {
    const { store, asked } = restoring(report({ restored: ['a'], kept: ['b'], safetyId: ID_1 }));
    const owners: unknown[] = [];
    const { said } = await rollback('2', store, {
      rewindTo: async (owner) => {
        owners.push(owner);
        return Promise.resolve({ type: 'rewound', sessionId: 's2', removedMessages: 1 });
      },
    });
    expect(asked).toEqual([
      ['/work/a', { ref: '2' }, { mode: 'agent', includeAmbiguous: false, isDryRun: false, lineage: ['s1'] }],
    ]);
    expect(owners).toEqual([OWNER]);
    expect(said[0]).toContain('To take it back too: /rollback eaf4c1f --all\n');
    expect(said[0]).toContain('/rollback undo takes this back.');
    expect(said[1]).toBe('info: Chat rewound to before that turn (1 message removed).');
  });

  it('warns when the conversation could not be rewound', async () => {
    const { store } = restoring(report({ restored: ['a'] }));
    const { said } = await rollback('2', store, {
      rewindTo: async () =>
        Promise.resolve({ type: 'not_possible', message: 'the checkpoint belongs to another session' }),
    });
    expect(said[1]).toBe('warning: Chat not rewound: the checkpoint belongs to another session');
  });

  it.each(['2 my file.txt', '2 --dry-run', '--call c1'])('does not rewind for %j', async (argument) => {
    const { store, asked } = restoring(report({ restored: ['a'] }));
    const { said, failed } = await rollback(argument, store);
    expect([asked.length, said.length, failed]).toEqual([1, 1, []]);
  });

  it('does not rewind after a restore that failed', async () => {
    const error = { code: 'disk_full', message: 'The disk is full.', remedy: 'Free some space.' };
    const { said, failed } = await rollback('2', restoring(report({ ok: false, error })).store);
    expect([said, failed]).toEqual([[], [error]]);
  });

  it.each([
    [true, 2],
    [false, 1],
  ])('asks before --exact deletes; an answer of %s makes %i calls', async (answer, calls) => {
    const preview = report({ restored: ['mine'], deleted: ['mine'] });
    const { store, asked } = restoring(preview, preview);
    const { said, questions } = await rollback('2 --exact', store, {
      confirm: async () => Promise.resolve(answer),
      rewindTo: async () => Promise.resolve({ type: 'not_possible', message: 'gone' }),
    });
    expect(questions).toEqual(['Delete it?']);
    expect(asked).toHaveLength(calls);
    expect(said[0]).toBe('warning: These were not there at the checkpoint:\n  mine');
    if (!answer) expect(said.slice(1)).toEqual(['info: Nothing was restored.']);
  });

  it('does not ask when --exact would delete nothing, and says when it cannot be done', async () => {
    const { store } = restoring(report({}), report({}));
    const rewindTo: ChatRollbackParts['rewindTo'] = async () =>
      Promise.resolve({ type: 'not_possible', message: 'gone' });
    expect((await rollback('2 --exact', store, { rewindTo })).questions).toEqual([]);
    const error = { code: 'not_scanned', message: 'no scan' };
    const { failed, questions } = await rollback('2 --exact', restoring(report({ ok: false, error })).store);
    expect([failed, questions]).toEqual([[error], []]);
  });

  it('takes the last restore back', async () => {
    const undo: CheckpointStore['undo'] = async () => Promise.resolve(report({ restored: ['a'] }));
    expect((await rollback('undo', { undo })).said[0]).toMatch(/^info: The last restore was taken back:\n/);
  });

  it('says what is wrong with the line, and touches nothing', async () => {
    const { failed, said } = await rollback('0', {});
    expect([said, failed]).toEqual([[], [expect.objectContaining({ code: 'usage' })]]);
    const missing: CheckpointStore['diff'] = async () => Promise.resolve(fail('no_such_checkpoint', 'no 9'));
    expect((await rollback('diff 9', { diff: missing })).failed[0]?.message).toBe('no 9');
  });
});
