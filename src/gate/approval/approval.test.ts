import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeCall, fingerprintOfCall, type ToolCall } from '../../kernel/tool-call/index.ts';
import { FakeClock, systemClock } from '../../platform/clock/index.ts';
import { CallbackRegistry } from '../../safety/hooks/index.ts';
import { ApprovalStore } from './approval-store.ts';
import type { ApprovalRequest } from './approver.ts';
import { askGuard } from './ask-guard.ts';
import { type ApprovalPrompt, PersonApprover } from './person-approver.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'herma-approvals-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function callOf(more: Partial<ToolCall> = {}): ToolCall {
  const call = {
    tool: 'terminal',
    args: { command: 'rm -rf d2' },
    cwd: '/project',
    effect: 'execute' as const,
    paths: [],
    callId: 'c1',
    sessionId: 's1',
    rootSessionId: 's1',
    turnId: 't1',
    ordinal: 0,
    origin: { kind: 'herma' as const, surface: 'test' },
    ...more,
  };
  return { ...call, fingerprint: fingerprintOfCall(call) };
}

function store(): ApprovalStore {
  let count = 0;
  return new ApprovalStore({
    path: join(folder, 'approvals.json'),
    lockPath: join(folder, 'locks', 'approvals'),
    clock: systemClock,
    newId: () => {
      count += 1;
      return `apr_${String(count)}`;
    },
  });
}

interface Setup {
  readonly approver: PersonApprover;
  readonly asked: ApprovalRequest[];
  readonly warnings: string[];
  readonly clock: FakeClock;
  readonly callbacks: CallbackRegistry;
}

function setup(
  prompt: ApprovalPrompt | 'nobody',
  options: {
    readonly yolo?: boolean;
    readonly store?: ApprovalStore;
    readonly describe?: (call: ToolCall) => string;
  } = {},
): Setup {
  const asked: ApprovalRequest[] = [];
  const warnings: string[] = [];
  const clock = new FakeClock();
  const callbacks = new CallbackRegistry(clock);
  const approver = new PersonApprover({
    ...(prompt === 'nobody'
      ? {}
      : {
          prompt: async (request, signal) => {
            asked.push(request);
            return prompt(request, signal);
          },
        }),
    yolo: options.yolo ?? false,
    store: options.store ?? store(),
    projectOf: () => '/project',
    describe: options.describe ?? describeCall,
    timeoutMs: 300_000,
    clock,
    callbacks,
    surface: 'cli',
    onWarning: (text) => warnings.push(text),
  });
  return { approver, asked, warnings, clock, callbacks };
}

const signal = new AbortController().signal;
const request = (call: ToolCall = callOf(), ruleKey?: string): ApprovalRequest => ({
  call,
  by: 'rule',
  message: 'deletes recursively',
  ...(ruleKey === undefined ? {} : { ruleKey }),
});

