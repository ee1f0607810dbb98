import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRedactor } from '../../kernel/redact/index.ts';
import { describeCall } from '../../kernel/tool-call/index.ts';
import { FakeClock, systemClock } from '../../platform/clock/index.ts';
import { randomId } from '../../platform/random/index.ts';
import { CallbackRegistry } from '../../safety/hooks/index.ts';
import { ApprovalStore } from '../approval/approval-store.ts';
import { askGuard } from '../approval/ask-guard.ts';
import { PersonApprover } from '../approval/person-approver.ts';
import { hookAudience } from '../hook-audience.ts';
import { type ForeignDecision, ForeignGate } from './foreign-gate.ts';
import type { ForeignCall, ForeignOutcome } from './foreign-payload.ts';
import { OpenCallStore } from './open-call-store.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'herma-foreign-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SECRET = 'sk-live-1234567890abcdefghij';
const NEVER_ABORTED = new AbortController().signal;

const TOOLS = new Map(
  (['none', 'execute'] as const).map((effect) => {
    const name = effect === 'none' ? 'read_file' : 'terminal';
    const parameters = {
      type: 'object',
      properties: { command: { type: 'string' }, path: { type: 'string' } },
      additionalProperties: false,
    };
    return [name, { name, description: '', parameters, effect, idempotent: true, pathArguments: ['path'] }];
  }),
);

interface Rig {
  readonly gate: ForeignGate;
  readonly callbacks: CallbackRegistry;
  readonly approvals: ApprovalStore;
  readonly clock: FakeClock;
  readonly observed: Record<string, unknown>[];
  readonly before: (more?: Partial<ForeignCall>) => Promise<ForeignDecision>;
  readonly after: (outcome: Partial<ForeignOutcome>) => ReturnType<ForeignGate['after']>;
}

const CALL: ForeignCall = {
  tool: 'terminal',
  args: { command: 'rm -rf d1' },
  sessionId: 's1',
  turnId: 't1',
  callId: 'c1',
  cwd: '/project',
};

function rig({ ask = [], agent = 'foreign' }: { ask?: readonly string[]; agent?: string } = {}): Rig {
  const clock = new FakeClock();
  const callbacks = new CallbackRegistry(clock);
  const redactor = createRedactor({ extraSecrets: [SECRET] });
  const approvals = new ApprovalStore({
    path: join(folder, 'approvals.json'),
    lockPath: join(folder, 'locks', 'approvals'),
    clock: systemClock,
    newId: () => randomId('apr'),
  });
  const observed: Record<string, unknown>[] = [];
  callbacks.register('post_tool_call', { name: 'observer' }, (payload) => {
    observed.push({ ...payload });
  });
  const gate = new ForeignGate({
    gate: {
      catalog: { lookup: (name) => TOOLS.get(name), names: () => [...TOOLS.keys()] },
      guards: () => [...callbacks.guards(), askGuard(ask)],
      audience: hookAudience(callbacks),
      clock,
      newTicketId: () => randomId('tkt'),
    },
    remembered: new PersonApprover({
      yolo: false,
      store: approvals,
      projectOf: (cwd) => cwd,
      describe: describeCall,
      timeoutMs: 1000,
      clock,
      callbacks,
      surface: 'gate',
      onWarning: () => undefined,
    }),
    calls: new OpenCallStore(recordsFolder(), clock),
    callbacks,
    redactor,
    clock,
    agent,
  });
  return {
    gate,
    callbacks,
    approvals,
    clock,
    observed,
    before: async (more = {}) => {
      const decided = await gate.before({ ...CALL, ...more }, NEVER_ABORTED);
      if (!decided.ok) throw new Error(`${decided.code}: ${decided.message}`);
      return decided.value;
    },
    after: async (outcome) =>
      gate.after({ call: { ticket: '' }, status: 'ok', result: 'done', ...outcome }, NEVER_ABORTED),
  };
}

function recordsFolder(): string {
  return join(folder, 'calls');
}

