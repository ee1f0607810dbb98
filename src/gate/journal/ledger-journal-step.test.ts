import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { valueOrThrow } from '../../kernel/errors/index.ts';
import type { JsonObject } from '../../kernel/json/index.ts';
import { createRedactor } from '../../kernel/redact/index.ts';
import type { ToolDeclaration } from '../../kernel/tool-call/index.ts';
import type { Verdict } from '../../kernel/verdict/index.ts';
import { FakeClock } from '../../platform/clock/index.ts';
import { type Ledger, openLedger } from '../../safety/ledger/index.ts';
import {
  type CallReport,
  type CallRequest,
  Gate,
  ledgerJournalStep,
  performCall,
  type Tool,
  type ToolOutcome,
} from '../index.ts';

const declared = (name: string, more: Partial<ToolDeclaration>): ToolDeclaration => ({
  name,
  description: '',
  parameters: { type: 'object' },
  effect: 'external',
  idempotent: false,
  pathArguments: [],
  ...more,
});

const TOOLS = [
  declared('read_file', { effect: 'none', idempotent: true }),
  declared('write_file', { effect: 'write', idempotent: true }),
  declared('terminal', {
    effect: 'execute',
    effectOf: ({ command }) => (command === 'ls' ? 'none' : 'execute'),
  }),
  declared('mcp__vm__list', { effect: 'none' }),
  declared('mcp__vm__snapshot', {}),
  declared('process', {
    effect: 'execute',
    effectOf: ({ action }) => (action === 'list' ? 'none' : 'execute'),
  }),
];

const DONE: ToolOutcome = { status: 'ok', result: 'done' };
const LOST: ToolOutcome = { status: 'error', errorType: 'timeout', message: 'no answer' };
const ABSTAIN: Verdict = { type: 'abstain' };

interface RigOptions {
  readonly onFailure?: 'block' | 'warn';
  readonly retryLimit?: number;
  readonly verdict?: Verdict;
  /** What a guard makes of the arguments. */
  readonly rewritten?: JsonObject;
  readonly outcome?: ToolOutcome;
  readonly approve?: 'approved' | 'refused' | 'deferred';
  readonly observe?: () => Promise<readonly string[]>;
  /** Runs between the journal and the tool. */
  readonly beforeTicket?: () => void;
}

let folder: string;
let path: string;
let opened: Ledger[];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'journal-step-')));
  path = join(folder, 'agent-ledger', 'ledger.db');
  opened = [];
});

afterEach(() => {
  for (const ledger of opened) ledger.close();
  chmodSync(dirname(path), 0o700);
  rmSync(folder, { recursive: true });
});

interface Rig {
  readonly ledger: Ledger;
  /** The tools that ran, with their arguments. */
  readonly ran: unknown[];
  readonly clock: FakeClock;
  readonly gate: Gate;
  readonly request: (tool: string, args?: JsonObject, more?: Partial<CallRequest>) => CallRequest;
  readonly call: (tool: string, args?: JsonObject, signal?: AbortSignal) => Promise<CallReport>;
}

function rig(options: RigOptions = {}): Rig {
  const { onFailure = 'block', retryLimit = 3, verdict = ABSTAIN, rewritten, outcome = DONE } = options;
  const { approve = 'approved', observe = async () => Promise.resolve([]), beforeTicket } = options;
  const clock = new FakeClock();
  const ran: unknown[] = [];
  const ledger = openLedger({
    path,
    clock,
    redactor: createRedactor(),
    patienceMs: 0,
    onDamage: () => undefined,
  });
  opened.push(ledger);
  const tools = new Map(
    TOOLS.map((declaration): [string, Tool] => [
      declaration.name,
      {
        ...declaration,
        execute: async ({ call }) => {
          ran.push([call.tool, call.args]);
          return Promise.resolve(outcome);
        },
      },
    ]),
  );
  const journal = ledgerJournalStep({
    ledger,
    foresee: async () => Promise.resolve(undefined),
    classOf: async ({ tool }) => Promise.resolve(tool === 'terminal' ? 'shell' : undefined),
    isRepeatable: async ({ tool, args }) =>
      Promise.resolve(tools.get(tool)?.idempotent === true || args['command'] === 'ls'),
    onFailure,
    retryLimit,
    graceMsOf: () => 120_000,
  });
  let ordinal = 0;
  const gate = new Gate({
    catalog: { lookup: (name) => tools.get(name), names: () => [...tools.keys()] },
    unknownTools: 'external',
    guards: () => [
      {
        name: 'guard',
        onFailure: 'block',
        timeLimitMs: 1000,
        recheck: false,
        consult: async () =>
          Promise.resolve({ verdict, ...(rewritten === undefined ? {} : { args: rewritten }) }),
      },
    ],
    approver: {
      decide: async () =>
        Promise.resolve(
          approve === 'approved'
            ? { type: 'approved', choice: 'once', remembered: false }
            : approve === 'deferred'
              ? { type: 'deferred' }
              : { type: 'refused', choice: 'deny', message: 'no' },
        ),
    },
    journal,
    audience: {
      observe,
      transform: async ({ result }) => Promise.resolve({ text: result, warnings: [] }),
    },
    clock,
    newTicketId: () => {
      beforeTicket?.();
      return 'ticket';
    },
  });
  const request: Rig['request'] = (tool, args = {}, more = {}) => ({
    callId: 'c1',
    sessionId: 's1',
    rootSessionId: 's1',
    turnId: 't1',
    ordinal: (ordinal += 1),
    tool,
    args,
    cwd: '/p',
    origin: { kind: 'herma', surface: 'test' },
    ...more,
  });
  const call: Rig['call'] = async (tool, args = {}, signal = new AbortController().signal) =>
    performCall(request(tool, args), { gate, toolOf: (name) => tools.get(name), clock, signal });
  return { ledger, ran, clock, gate, request, call };
}