describe('PersonApprover', () => {
  it('asks again after "once"', async () => {
    const { approver, asked } = setup(async () => Promise.resolve('once'));
    expect(await approver.decide(request(), signal)).toMatchObject({ type: 'approved', choice: 'once' });
    await approver.decide(request(), signal);
    expect(asked.length).toBe(2);
  });

  it('describes a call for the observers of the question, and not when there are none', async () => {
    const described: string[] = [];
    const describe = (call: ToolCall): string => {
      described.push(call.callId);
      return describeCall(call);
    };
    const { approver, callbacks } = setup(async () => Promise.resolve('once'), { describe });
    await approver.decide(request(), signal);
    expect(described).toEqual([]);
    callbacks.register('post_approval_response', { name: 'a' }, () => undefined);
    await approver.decide(request(), signal);
    expect(described).toEqual(['c1']);
  });

  it('remembers "session" for the lineage of the session and nobody else', async () => {
    const shared = store();
    const { approver, asked } = setup(async () => Promise.resolve('session'), { store: shared });
    await approver.decide(request(), signal);
    const continued = callOf({ sessionId: 's1-after-compression', rootSessionId: 's1' });
    expect(await approver.decide(request(continued), signal)).toMatchObject({
      type: 'approved',
      remembered: true,
    });
    expect(asked.length).toBe(1);
    await approver.decide(request(callOf({ sessionId: 's2', rootSessionId: 's2' })), signal);
    expect(asked.length).toBe(2);
  });

  it('remembers "always" for exactly the approved command, in later processes too', async () => {
    await setup(async () => Promise.resolve('always')).approver.decide(request(), signal);
    const later = setup('nobody');
    expect(
      await later.approver.decide(request(callOf({ sessionId: 's9', rootSessionId: 's9' })), signal),
    ).toMatchObject({
      type: 'approved',
      choice: 'always',
    });
    for (const other of [
      { args: { command: 'rm -rf d3' } },
      { cwd: '/project/sub' },
      { tool: 'terminal2' },
    ]) {
      expect(await later.approver.decide(request(callOf(other)), signal)).toMatchObject({
        type: 'refused',
        choice: 'unattended',
      });
    }
  });

  it('binds an answer to the rule where there is one', async () => {
    await setup(async () => Promise.resolve('always')).approver.decide(
      request(callOf(), 'recursive-delete'),
      signal,
    );
    const later = setup('nobody').approver;
    expect(
      await later.decide(request(callOf({ args: { command: 'rm -r x' } }), 'recursive-delete'), signal),
    ).toMatchObject({
      type: 'approved',
    });
    expect(await later.decide(request(callOf(), 'other-rule'), signal)).toMatchObject({ type: 'refused' });
    expect(await later.decide(request(callOf()), signal)).toMatchObject({ type: 'refused' });
  });

  it('takes silence as no', async () => {
    const asked = Promise.withResolvers<void>();
    const { approver, clock } = setup(async () => {
      asked.resolve();
      return new Promise(() => undefined);
    });
    const pending = approver.decide(request(), signal);
    await asked.promise;
    await clock.advance(300_000);
    expect(await pending).toMatchObject({ type: 'refused', choice: 'timeout' });
  });

  it('takes a broken prompt as no', async () => {
    const { approver } = setup(async () => Promise.reject(new Error('terminal is gone')));
    const answer = await approver.decide(request(), signal);
    expect(answer).toMatchObject({ type: 'refused', choice: 'cancelled' });
  });

  it.each([undefined, 'yes', 'Once', true, null, {}])(
    'takes %j for no answer, and remembers nothing',
    async (answer) => {
      const shared = store();
      const { approver } = setup(async () => Promise.resolve(answer as 'once'), { store: shared });
      expect(await approver.decide(request(), signal)).toMatchObject({
        type: 'refused',
        choice: 'cancelled',
      });
      expect(await shared.list()).toEqual({ ok: true, value: [] });
    },
  );

  it('lets a call go that is interrupted while another question is before it', async () => {
    const { approver } = setup(async () => new Promise(() => undefined));
    const first = new AbortController();
    const second = new AbortController();
    const before = approver.decide(request(), first.signal);
    const waiting = approver.decide(request(), second.signal);
    second.abort();
    await expect(waiting).rejects.toThrow();
    first.abort();
    await expect(before).rejects.toThrow();
  });

  it('is not kept from asking by an observer that hangs', async () => {
    const { approver, callbacks, clock, warnings } = setup(async () => Promise.resolve('once'));
    const told = Promise.withResolvers<void>();
    callbacks.register('pre_approval_request', { name: 'hung' }, async () => {
      told.resolve();
      return new Promise(() => undefined);
    });
    const pending = approver.decide(request(), signal);
    await told.promise;
    await clock.advance(30_000);
    expect(await pending).toMatchObject({ type: 'approved' });
    expect(warnings).toEqual(['hung (pre_approval_request) did not answer within 30 s']);
  });

  it('says what to do when nobody is there', async () => {
    const answer = await setup('nobody').approver.decide(request(), signal);
    expect(answer.type === 'refused' && answer.message).toContain('nobody is here to ask');
  });

  it('answers everything with once under yolo, and remembers nothing', async () => {
    const shared = store();
    const { approver } = setup('nobody', { yolo: true, store: shared });
    expect(await approver.decide(request(), signal)).toEqual({
      type: 'approved',
      choice: 'once',
      remembered: false,
      isUnasked: true,
    });
    expect(await shared.list()).toEqual({ ok: true, value: [] });
  });

  it('asks one question at a time', async () => {
    let open = 0;
    let most = 0;
    const { approver } = setup(async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return 'once';
    });
    await Promise.all([1, 2, 3].map(async () => approver.decide(request(), signal)));
    expect(most).toBe(1);
  });

  it('uses the answer given to an equal question that waited', async () => {
    const { approver, asked } = setup(async () => Promise.resolve('session'));
    await Promise.all([1, 2, 3].map(async () => approver.decide(request(), signal)));
    expect(asked.length).toBe(1);
  });

  it('tells observers what was asked and what was answered', async () => {
    const { approver, callbacks } = setup(async () => Promise.resolve('deny'));
    const seen: unknown[] = [];
    callbacks.register('pre_approval_request', { name: 'watch' }, (payload) => seen.push(payload));
    callbacks.register('post_approval_response', { name: 'watch' }, ({ choice }) => seen.push(choice));
    await approver.decide(request(), signal);
    expect(seen).toEqual([
      expect.objectContaining({ command: 'terminal: rm -rf d2', sessionKey: 's1' }),
      'deny',
    ]);
  });

  it('withdraws the question when the turn is interrupted', async () => {
    const controller = new AbortController();
    const { approver } = setup(async () => new Promise(() => undefined));
    const pending = approver.decide(request(), controller.signal);
    setImmediate(() => controller.abort());
    await expect(pending).rejects.toThrow();
  });
});