function recordPath(ticket: string): string {
  return join(recordsFolder(), `${ticket}.json`);
}

interface StoredRecord extends Record<string, unknown> {
  readonly call: Record<string, unknown>;
}

function recordOf(ticket: string): StoredRecord {
  const record: StoredRecord = JSON.parse(readFileSync(recordPath(ticket), 'utf8'));
  return record;
}

function records(): string[] {
  try {
    return readdirSync(recordsFolder());
  } catch {
    return [];
  }
}

describe('before', () => {
  it('allows what nobody objects to, and records it before it says so', async () => {
    const { before } = rig({ agent: 'claude' });
    const decision = await before();
    expect(decision).toMatchObject({ decision: 'allow', reason: '', toolInput: CALL.args, warnings: [] });
    expect(recordOf(decision.ticket)).toMatchObject({
      version: 1,
      state: 'running',
      call: {
        tool_name: 'terminal',
        session_id: 's1',
        tool_call_id: 'c1',
        effect: 'execute',
        agent: 'claude',
      },
    });
  });

  it('takes a tool that is not known for one that can do anything', async () => {
    const { before } = rig();
    for (const tool of ['Bash', 'constructor', '__proto__']) {
      const { decision, ticket } = await before({ tool, args: { anything: [1] } });
      expect([decision, recordOf(ticket).call['effect']]).toEqual(['allow', 'external']);
    }
  });

  it('blocks what a hook blocks, tells the observers, and records nothing', async () => {
    const { before, callbacks, observed } = rig();
    callbacks.register('pre_tool_call', { name: 'guard' }, () => ({ action: 'block', message: 'not today' }));
    expect(await before()).toEqual({
      decision: 'block',
      reason: 'guard: not today',
      toolInput: CALL.args,
      ticket: '',
      warnings: [],
    });
    expect(observed).toMatchObject([{ status: 'blocked' }]);
    expect(records()).toEqual([]);
  });

  it('takes a tool that only shares its name with ours as able to do anything', async () => {
    const { before } = rig();
    const { decision, ticket } = await before({ args: { command: 7 } });
    expect(decision).toBe('allow');
    expect(recordOf(ticket)).toMatchObject({
      call: { tool_name: 'terminal', effect: 'external', paths: [] },
    });
  });

  it('gives the arguments as hooks rewrote them', async () => {
    const { before, callbacks } = rig();
    callbacks.register('pre_tool_call', { name: 'rewriter' }, () => ({
      action: 'modify',
      args: { command: 'ls' },
    }));
    const { toolInput, ticket } = await before();
    expect(toolInput).toEqual({ command: 'ls' });
    expect(recordOf(ticket).call['tool_input']).toEqual({ command: 'ls' });
  });

  it('rejects when it is cancelled, and records nothing', async () => {
    const { gate } = rig({ ask: ['*'] });
    const asked = gate.before(CALL, AbortSignal.abort(new Error('enough')));
    await expect(asked).rejects.toThrow('enough');
    expect(records()).toEqual([]);
  });

  it('keeps secrets out of the record and out of the reason, not out of the arguments', async () => {
    const { before, callbacks } = rig({ ask: ['terminal'] });
    const args = { command: `curl -H "Authorization: Bearer ${SECRET}" x` };
    const asked = await before({ args });
    expect(asked.toolInput).toEqual(args);
    expect(readFileSync(recordPath(asked.ticket), 'utf8')).not.toContain(SECRET);
    callbacks.register('pre_tool_call', { name: 'guard' }, () => ({
      action: 'block',
      message: `it holds ${SECRET}`,
    }));
    const { decision, reason } = await before({ args });
    expect([decision, reason.includes(SECRET), reason.startsWith('guard: it holds')]).toEqual([
      'block',
      false,
      true,
    ]);
  });
});

