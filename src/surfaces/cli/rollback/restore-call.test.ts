import { describe, expect, it } from 'vitest';
import { fail, succeed } from '../../../kernel/errors/index.ts';
import type { RestoreOptions, RestoreReport, RestoreTarget } from '../../../safety/checkpoints/index.ts';
import { fakeStore, ID_1, ID_2, report } from './fake-checkpoints.ts';
import { placesOfCall, restoreCall } from './restore-call.ts';

const ONE = { root: '/one', id: ID_1 };
const TWO = { root: '/two', id: ID_2 };

describe('the places of a call', () => {
  const places = async (
    target: RestoreTarget,
    token: Awaited<ReturnType<Parameters<typeof placesOfCall>[1]['checkpointOf']>>,
    known = [ONE],
  ): ReturnType<typeof placesOfCall> =>
    placesOfCall(target, {
      store: fakeStore({ capturedBy: async () => Promise.resolve(known) }),
      checkpointOf: async () => Promise.resolve(token),
    });

  it('are those of its row in the journal', async () => {
    expect(await places({ callId: '#7' }, succeed('token'))).toEqual(succeed([ONE]));
  });

  it.each([[{ callId: 'call_7' }], [{ ref: '7' }]])(
    'are none for %j, which is no number of one',
    async (target) => {
      const asked = placesOfCall(target, {
        store: fakeStore({}),
        checkpointOf: async () => Promise.reject(new Error('not expected here')),
      });
      expect(await asked).toEqual(succeed(undefined));
    },
  );

  it('are none for a number that the journal does not know', async () => {
    expect(await places({ callId: '7' }, succeed(undefined))).toEqual(succeed(undefined));
  });

  it('are missed where nothing was captured, where it is gone, and where the journal cannot be read', async () => {
    expect(await places({ callId: '7' }, succeed(null))).toMatchObject({ ok: false, code: 'no_checkpoint' });
    expect(await places({ callId: '7' }, succeed('token'), [])).toMatchObject({
      ok: false,
      code: 'no_such_call',
    });
    expect(await places({ callId: '7' }, fail('busy', 'it is locked'))).toMatchObject({
      ok: false,
      code: 'busy',
    });
  });
});

describe('a call that was captured in two projects', () => {
  const restoring = (reports: ReadonlyMap<string, Partial<RestoreReport>>) => {
    const asked: {
      readonly root: string;
      readonly target: RestoreTarget;
      readonly options?: RestoreOptions;
    }[] = [];
    const store = fakeStore({
      restore: async (root, target, options) => {
        asked.push({ root, target, ...(options === undefined ? {} : { options }) });
        return Promise.resolve(report({ root, ...reports.get(root) }));
      },
    });
    return { store, asked };
  };

  it('is taken back in both, and told with whole paths', async () => {
    const { store, asked } = restoring(
      new Map([
        ['/one', { restored: ['a'], deleted: ['a'] }],
        ['/two', { restored: ['b'], kept: ['c'], skipped: [{ path: 'd', reason: 'denied' }] }],
      ]),
    );
    const done = await restoreCall(store, [ONE, TWO], { directory: '/', isDryRun: true });
    expect(asked).toEqual([
      { root: '/one', target: { callOf: ID_1 }, options: { isDryRun: true } },
      { root: '/two', target: { callOf: ID_2 }, options: { isDryRun: true } },
    ]);
    expect(done).toMatchObject({
      ok: true,
      restored: ['/one/a', '/two/b'],
      deleted: ['/one/a'],
      kept: ['/two/c'],
      skipped: [{ path: '/two/d', reason: 'denied' }],
    });
  });

  it('has failed where one of them has', async () => {
    const error = { code: 'locked', message: 'another restore runs' };
    const { store } = restoring(new Map([['/two', { ok: false, error }]]));
    expect(await restoreCall(store, [ONE, TWO], { directory: '/' })).toMatchObject({ ok: false, error });
  });

  it('is taken back only where the files are that are named', async () => {
    const { store, asked } = restoring(new Map());
    await restoreCall(store, [ONE, TWO], { directory: '/two/sub', paths: ['x', '../y', '/two-more/z'] });
    expect(asked).toEqual([
      { root: '/two', target: { callOf: ID_2 }, options: { paths: ['/two/sub/x', '/two/y'] } },
    ]);
    expect(await restoreCall(store, [ONE, TWO], { directory: '/three', paths: ['x'] })).toMatchObject({
      ok: false,
      error: { code: 'no_such_path' },
    });
  });
});
