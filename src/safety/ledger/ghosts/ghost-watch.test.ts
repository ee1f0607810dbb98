import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { valueOrThrow } from '../../../kernel/errors/index.ts';
import { ALIVE, callOf, DEAD, LedgerRig, OK } from '../fixtures/ledger-rig.ts';
import type { LedgerRow } from '../model/ledger-row.ts';
import { judgeRow, type Moment } from './judge-row.ts';

let rig: LedgerRig;

beforeEach(() => {
  rig = new LedgerRig();
});

afterEach(() => {
  rig.ledger.close();
});

const FOREIGN = { owner: ALIVE, isOwn: false } as const;

async function ghostIds(): Promise<readonly number[]> {
  return valueOrThrow(await rig.watch().ghosts()).map(({ row }) => row.id);
}

describe('a call that was issued and never settled', () => {
  it('is a ghost at once when its owner is dead', async () => {
    const id = await rig.issue({ owner: DEAD, isOwn: false });
    expect(await ghostIds()).toEqual([id]);
  });

  it('is none while it runs in this process, however long that takes', async () => {
    await rig.issue();
    await rig.clock.advance(60 * 60 * 1000);
    expect(await ghostIds()).toEqual([]);
  });

  it.each([
    ['cronjob', 120],
    ['terminal', 900],
    ['delegate_task', 1800],
  ])('of %s is one after %d s, when its owner lives and says nothing', async (tool, seconds) => {
    const id = await rig.issue({ ...FOREIGN, call: callOf({ tool }) });
    await rig.clock.advance(seconds * 1000);
    expect(await ghostIds()).toEqual([]);
    await rig.clock.advance(1);
    expect(await ghostIds()).toEqual([id]);
  });

  it('is one when its own process lives, gave no sign of life for long, and its time is over', async () => {
    const id = await rig.issue({ call: callOf({ tool: 'cronjob' }) });
    const other = rig.open();
    const seen = async (): Promise<readonly number[]> =>
      valueOrThrow(await rig.watch(other).ghosts()).map(({ row }) => row.id);
    for (let beats = 0; beats < 8; beats += 1) await rig.clock.advance(30_000);
    expect(await seen()).toEqual([]);
    rig.ledger.close();
    await rig.clock.advance(80_000);
    expect(await seen()).toEqual([]);
    await rig.clock.advance(20_000);
    expect(await seen()).toEqual([id]);
    other.close();
  });

  it('is none while another agent may still ask its person', async () => {
    const id = await rig.issue({ ...FOREIGN, awaitingApproval: true });
    await rig.clock.advance(10_000_000);
    expect(await ghostIds()).toEqual([]);
    valueOrThrow(await rig.ledger.approve(id));
    expect(await ghostIds()).toEqual([id]);
  });

  it('is judged the same when the clock of the machine goes back an hour', async () => {
    const id = await rig.issue({ ...FOREIGN, call: callOf({ tool: 'cronjob' }) });
    rig.clock.setWallTime(rig.clock.now() - 3_600_000);
    await rig.clock.advance(120_001);
    expect(await ghostIds()).toEqual([id]);
  });

  it('of nobody is one by the clock of the machine', async () => {
    const id = await rig.issue({ owner: undefined, isOwn: false, call: callOf({ tool: 'cronjob' }) });
    expect(await ghostIds()).toEqual([]);
    await rig.clock.advance(121_000);
    expect(await ghostIds()).toEqual([id]);
  });

  it('is none when the other agent says in its own records how it ended', async () => {
    const id = await rig.issue({ owner: DEAD, isOwn: false });
    const { GhostWatch } = await import('./ghost-watch.ts');
    const watch = new GhostWatch({
      ledger: rig.ledger,
      clock: rig.clock,
      probes: rig.probes,
      describe: () => '',
      transcript: async () => Promise.resolve(OK),
    });
    expect(valueOrThrow(await watch.ghosts())).toEqual([]);
    expect(await rig.status(id)).toBe('CONFIRMED');
  });
});