describe('a call that cannot be recorded', () => {
  beforeEach(() => writeFileSync(recordsFolder(), 'a file where the folder goes'));

  it('is blocked when it has an effect', async () => {
    const { before } = rig();
    const { decision, reason, ticket } = await before();
    expect([decision, ticket]).toEqual(['block', '']);
    expect(reason).toMatch(/cannot be recorded does not run: .*calls/);
  });

  it('is blocked instead of asked for when it has an effect', async () => {
    const { before } = rig({ ask: ['terminal'] });
    expect((await before()).decision).toBe('block');
  });

  it('is blocked when its tool is not known', async () => {
    const { before } = rig();
    expect((await before({ tool: 'Read' })).decision).toBe('block');
  });

  it('goes on with a warning, and without a ticket, when it only reads', async () => {
    const { before } = rig();
    const { decision, ticket, warnings } = await before({ tool: 'read_file', args: { path: 'a' } });
    expect([decision, ticket]).toEqual(['allow', '']);
    expect(warnings).toEqual([expect.stringMatching(/^The call goes on unrecorded: .*calls/)]);
  });
});

describe('an ask', () => {
  it('is recorded as a question that its agent may answer itself', async () => {
    const { before, after, observed } = rig({ ask: ['terminal'] });
    const { decision, reason, ticket } = await before();
    expect([decision, reason]).toEqual(['ask', 'approvals.ask names terminal']);
    expect(recordOf(ticket)['state']).toBe('awaiting_approval');
    expect(await after({ call: { ticket } })).toMatchObject({ ok: true });
    expect(observed).toMatchObject([{ status: 'ok', toolName: 'terminal' }]);
  });

  it('is not put for what a person approved here for longer', async () => {
    const { before, approvals } = rig({ ask: ['terminal'] });
    const first = await before();
    const { fingerprint } = recordOf(first.ticket).call;
    const call = { ...CALL, rootSessionId: 's1', fingerprint: String(fingerprint) };
    await approvals.remember({
      call: { ...call, ordinal: 0, effect: 'execute', paths: [], origin: { kind: 'foreign', agent: 'a' } },
      rule: `call:${String(fingerprint)}`,
      project: '/project',
      scope: 'always',
      shown: 'rm',
    });
    expect((await before()).decision).toBe('allow');
    expect((await before({ args: { command: 'rm -rf d2' } })).decision).toBe('ask');
  });

  it('is answered once by its ticket, which gives way to a new one', async () => {
    const { before } = rig({ ask: ['terminal'] });
    const asked = await before();
    const allowed = await before({ approved: asked.ticket });
    expect(allowed).toMatchObject({ decision: 'allow', reason: '', warnings: [] });
    expect(records()).toEqual([`${allowed.ticket}.json`]);
    expect(recordOf(allowed.ticket)['state']).toBe('running');
    const again = await before({ approved: asked.ticket });
    expect(again.decision).toBe('ask');
    expect(again.reason).toContain(`the ticket "${asked.ticket}" approves nothing: it was used or settled`);
  });

  it('is answered for exactly one of many that bring the same ticket at once', async () => {
    const { before } = rig({ ask: ['terminal'] });
    const { ticket } = await before();
    const decisions = await Promise.all(
      Array.from({ length: 12 }, async () => (await before({ approved: ticket })).decision),
    );
    expect(decisions.toSorted()).toEqual(['allow', ...Array.from({ length: 11 }, () => 'ask')]);
  });

  it.each<[string, Partial<ForeignCall>, RegExp]>([
    ['another call', { args: { command: 'rm -rf d2' } }, /belongs to another call/],
    ['another folder', { cwd: '/elsewhere' }, /belongs to another call/],
    ['another tool', { tool: 'Bash' }, /belongs to another call/],
    ['another session', { sessionId: 's2' }, /belongs to another session/],
  ])('is not answered by the ticket of %s, which stays good for its own', async (_title, other, why) => {
    const { before } = rig({ ask: ['*'] });
    const { ticket } = await before();
    const wrong = await before({ ...other, approved: ticket });
    expect([wrong.decision, wrong.reason]).toEqual(['ask', expect.stringMatching(why)]);
    expect((await before({ approved: ticket })).decision).toBe('allow');
  });

  it('is not answered by the ticket of a call that was no question', async () => {
    const { ticket } = await rig().before();
    const { before } = rig({ ask: ['terminal'] });
    const { decision, reason } = await before({ approved: ticket });
    expect([decision, reason]).toEqual([
      'ask',
      expect.stringMatching(/belongs to a call that was no question/),
    ]);
    expect(records()).toContain(`${ticket}.json`);
  });

  it.each([
    ['a word', 'nonsense'],
    ['a ticket nobody gave out', 'tkt_0'],
    ['a path to another file', '../approvals'],
    ['an absolute path', '/etc/passwd'],
    ['an inherited name', '__proto__'],
    ['the folder itself', '.'],
    ['a NUL', '\0'],
    ['a very long text', 'x'.repeat(5000)],
  ])('is not answered by %s', async (_title, approved) => {
    writeFileSync(join(folder, 'approvals.json'), '{}');
    const { before } = rig({ ask: ['terminal'] });
    const { decision, reason } = await before({ approved });
    expect([decision, reason]).toEqual(['ask', expect.stringMatching(/approves nothing: .*never given out/)]);
    expect(reason.length).toBeLessThan(300);
  });

  it('is answered for the arguments as they were rewritten, whichever of the two come back', async () => {
    const { before, callbacks } = rig({ ask: ['terminal'] });
    callbacks.register('pre_tool_call', { name: 'rewriter' }, () => ({
      action: 'modify',
      args: { command: 'ls' },
    }));
    const first = await before();
    expect(await before({ approved: first.ticket })).toMatchObject({ decision: 'allow' });
    const second = await before();
    expect(await before({ approved: second.ticket, args: { command: 'ls' } })).toMatchObject({
      decision: 'allow',
      toolInput: { command: 'ls' },
    });
  });

  it('does not lift a block, which uses the ticket up', async () => {
    const { before, callbacks } = rig({ ask: ['terminal'] });
    const { ticket } = await before();
    const remove = callbacks.register('pre_tool_call', { name: 'guard' }, () => ({
      action: 'block',
      message: 'no',
    }));
    expect((await before({ approved: ticket })).decision).toBe('block');
    remove();
    expect((await before({ approved: ticket })).decision).toBe('ask');
  });

  it('is settled by its ticket when nobody asks any more', async () => {
    const { ticket } = await rig({ ask: ['terminal'] }).before();
    const decision = await rig().before({ approved: ticket });
    expect(decision).toMatchObject({ decision: 'allow', warnings: [] });
    expect(records()).toEqual([`${decision.ticket}.json`]);
  });

  it('says of a ticket that does not fit even when nobody asks', async () => {
    const { decision, warnings } = await rig().before({ approved: 'tkt_gone' });
    expect([decision, warnings]).toEqual(['allow', [expect.stringMatching(/"tkt_gone" approves nothing/)]]);
  });
});