interface Stored {
  readonly tool_name: string;
  readonly status: string;
  readonly effect: string;
  readonly args_json: string;
  readonly verdicts_json: string | null;
  readonly awaiting_approval: number;
}

function rows(): readonly Stored[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare('SELECT * FROM ledger ORDER BY id').all() as unknown as readonly Stored[];
  } finally {
    database.close();
  }
}

describe('a call is journalled', () => {
  it.each([
    ['write_file', {}, true],
    ['terminal', { command: 'make' }, true],
    ['terminal', { command: 'ls' }, true],
    ['mcp__vm__list', {}, true],
    ['mcp__vm__snapshot', {}, true],
    ['nobody_declared_it', {}, true],
    ['process', { action: 'kill' }, true],
    ['process', { action: 'list' }, false],
    ['read_file', {}, false],
  ] as const)('%s %j: %s', async (tool, args, isRecorded) => {
    const { call, ledger } = rig();
    await call(tool, args);
    valueOrThrow(await ledger.head());
    expect(rows().map(({ tool_name: name }) => name)).toEqual(isRecorded ? [tool] : []);
  });

  it('with the arguments it runs with, and what guards and the person said', async () => {
    const { call, ran } = rig({
      rewritten: { path: 'b' },
      verdict: { type: 'ask', message: 'may it?' },
    });
    await call('write_file', { path: 'a' });
    expect(ran).toEqual([['write_file', { path: 'b' }]]);
    expect(rows()).toMatchObject([{ status: 'CONFIRMED', effect: 'applied', args_json: '{"path":"b"}' }]);
    expect(JSON.parse(rows()[0]?.verdicts_json ?? '')).toEqual(
      expect.arrayContaining([
        { by: 'guard', verdict: 'ask' },
        { by: 'approval', verdict: expect.stringMatching(/^approved/) },
      ]),
    );
  });

  it('before it runs: the row is on the disk when the tool begins', async () => {
    let seen: readonly Stored[] = [];
    const { gate, request } = rig();
    await performCall(request('mcp__vm__snapshot'), {
      gate,
      toolOf: () => ({
        ...declared('mcp__vm__snapshot', {}),
        execute: async () => {
          seen = rows();
          return Promise.resolve(DONE);
        },
      }),
      clock: new FakeClock(),
      signal: new AbortController().signal,
    });
    expect(seen).toMatchObject([{ status: 'PENDING', effect: 'unknown' }]);
    expect(rows()).toMatchObject([{ status: 'CONFIRMED' }]);
  });

  it('when it was stopped, whatever it is, already settled: no ghost', async () => {
    const blocked = rig({ verdict: { type: 'block', message: 'not here' } });
    expect(await blocked.call('read_file', { path: '/etc/shadow' })).toMatchObject({ status: 'blocked' });
    expect(await blocked.call('write_file')).toMatchObject({ status: 'blocked' });
    const denied = rig({ verdict: { type: 'ask', message: 'may it?' }, approve: 'refused' });
    expect(await denied.call('terminal', { command: 'make' })).toMatchObject({ status: 'blocked' });
    expect(rows().map(({ status, effect }) => [status, effect])).toEqual([
      ['BLOCKED:guard', 'not_applied'],
      ['BLOCKED:guard', 'not_applied'],
      ['BLOCKED:approval', 'not_applied'],
    ]);
  });

  it('as cancelled when it is aborted between the journal and the tool', async () => {
    const stop = new AbortController();
    const { call, ran, ledger } = rig({ verdict: { type: 'ask', message: 'may it?' } });
    const issue = ledger.issue.bind(ledger);
    ledger.issue = async (intent) => {
      const issued = await issue(intent);
      stop.abort();
      return issued;
    };
    expect(await call('mcp__vm__snapshot', {}, stop.signal)).toMatchObject({ status: 'cancelled' });
    expect(ran).toEqual([]);
    expect(rows()).toMatchObject([{ status: 'CANCELLED', effect: 'not_applied' }]);
  });

  it('as cancelled before the journal, unless it only reads', async () => {
    const stop = new AbortController();
    stop.abort();
    const { call } = rig();
    await call('write_file', {}, stop.signal);
    await call('read_file', {}, stop.signal);
    expect(rows()).toMatchObject([{ tool_name: 'write_file', status: 'CANCELLED', effect: 'not_applied' }]);
  });
});