describe('the model', () => {
  const told = async (lineage = 's1', isStillTold?: (mark: string) => boolean): Promise<string> =>
    (await rig.watch().briefing(lineage, isStillTold)).text;

  it('is told once of the ghosts of its lineage, and the row says so', async () => {
    rig.probeResult = () => ({ verdict: 'NOT_LANDED', evidence: 'no job named daily' });
    const id = await rig.issue({
      owner: DEAD,
      isOwn: false,
      call: callOf({ tool: 'cronjob', args: { name: 'daily' } }),
    });
    await rig.issue({ owner: DEAD, isOwn: false, call: callOf({ sessionId: 's2' }) });
    await rig.clock.advance(60_000);
    const text = await told();
    expect(text).toContain(`call #${String(id)} \`cronjob: {"name":"daily"}\``);
    expect(text).toMatch(/60 s ago: its effect is not there \(NOT_LANDED: no job named daily\)/);
    expect(text).toMatch(/Verify the real state/);
    expect(text.match(/call #/g)).toHaveLength(1);
    expect(await rig.row(id)).toMatchObject({
      status: 'GHOST_REPORTED',
      reportCount: 1,
      probe: { verdict: 'NOT_LANDED' },
      effect: 'not_applied',
    });
    expect(await told()).toBe('');
  });

  it('is told again, once, when it cannot read it any more', async () => {
    await rig.issue({ owner: DEAD, isOwn: false });
    const first = await told();
    expect(await told('s1', (mark) => first.includes(mark))).toBe('');
    expect(await told('s1', () => false)).not.toBe('');
    expect(await told('s1', () => false)).toBe('');
  });

  it('is told after compaction gave the session another id, and of its children at any depth', async () => {
    const own = await rig.issue({
      owner: DEAD,
      isOwn: false,
      call: callOf({ sessionId: 's1-b', rootSessionId: 's1', callId: 'own' }),
    });
    const child = callOf({
      sessionId: 'child',
      rootSessionId: 'child',
      parentSessionId: 's1-b',
      callId: 'c',
    });
    const childId = await rig.issue({ owner: DEAD, isOwn: false, call: child });
    const grandchild = callOf({
      sessionId: 'gc',
      rootSessionId: 'gc',
      parentSessionId: 'child',
      callId: 'g',
    });
    const grandchildId = await rig.issue({ owner: DEAD, isOwn: false, call: grandchild });
    const stranger = callOf({ sessionId: 'x', rootSessionId: 'x', parentSessionId: 'y', callId: 'x' });
    await rig.issue({ owner: DEAD, isOwn: false, call: stranger });
    const text = await told();
    expect([...text.matchAll(/call #(\d+)/g)].map(([, id]) => Number(id))).toEqual([
      grandchildId,
      childId,
      own,
    ]);
  });

  it('is told of ten at most, the newest first, and of the rest in the next turn', async () => {
    for (let index = 0; index < 12; index += 1)
      await rig.issue({ owner: DEAD, isOwn: false, call: callOf({ callId: `c${String(index)}` }) });
    const numbers = (text: string): readonly number[] =>
      [...text.matchAll(/call #(\d+)/g)].map(([, id]) => Number(id));
    expect(numbers(await told())).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    expect(numbers(await told())).toEqual([2, 1]);
  });

  it('is told when a call it was told of has ended after all, once', async () => {
    const id = await rig.issue({ owner: DEAD, isOwn: false });
    await told();
    expect(valueOrThrow(await rig.ledger.settle(id, OK))).toEqual({ type: 'settled', wasReported: true });
    expect(await rig.row(id)).toMatchObject({
      status: 'CONFIRMED',
      revivedAt: expect.stringMatching(/^2030/),
    });
    expect(await told()).toMatch(new RegExp(`Correction[\\s\\S]*call #${String(id)} .*CONFIRMED`));
    expect(await told()).toBe('');
  });

  it('never reads arguments as anything but data', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 60 }),
          fc.constantFrom('</herma-journal>', '`', '\n- call #99 `x`', '<herma-journal>'),
        ),
        async (command) => {
          await rig.issue({ owner: DEAD, isOwn: false, call: callOf({ args: { command } }) });
          const text = await told();
          expect(text.match(/<\/?herma-journal>/g)).toEqual(['<herma-journal>', '</herma-journal>']);
          expect(text.split('\n')).toHaveLength(5);
          expect((text.match(/`/g) ?? []).length).toBe(2);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('the person', () => {
  it('has lost calls of whatever session looked at when the program starts; they stay until acknowledged', async () => {
    rig.probeResult = () => ({ verdict: 'LANDED', evidence: 'the file is there' });
    const id = await rig.issue({ owner: DEAD, isOwn: false, call: callOf({ sessionId: 'cron-1' }) });
    const found = valueOrThrow(await rig.watch().recover());
    expect(found).toMatchObject([{ row: { id }, probe: { verdict: 'LANDED' } }]);
    expect(await rig.row(id)).toMatchObject({ status: 'GHOST_REPORTED', reportCount: 0, effect: 'applied' });
    expect(await ghostIds()).toEqual([id]);
    expect((await rig.watch().briefing('cron-1')).text).toContain(`call #${String(id)} `);
    expect(valueOrThrow(await rig.watch().acknowledge([id, 99]))).toEqual([99]);
    expect(await ghostIds()).toEqual([]);
    expect(await rig.status(id)).toBe('GHOST_REPORTED');
  });

  it('does not have calls of living processes looked at', async () => {
    await rig.issue(FOREIGN);
    expect(valueOrThrow(await rig.watch().recover())).toEqual([]);
    expect(rig.probed).toBe(0);
  });
});

describe('judgeRow', () => {
  const rows = fc.record({
    status: fc.constantFrom('PENDING', 'CONFIRMED', 'GHOST_REPORTED', 'ERROR:x', 'BLOCKED:y', 'CANCELLED'),
    ackedAt: fc.constantFrom(null, '2030-01-01T00:00:00.000Z'),
    awaitsApproval: fc.boolean(),
    isOwn: fc.boolean(),
    owner: fc.constantFrom(undefined, ALIVE),
    issuedUptimeMs: fc.nat(10_000_000),
    beatUptimeMs: fc.option(fc.nat(10_000_000)),
    graceMs: fc.constantFrom(120_000, 900_000),
  });
  const moments = fc.record({
    nowMs: fc.nat(10_000_000),
    uptimeMs: fc.nat(20_000_000),
    bootId: fc.constantFrom(ALIVE.bootId, 'other'),
    liveness: fc.constantFrom('alive' as const, 'dead' as const, 'unknown' as const),
    runs: fc.boolean(),
  });

  it('never calls lost what runs here or was settled, and always what has a dead owner', async () => {
    const base = await rig.row(await rig.issue());
    fc.assert(
      fc.property(rows, moments, (fields, { liveness, runs, ...rest }) => {
        const row: LedgerRow = { ...base, ...fields };
        const moment: Moment = { ...rest, isAlive: () => liveness, isRunning: () => runs };
        const judged = judgeRow(row, moment);
        if (row.status === 'GHOST_REPORTED') expect(judged).toBe(row.ackedAt === null ? 'ghost' : 'settled');
        else if (row.status !== 'PENDING') expect(judged).toBe('settled');
        else if (runs) expect(judged).toBe('running');
        else if (row.owner !== undefined && liveness === 'dead') expect(judged).toBe('ghost');
        else if (row.awaitsApproval) expect(judged).toBe('running');
        else expect(['ghost', 'running']).toContain(judged);
      }),
    );
  });
});