describe('a damaged record', () => {
  const damages: [string, (text: string) => string][] = [
    ['is cut', (text) => text.slice(0, -5)],
    ['is empty', () => ''],
    ['is another version', (text) => text.replace('"version":1', '"version":2')],
    ['has lost its fingerprint', (text) => text.replace('"fingerprint"', '"print"')],
    ['has lost its session', (text) => text.replace('"session_id"', '"session"')],
    ['has an unknown state', (text) => text.replace('awaiting_approval', 'approved')],
    ['is that of another ticket', (text) => text.replace('"ticket":"tkt_', '"ticket":"tkt_x')],
    ['has a damaged owner', (text) => text.replace('"start_time"', '"started"')],
  ];

  it.each(damages)('that %s approves nothing and settles nothing', async (_title, damage) => {
    const { gate, before, after, observed } = rig({ ask: ['terminal'] });
    const { ticket } = await before({ ownerPid: process.pid });
    const path = recordPath(ticket);
    const text = readFileSync(path, 'utf8');
    expect(damage(text)).not.toBe(text);
    writeFileSync(path, damage(text));
    const failure = { ok: false, code: 'corrupt_ticket', remedy: expect.stringContaining(path) };
    expect(await gate.before({ ...CALL, approved: ticket }, NEVER_ABORTED)).toMatchObject(failure);
    expect(await after({ call: { ticket } })).toMatchObject(failure);
    expect(await after({ call: { callId: 'c1', sessionId: 's1' } })).toMatchObject({ code: 'unknown_call' });
    expect([observed, readFileSync(path, 'utf8')]).toEqual([[], damage(text)]);
  });

  it('that cannot be read is a failure', async () => {
    const { gate, before } = rig({ ask: ['terminal'] });
    await before();
    mkdirSync(recordPath('tkt_folder'));
    const decided = await gate.before({ ...CALL, approved: 'tkt_folder' }, NEVER_ABORTED);
    expect(decided).toMatchObject({ ok: false, message: expect.stringMatching(/tkt_folder.*folder/) });
  });
});