describe('an observer', () => {
  it('that fails does not keep a call from being settled', async () => {
    const { call } = rig({ observe: async () => Promise.resolve(['an observer failed']) });
    expect((await call('write_file')).warnings).toEqual(['an observer failed']);
    expect(rows()).toMatchObject([{ status: 'CONFIRMED' }]);
  });

  it('that is slow is waited for, and the row is open until then', async () => {
    let open: () => void = () => undefined;
    const isHeld = new Promise<void>((resolve) => {
      open = resolve;
    });
    let isAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const { call } = rig({
      observe: async () => {
        isAsked();
        await isHeld;
        return [];
      },
    });
    const called = call('write_file');
    await asked;
    expect(rows()).toMatchObject([{ status: 'PENDING' }]);
    open();
    await called;
    expect(rows()).toMatchObject([{ status: 'CONFIRMED', effect: 'applied' }]);
  });
});

/** What keeps the journal from being written; gives back what ends that. */
const OBSTACLES: Readonly<Record<string, () => () => void>> = {
  'another process holds it': () => {
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    return () => other.close();
  },
  'its folder is a file': () => {
    rmSync(dirname(path), { recursive: true, force: true });
    const other = new DatabaseSync(join(folder, 'agent-ledger'));
    other.exec('CREATE TABLE x (y)');
    other.close();
    return () => {
      rmSync(dirname(path));
      mkdirSync(dirname(path));
    };
  },
  'it is of a later version': () => {
    const other = new DatabaseSync(path);
    other.exec('PRAGMA user_version = 99');
    other.close();
    return () => undefined;
  },
};

describe.each(Object.entries(OBSTACLES))('when the journal cannot be written (%s)', (_, obstruct) => {
  it.each([
    ['write_file', 'block', 'blocked'],
    ['mcp__vm__snapshot', 'block', 'blocked'],
    ['write_file', 'warn', 'ok'],
    ['mcp__vm__list', 'block', 'ok'],
    ['terminal', 'block', 'ok'],
    ['read_file', 'block', 'ok'],
  ] as const)('a call of %s with on_failure: %s is %s', async (tool, onFailure, status) => {
    const first = rig();
    await first.call('write_file', { path: 'first' });
    first.ledger.close();
    const release = obstruct();
    const { call, ran } = rig({ onFailure });
    const report = await call(tool, tool === 'terminal' ? { command: 'ls' } : {});
    expect(report.status).toBe(status);
    expect(ran).toHaveLength(status === 'ok' ? 1 : 0);
    if (status === 'blocked') expect(report.text).toMatch(/^BLOCKED by journal: .*cannot be journalled/);
    else if (tool !== 'read_file') expect(report.warnings.join()).toContain('is not in the journal');
    else expect(report.warnings).toEqual([]);
    release();
  });
});

describe('a call that ends while the journal is held', () => {
  it('is not held up, and its end is written by the next call', async () => {
    let other: DatabaseSync | undefined;
    const held = rig({
      observe: async () => {
        other = new DatabaseSync(path);
        other.exec('BEGIN IMMEDIATE');
        return Promise.resolve([]);
      },
    });
    const { status, warnings } = await held.call('write_file', { path: 'a' });
    expect([status, warnings.join()]).toEqual(['ok', expect.stringContaining('journalled later')]);
    expect(rows()).toMatchObject([{ status: 'PENDING' }]);
    other?.close();
    await rig().call('write_file', { path: 'b' });
    expect(rows().map(({ status: each }) => each)).toEqual(['CONFIRMED', 'CONFIRMED']);
  });

  it('while it was stopped, its row is written by the next call', async () => {
    await rig().call('write_file', { path: 'a' });
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    expect(await rig().call('write_file', { path: 'b' })).toMatchObject({ by: 'journal' });
    other.close();
    await rig().call('write_file', { path: 'c' });
    expect(rows().map(({ status, args_json: args }) => [status, args])).toEqual([
      ['CONFIRMED', '{"path":"a"}'],
      ['BLOCKED:journal', '{"path":"b"}'],
      ['CONFIRMED', '{"path":"c"}'],
    ]);
  });
});