describe('ApprovalStore', () => {
  it('keeps its file private', async () => {
    await store().remember({ call: callOf(), rule: 'r', project: '/p', scope: 'always', shown: 'x' });
    expect(statSync(join(folder, 'approvals.json')).mode & 0o777).toBe(0o600);
  });

  it('forgets what is revoked, at once', async () => {
    const approvals = store();
    const kept = await approvals.remember({
      call: callOf(),
      rule: 'r',
      project: '/p',
      scope: 'always',
      shown: 'x',
    });
    expect(kept.ok && (await approvals.revoke(kept.value.id)).ok).toBe(true);
    expect(await approvals.find(callOf(), 'r', '/p')).toEqual({ ok: true, value: undefined });
    expect(await approvals.revoke('nope')).toMatchObject({ ok: false, code: 'not_found' });
  });

  it('loses no answer of two that are given at once', async () => {
    await Promise.all(
      [store(), store(), store()].map(async (each, index) =>
        each.remember({
          call: callOf(),
          rule: `r${String(index)}`,
          project: '/p',
          scope: 'always',
          shown: '',
        }),
      ),
    );
    const all = await store().list();
    expect(all.ok && all.value.map(({ rule }) => rule).toSorted()).toEqual(['r0', 'r1', 'r2']);
  });

  it.each([
    ['no JSON', '{oops'],
    ['another version', '{"version":2,"approvals":[]}'],
    ['a list', '[]'],
    ['an entry of another shape', '{"version":1,"approvals":[{"tool":"terminal"}]}'],
    [
      'a session that is no text',
      '{"version":1,"approvals":[{"id":"a","tool":"terminal","rule":"r","project":"/p","approved_at":"x","session_id":7}]}',
    ],
  ])('approves nothing from a file that holds %s, and leaves it as it is', async (_, text) => {
    const path = join(folder, 'approvals.json');
    writeFileSync(path, text);
    const { approver, warnings } = setup('nobody');
    expect(await approver.decide(request(), signal)).toMatchObject({ type: 'refused' });
    expect(warnings.join()).toContain('approvals.json');
    expect(
      (await store().remember({ call: callOf(), rule: 'r', project: '/p', scope: 'always', shown: '' })).ok,
    ).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});

describe('askGuard', () => {
  it.each([
    [['terminal'], 'terminal', 'ask'],
    [['terminal'], 'terminal_x', 'abstain'],
    [['mcp__*'], 'mcp__db__insert', 'ask'],
    [['*'], 'anything', 'ask'],
    [['a.c'], 'abc', 'abstain'],
    [[], 'terminal', 'abstain'],
  ])('%j and %s: %s', async (patterns, tool, verdict) => {
    const answer = await askGuard(patterns).consult(callOf({ tool }), { recheck: false, signal });
    expect(answer.verdict.type).toBe(verdict);
  });
});