describe('the owner of a call', () => {
  it('is the process its caller names', async () => {
    const { before } = rig();
    const { ticket, warnings } = await before({ ownerPid: process.pid });
    expect(recordOf(ticket)['owner']).toMatchObject({ pid: process.pid, boot_id: expect.any(String) });
    expect(warnings).toEqual([]);
  });

  it('is found when nobody names one', async () => {
    const { before } = rig();
    expect(recordOf((await before()).ticket)['owner']).toMatchObject({ pid: expect.any(Number) });
  });

  it('is found, with a warning, when the process that is named is gone', async () => {
    const child = spawn(process.execPath, ['-e', '0']);
    await once(child, 'close');
    const { before } = rig();
    const { ticket, decision, warnings } = await before({ ownerPid: child.pid ?? 0 });
    expect(decision).toBe('allow');
    expect(warnings).toEqual([expect.stringContaining(`"owner_pid" ${String(child.pid)} is no process`)]);
    expect(recordOf(ticket)['owner']).not.toMatchObject({ pid: child.pid });
  });
});

describe('after', () => {
  it('tells the observers how the call ended, once', async () => {
    const { before, after, observed, clock } = rig();
    const { ticket } = await before();
    await clock.advance(1500);
    const outcome = { call: { ticket }, status: 'error', result: 'exit 3', errorType: 'nonzero' } as const;
    expect(await after(outcome)).toEqual({ ok: true, value: { warnings: [] } });
    expect(observed).toMatchObject([
      {
        toolName: 'terminal',
        args: CALL.args,
        status: 'error',
        result: 'exit 3',
        errorType: 'nonzero',
        durationMs: 1500,
      },
    ]);
    expect(records()).toEqual([]);
    expect(await after(outcome)).toMatchObject({
      code: 'unknown_ticket',
      message: expect.stringContaining(ticket),
    });
    expect(observed).toHaveLength(1);
  });

  it('finds the newest open call by its id and session', async () => {
    const { before, after, clock } = rig();
    const first = await before();
    await clock.advance(1000);
    const second = await before();
    await before({ sessionId: 's2' });
    const call = { callId: 'c1', sessionId: 's1' };
    await after({ call });
    expect(records()).not.toContain(`${second.ticket}.json`);
    expect(records()).toContain(`${first.ticket}.json`);
    await after({ call });
    expect(await after({ call })).toMatchObject({
      code: 'unknown_call',
      message: 'There is no open call "c1" in session "s1".',
    });
    expect(records()).toHaveLength(1);
  });

  it('succeeds for one of two that settle the same call at once', async () => {
    const { before, after } = rig();
    const { ticket } = await before();
    const settled = await Promise.all([after({ call: { ticket } }), after({ call: { ticket } })]);
    expect(settled.filter(({ ok }) => ok)).toHaveLength(1);
    expect(settled.find(({ ok }) => !ok)).toMatchObject({ code: 'unknown_ticket' });
  });

  it.each(['', '../approvals', 'tkt_unknown'])('refuses the ticket %j', async (ticket) => {
    const { after } = rig();
    expect(await after({ call: { ticket } })).toMatchObject({ ok: false, code: 'unknown_ticket' });
  });

  it('cuts a result that is too long for anybody', async () => {
    const { before, after, observed } = rig();
    const { ticket } = await before();
    await after({ call: { ticket }, result: 'x'.repeat(1_000_000) });
    expect(String(observed[0]?.['result']).length).toBeLessThan(210_000);
    expect(String(observed[0]?.['result'])).toContain('characters left out');
  });

  it('reports observers that fail', async () => {
    const { before, after, callbacks } = rig();
    callbacks.register('post_tool_call', { name: 'broken' }, () => {
      throw new Error('no disk');
    });
    const { ticket } = await before();
    expect(await after({ call: { ticket } })).toEqual({
      ok: true,
      value: { warnings: ['broken (post_tool_call) failed: no disk'] },
    });
  });
});