describe('the breaker', () => {
  const statuses = async (call: Rig['call'], tool: string, args: JsonObject = {}): Promise<string[]> => {
    const seen: string[] = [];
    for (let round = 0; round < 4; round += 1) seen.push((await call(tool, args)).status);
    return seen;
  };

  it('stops the third equal call when nobody knows what the first two did, and says why', async () => {
    const { call, ran } = rig({ outcome: LOST });
    expect(await statuses(call, 'mcp__vm__snapshot', { vm: 'a' })).toEqual([
      'error',
      'error',
      'blocked',
      'blocked',
    ]);
    expect(ran).toHaveLength(2);
    const stopped = await call('mcp__vm__snapshot', { vm: 'a' });
    expect(stopped.text).toMatch(/BLOCKED by journal: this is equal call number 3, and nobody knows/);
    expect(stopped.text).toMatch(/Look at the real state first.*herma ledger ack.*ledger\.retry_limit \(3\)/);
    expect(rows().map(({ status }) => status)).toEqual([
      'ERROR:timeout',
      'ERROR:timeout',
      'BLOCKED:journal',
      'BLOCKED:journal',
      'BLOCKED:journal',
    ]);
    expect(await call('mcp__vm__snapshot', { vm: 'b' })).toMatchObject({ status: 'error' });
  });

  it.each([
    ['is off with retry_limit 0', 'mcp__vm__snapshot', {}, { retryLimit: 0, outcome: LOST }],
    ['knows the effect of calls that were answered', 'mcp__vm__snapshot', {}, { outcome: DONE }],
    ['lets tools go on that do no harm when repeated', 'write_file', {}, { outcome: LOST }],
    ['lets commands go on that only read', 'terminal', { command: 'ls' }, { outcome: LOST }],
  ] as const)('%s', async (_, tool, args, options) => {
    const { call } = rig(options);
    expect(await statuses(call, tool, args)).not.toContain('blocked');
  });

  it('stops the first repetition when told to', async () => {
    const { call } = rig({ outcome: LOST, retryLimit: 2 });
    expect(await statuses(call, 'mcp__vm__snapshot')).toEqual(['error', 'blocked', 'blocked', 'blocked']);
  });
});

describe('a question that another agent puts to its person', () => {
  const foreign = { origin: { kind: 'foreign', agent: 'other' } } as const;
  const { signal } = new AbortController();

  it('is one row, which waits, goes on when the person approved, and is settled', async () => {
    const asking = rig({ verdict: { type: 'ask', message: 'may it?' }, approve: 'deferred' });
    const asked = await asking.gate.before(asking.request('mcp__vm__snapshot', {}, foreign), signal);
    expect(asked.type).toBe('asked');
    if (asked.type !== 'asked') return;
    expect(rows()).toMatchObject([{ status: 'PENDING', awaiting_approval: 1 }]);
    const earlier = { fingerprint: asked.ticket.call.fingerprint, entry: asked.ticket.entry };

    const again = await asking.gate.before(asking.request('mcp__vm__snapshot', {}, foreign), signal, {
      earlier,
    });
    expect(again).toMatchObject({ type: 'asked', ticket: { entry: earlier.entry } });
    expect(rows()).toMatchObject([{ status: 'PENDING', awaiting_approval: 1 }]);

    const approving = rig({ verdict: { type: 'ask', message: 'may it?' } });
    const admitted = await approving.gate.before(
      approving.request('mcp__vm__snapshot', {}, foreign),
      signal,
      { earlier },
    );
    expect(admitted).toMatchObject({ type: 'admitted', ticket: { entry: earlier.entry } });
    expect(rows()).toMatchObject([{ status: 'PENDING', awaiting_approval: 0 }]);

    const { call } = asked.ticket;
    await approving.gate.after(
      { call, status: 'ok', result: 'made', durationMs: 1, entry: earlier.entry },
      signal,
    );
    expect(rows()).toMatchObject([{ status: 'CONFIRMED' }]);
  });

  it('that is refused the second time is withdrawn in its row', async () => {
    const asking = rig({ verdict: { type: 'ask', message: 'may it?' }, approve: 'deferred' });
    const asked = await asking.gate.before(asking.request('mcp__vm__snapshot', {}, foreign), signal);
    if (asked.type !== 'asked') throw new Error(asked.type);
    const refusing = rig({ verdict: { type: 'ask', message: 'may it?' }, approve: 'refused' });
    const earlier = { fingerprint: asked.ticket.call.fingerprint, entry: asked.ticket.entry };
    await refusing.gate.before(refusing.request('mcp__vm__snapshot', {}, foreign), signal, { earlier });
    expect(rows()).toMatchObject([
      { status: 'BLOCKED:approval', effect: 'not_applied', awaiting_approval: 0 },
    ]);
  });
});