describe('context', () => {
  it('is what the hooks want the model to read', async () => {
    const { gate, callbacks } = rig({ agent: 'claude' });
    callbacks.register('pre_llm_call', { name: 'a' }, ({ sessionId, platform }) => ({
      context: `${sessionId} on ${platform}`,
    }));
    callbacks.register('pre_llm_call', { name: 'b' }, () => 'and this');
    callbacks.register('pre_llm_call', { name: 'c' }, () => {
      throw new Error('broken');
    });
    expect(await gate.context('s1', NEVER_ABORTED)).toEqual({
      context: 's1 on claude\n\nand this',
      warnings: ['c (pre_llm_call) failed: broken'],
    });
  });

  it('is empty without hooks', async () => {
    expect(await rig().gate.context('s1', NEVER_ABORTED)).toEqual({ context: '', warnings: [] });
  });
});

describe('many records', () => {
  it('are swept of those whose owner died long ago', async () => {
    const { before, clock } = rig();
    const live = await before({ ownerPid: process.pid });
    const dead = await before({ ownerPid: process.pid });
    const text = readFileSync(recordPath(dead.ticket), 'utf8');
    writeFileSync(recordPath(dead.ticket), text.replace(/"start_time":"\d+"/, '"start_time":"1"'));
    for (let count = 0; count < 500; count += 1) writeFileSync(recordPath(`zzz_${String(count)}`), '{}');
    await before();
    expect(records()).toContain(`${dead.ticket}.json`);
    await clock.advance(25 * 60 * 60 * 1000);
    await before();
    expect(records()).toContain(`${live.ticket}.json`);
    expect(records()).not.toContain(`${dead.ticket}.json`);
  });
});

describe('a call that ends without an id', () => {
  const end = { status: 'ok', result: 'done' } as const;

  it('is found by the name of its tool, and by its arguments first', async () => {
    const { before, after, observed } = rig();
    await before({ callId: 'c1', args: { command: 'one' } });
    await before({ callId: 'c2', args: { command: 'two' } });
    const call = { tool: 'terminal', sessionId: 's1' };
    expect(await after({ ...end, call: { ...call, args: { command: 'two' } } })).toMatchObject({ ok: true });
    expect(await after({ ...end, call })).toMatchObject({ ok: true });
    expect(observed.map(({ toolCallId }) => toolCallId)).toEqual(['c2', 'c1']);
    expect(await after({ ...end, call })).toMatchObject({ ok: false, code: 'unknown_call' });
  });

  it('of another session or tool is not', async () => {
    const { before, after } = rig();
    await before();
    for (const call of [
      { tool: 'terminal', sessionId: 's2' },
      { tool: 'read_file', sessionId: 's1' },
    ])
      expect(await after({ ...end, call })).toMatchObject({ ok: false, code: 'unknown_call' });
  });
});
