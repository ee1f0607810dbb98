import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../kernel/json/index.ts';
import { ABSTAIN, type CallGuard, type GuardAnswer } from '../kernel/verdict/index.ts';
import { FakeClock } from '../platform/clock/index.ts';
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type CallReport,
  type CallRequest,
  type EndedCall,
  Gate,
  performCall,
  type Tool,
} from './index.ts';

const NEVER = new Promise<never>(() => undefined);

const writeFile: Tool = {
  name: 'write_file',
  description: 'writes',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path', 'content'],
    additionalProperties: false,
  },
  effect: 'write',
  idempotent: true,
  pathArguments: ['path'],
  execute: async () => Promise.resolve({ status: 'ok', result: 'written' }),
};

interface Rig {
  readonly ran: JsonObject[];
  readonly ended: EndedCall[];
  readonly asked: ApprovalRequest[];
  readonly clock: FakeClock;
  readonly call: (request?: Partial<CallRequest>, signal?: AbortSignal) => Promise<CallReport>;
}

interface RigOptions {
  readonly guards?: readonly CallGuard[];
  readonly approval?: ApprovalAnswer | Error;
  readonly onAsk?: () => void;
  readonly execute?: Tool['execute'];
  readonly transform?: (text: string) => string;
  readonly observe?: (call: EndedCall, signal: AbortSignal) => Promise<readonly string[]>;
  readonly parameters?: Tool['parameters'];
  /** Whether the tool that was declared cannot be found any more when it is to run. */
  readonly isGone?: boolean;
}

const REFUSED: ApprovalAnswer = { type: 'refused', choice: 'deny', message: 'the person said no' };

function rig({
  guards = [],
  approval = REFUSED,
  onAsk = () => undefined,
  execute = async () => Promise.resolve({ status: 'ok', result: 'written' }),
  transform = (text) => text,
  observe = async () => Promise.resolve([]),
  parameters = writeFile.parameters,
  isGone = false,
}: RigOptions = {}): Rig {
  const ran: JsonObject[] = [];
  const ended: EndedCall[] = [];
  const asked: ApprovalRequest[] = [];
  const clock = new FakeClock();
  const tool: Tool = {
    ...writeFile,
    parameters,
    execute: async (ticket, run) => {
      ran.push(ticket.call.args);
      return execute(ticket, run);
    },
  };
  const tools = new Map([[tool.name, tool]]);
  const gate = new Gate({
    catalog: { lookup: (name) => tools.get(name), names: () => [...tools.keys()] },
    unknownTools: 'refuse',
    guards: () => guards,
    approver: {
      decide: async (request) => {
        asked.push(request);
        onAsk();
        if (approval instanceof Error) throw approval;
        return Promise.resolve(approval);
      },
    },
    audience: {
      observe: async (call, signal) => {
        ended.push(call);
        return observe(call, signal);
      },
      transform: async ({ result }) => Promise.resolve({ text: transform(result), warnings: [] }),
    },
    clock,
    newTicketId: () => 'ticket',
  });
  return {
    ran,
    ended,
    asked,
    clock,
    call: async (request = {}, signal = new AbortController().signal) =>
      performCall(
        {
          tool: 'write_file',
          args: { path: 'a.txt', content: 'hi' },
          callId: 'c1',
          sessionId: 's1',
          rootSessionId: 's1',
          turnId: 't1',
          ordinal: 0,
          cwd: '/project',
          origin: { kind: 'herma', surface: 'test' },
          ...request,
        },
        { gate, toolOf: (name) => (isGone ? undefined : tools.get(name)), clock, signal },
      ),
  };
}

function guard(
  name: string,
  answer: GuardAnswer | ((args: JsonObject) => Promise<GuardAnswer>),
  more: Partial<CallGuard> = {},
): CallGuard {
  return {
    name,
    onFailure: 'block',
    timeLimitMs: 1000,
    recheck: true,
    consult: async ({ args }) => (typeof answer === 'function' ? answer(args) : Promise.resolve(answer)),
    ...more,
  };
}

const block = (message: string): GuardAnswer => ({ verdict: { type: 'block', message } });
const ask = (message: string): GuardAnswer => ({ verdict: { type: 'ask', message } });
const abstain: GuardAnswer = { verdict: ABSTAIN };
const fails = async (): Promise<GuardAnswer> => Promise.reject(new Error('boom'));
const hangs = async (): Promise<GuardAnswer> => NEVER;
const throwsAtOnce = (): never => {
  throw new Error('at once');
};
/** What guards in JavaScript can do that types forbid. */
const answers = (answer: unknown) => async () => Promise.resolve(answer as GuardAnswer);
const misspelt = { onFailure: 'ignored' } as unknown as Partial<CallGuard>;

describe('step 1, normalise', () => {
  it('lets a call that fits its schema run', async () => {
    const { call, ran } = rig();
    expect(await call()).toMatchObject({ status: 'ok', executed: true, text: 'written' });
    expect(ran).toEqual([{ path: 'a.txt', content: 'hi' }]);
  });

  it.each(['nope', 'constructor', '__proto__', 'toString', ''])(
    'answers the unknown tool %j with an error',
    async (tool) => {
      const { call, ran, ended } = rig();
      expect(await call({ tool })).toMatchObject({
        status: 'error',
        executed: false,
        errorType: 'unknown_tool',
      });
      expect([ran, ended]).toEqual([[], []]);
    },
  );

  it('suggests the tool that was meant', async () => {
    expect((await rig().call({ tool: 'write_fiel' })).text).toContain('Did you mean "write_file"?');
  });

  it.each<[string, CallRequest['args'], string]>([
    ['a missing argument', { path: 'a' }, 'args lacks "content"'],
    ['a wrong type', { path: 'a', content: 7 }, 'args.content must be string, not number'],
    ['an unknown argument', { path: 'a', content: '', mode: 1 }, 'args.mode is not known'],
    ['a list', ['a'], 'must be object, not array'],
    ['nothing', null, 'must be object, not null'],
  ])('answers %s with an error that names it', async (_, args, message) => {
    const { call, ran } = rig();
    const report = await call({ args });
    expect(report).toMatchObject({ status: 'error', executed: false, errorType: 'bad_arguments' });
    expect(report.text).toContain(message);
    expect(ran).toEqual([]);
  });
});

describe('what was checked is what runs', () => {
  const good = { path: 'a.txt', content: 'good' };

  it('whatever the caller does to its arguments meanwhile', async () => {
    const args = { ...good };
    const { call, ran } = rig({
      guards: [
        guard('slow', async () => {
          args.content = 'evil';
          return Promise.resolve(abstain);
        }),
      ],
    });
    expect((await call({ args })).call?.args).toEqual(good);
    expect(ran).toEqual([good]);
  });

  it('whatever a guard does to the call it is shown: that is an error of the guard', async () => {
    const meddling = guard('meddling', async (args) => {
      Object.assign(args, { content: 'evil' });
      return Promise.resolve(abstain);
    });
    const { call, ran } = rig({ guards: [meddling] });
    expect(await call({ args: good })).toMatchObject({ status: 'blocked', by: 'meddling' });
    const ignored = rig({ guards: [{ ...meddling, onFailure: 'ignore' }] });
    expect(await ignored.call({ args: good })).toMatchObject({ status: 'ok', args: good });
    expect([ran, ignored.ran]).toEqual([[], [good]]);
  });

  it('whatever a guard does later to the arguments it put in place', async () => {
    const rewritten = { path: 'a.txt', content: 'rewritten' };
    const { call, ran } = rig({
      guards: [
        guard('rewrite', { verdict: ABSTAIN, args: rewritten }),
        guard('later', async () => {
          rewritten.content = 'evil';
          return Promise.resolve(abstain);
        }),
      ],
    });
    await call({ args: good });
    expect(ran).toEqual([{ path: 'a.txt', content: 'rewritten' }]);
  });

  it('also when arguments have more levels than anybody can walk', async () => {
    let deep: CallRequest['args'] = [];
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    const { call, ran } = rig({ parameters: { type: 'object' } });
    expect(await call({ args: { deep } })).toMatchObject({ status: 'error', errorType: 'bad_arguments' });
    expect(ran).toEqual([]);
  });

  it('also when the schema is written to keep a regular expression busy for ever', async () => {
    const { call, ran } = rig({ parameters: { properties: { path: { pattern: '^(a+)+$' } } } });
    const report = await call({ args: { path: `${'a'.repeat(50)}!` } });
    expect(report).toMatchObject({ status: 'error', executed: false, errorType: 'bad_arguments' });
    expect(report.message).toContain('could not be checked');
    expect(await call({ args: { path: 'aaa' } })).toMatchObject({ status: 'ok' });
    expect(ran).toEqual([{ path: 'aaa' }]);
  });
});

describe('step 2, guards', () => {
  it.each<[string, CallGuard, CallReport['status'], string]>([
    ['abstains', guard('g', abstain), 'ok', ''],
    ['blocks', guard('g', block('not here')), 'blocked', 'not here'],
    ['blocks without a word', guard('g', block('')), 'blocked', 'blocked by g'],
    ['asks, and the person says no', guard('g', ask('sure?')), 'blocked', 'the person said no'],
    ['throws', guard('g', fails), 'blocked', 'g failed: boom'],
    ['throws and is to be ignored', guard('g', fails, { onFailure: 'ignore' }), 'ok', ''],
    ['answers nothing', guard('g', answers(undefined)), 'blocked', 'g failed'],
    ['answers another word', guard('g', answers({ verdict: { type: 'deny' } })), 'blocked', 'no verdict'],
    [
      'blocks, with no text for a message',
      guard('g', answers({ verdict: { type: 'block' } })),
      'blocked',
      '',
    ],
    ['throws at once', guard('g', abstain, { consult: throwsAtOnce }), 'blocked', 'g failed: at once'],
    ['throws, its failure mode misspelt', guard('g', fails, misspelt), 'blocked', 'g failed: boom'],
  ])('when one %s the call ends as it must', async (_, given, status, message) => {
    const { call, ran } = rig({ guards: [given] });
    const report = await call();
    expect(report.status).toBe(status);
    expect(report.message).toContain(message);
    expect(ran.length).toBe(status === 'ok' ? 1 : 0);
  });

  it('blocks when one does not answer in time', async () => {
    const { call, clock, ran } = rig({ guards: [guard('slow', hangs)] });
    const pending = call();
    await clock.advance(1000);
    expect(await pending).toMatchObject({ status: 'blocked', message: 'slow did not answer within 1 s' });
    expect(ran).toEqual([]);
  });

  it('warns when one that is to be ignored does not answer in time', async () => {
    const { call, clock } = rig({ guards: [guard('slow', hangs, { onFailure: 'ignore' })] });
    const pending = call();
    await clock.advance(1000);
    expect(await pending).toMatchObject({ status: 'ok', warnings: ['slow did not answer within 1 s'] });
  });

  it('asks every guard, also behind a block', async () => {
    const seen: string[] = [];
    const watch = (name: string, answer: GuardAnswer): CallGuard =>
      guard(name, async () => {
        seen.push(name);
        return Promise.resolve(answer);
      });
    await rig({ guards: [watch('a', block('x')), watch('b', abstain), watch('c', ask('y'))] }).call();
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it('blocks rather than asks, whatever the order', async () => {
    for (const guards of [
      [guard('a', ask('?')), guard('b', block('no'))],
      [guard('b', block('no')), guard('a', ask('?'))],
    ]) {
      const { call, asked } = rig({
        guards,
        approval: { type: 'approved', choice: 'once', remembered: false },
      });
      expect(await call()).toMatchObject({ status: 'blocked', by: 'b' });
      expect(asked).toEqual([]);
    }
  });
});

describe('rewritten arguments', () => {
  const to = (content: string): GuardAnswer => ({ verdict: ABSTAIN, args: { path: 'a.txt', content } });

  it('reach the tool, the next guard and the report', async () => {
    const seen: JsonObject[] = [];
    const watch = guard('watch', async (args) => {
      seen.push(args);
      return Promise.resolve(abstain);
    });
    const { call, ran } = rig({ guards: [guard('rewrite', to('new')), watch] });
    expect((await call()).args).toEqual({ path: 'a.txt', content: 'new' });
    expect(ran).toEqual([{ path: 'a.txt', content: 'new' }]);
    expect(seen).toEqual([{ path: 'a.txt', content: 'new' }]);
  });

  it('are seen once more by the guards before the change, which may still block', async () => {
    const sawFirst = guard('strict', async ({ content }) =>
      Promise.resolve(content === 'evil' ? block('evil') : abstain),
    );
    const { call, ran } = rig({ guards: [sawFirst, guard('rewrite', to('evil'))] });
    expect(await call()).toMatchObject({ status: 'blocked', by: 'strict', message: 'evil' });
    expect(ran).toEqual([]);
  });

  it('are not shown again to a guard that opted out', async () => {
    let looks = 0;
    const counting = guard(
      'once',
      async () => {
        looks += 1;
        return Promise.resolve(abstain);
      },
      { recheck: false },
    );
    await rig({ guards: [counting, guard('rewrite', to('new'))] }).call();
    expect(looks).toBe(1);
  });

  it('block when two guards undo each other', async () => {
    const { call } = rig({ guards: [guard('a', to('A')), guard('b', to('B'))] });
    expect(await call()).toMatchObject({
      status: 'blocked',
      message: "a and b rewrite each other's arguments",
    });
  });

  it('block when they no longer fit the tool', async () => {
    const { call, ran } = rig({ guards: [guard('bad', { verdict: ABSTAIN, args: { path: 1 } })] });
    const report = await call();
    expect(report).toMatchObject({ status: 'blocked', by: 'bad' });
    expect(report.message).toContain('args.path must be string');
    expect(ran).toEqual([]);
  });

  it('are what the person is shown', async () => {
    const { call, asked } = rig({
      guards: [guard('a', ask('?'), { recheck: false }), guard('b', to('final'))],
      approval: { type: 'approved', choice: 'once', remembered: false },
    });
    expect(await call()).toMatchObject({ status: 'ok' });
    expect(asked[0]?.call.args).toEqual({ path: 'a.txt', content: 'final' });
  });

  it('never let a call run that any guard blocks in its final form', async () => {
    const contents = fc.constantFrom('a', 'b', 'c');
    const behaviour = fc.oneof(
      fc.record({ kind: fc.constant('rewrite' as const), content: contents }),
      fc.record({ kind: fc.constant('forbid' as const), content: contents }),
      fc.constant({ kind: 'abstain' as const, content: '' }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(behaviour, { maxLength: 5 }), async (behaviours) => {
        const guards = behaviours.map(({ kind, content }, index) =>
          guard(`g${String(index)}`, async (args) => {
            if (kind === 'rewrite') return Promise.resolve(to(content));
            return Promise.resolve(kind === 'forbid' && args['content'] === content ? block('no') : abstain);
          }),
        );
        const { call, ran } = rig({ guards });
        await call({ args: { path: 'a.txt', content: 'a' } });
        for (const args of ran) {
          const forbidden = behaviours.some(
            ({ kind, content }) => kind === 'forbid' && content === args['content'],
          );
          expect(forbidden).toBe(false);
        }
      }),
    );
  });
});

describe('questions of several guards', () => {
  const asking = (message: string, ruleKey: string): GuardAnswer => ({
    verdict: { type: 'ask', message, ruleKey },
  });
  const yes: ApprovalAnswer = { type: 'approved', choice: 'once', remembered: false };

  it('are all put, and an answer is bound to the rules of all', async () => {
    const { call, asked } = rig({
      guards: [guard('a', asking('deletes', 'delete')), guard('b', asking('sends', 'send'))],
      approval: yes,
    });
    await call();
    expect(asked).toMatchObject([{ by: 'a', message: 'deletes; sends', ruleKey: 'delete & send' }]);
  });

  it('about arguments that were replaced lend no rule to the final ones', async () => {
    const old = guard('old', async ({ content }) =>
      Promise.resolve(content === 'hi' ? asking('says hi', 'greetings') : abstain),
    );
    const rewrite = guard('rewrite', { verdict: ABSTAIN, args: { path: 'a.txt', content: 'evil' } });
    for (const first of [old, { ...old, recheck: false }]) {
      const { call, asked } = rig({ guards: [first, rewrite], approval: yes });
      await call();
      expect(asked).toMatchObject([{ message: 'says hi' }]);
      expect(asked[0]).not.toHaveProperty('ruleKey');
    }
  });

  it('that are put again about the final arguments count as they are then', async () => {
    const both = guard('both', async ({ content }) =>
      Promise.resolve(content === 'hi' ? asking('says hi', 'greetings') : asking('is evil', 'evil')),
    );
    const rewrite = guard('rewrite', { verdict: ABSTAIN, args: { path: 'a.txt', content: 'evil' } });
    const { call, asked } = rig({ guards: [both, rewrite], approval: yes });
    await call();
    expect(asked).toMatchObject([{ message: 'is evil', ruleKey: 'evil' }]);
  });
});

describe('step 4, approval', () => {
  it.each<[string, ApprovalAnswer, CallReport['status']]>([
    ['once', { type: 'approved', choice: 'once', remembered: false }, 'ok'],
    ['a remembered yes', { type: 'approved', choice: 'always', remembered: true }, 'ok'],
    ['no', REFUSED, 'blocked'],
    ['silence', { type: 'refused', choice: 'timeout', message: 'nobody answered' }, 'blocked'],
    ['nobody to ask', { type: 'refused', choice: 'unattended', message: 'nobody is here' }, 'blocked'],
  ])('%s decides whether the call runs', async (_, approval, status) => {
    const { call, ran } = rig({ guards: [guard('g', ask('sure?'))], approval });
    expect((await call()).status).toBe(status);
    expect(ran.length).toBe(status === 'ok' ? 1 : 0);
  });

  it('is not needed when no guard asks', async () => {
    const { call, asked } = rig({ guards: [guard('g', abstain)] });
    await call();
    expect(asked).toEqual([]);
  });

  it.each([null, {}, { type: 'yes' }])('takes the answer %j for no answer', async (answer) => {
    const { call, ran } = rig({
      guards: [guard('g', ask('?'))],
      approval: answer as unknown as ApprovalAnswer,
    });
    expect(await call()).toMatchObject({ status: 'blocked', by: 'approval' });
    expect(ran).toEqual([]);
  });

  it('stops the call when asking breaks', async () => {
    const { call, ran } = rig({ guards: [guard('g', ask('?'))], approval: new Error('prompt is gone') });
    expect(await call()).toMatchObject({
      status: 'blocked',
      message: 'approval could not be asked for: prompt is gone',
    });
    expect(ran).toEqual([]);
  });
});

describe('the second half', () => {
  it('tells observers of success, error and block alike', async () => {
    const failing = rig({
      execute: async () =>
        Promise.resolve({ status: 'error', errorType: 'ENOSPC', message: 'the disk is full' }),
    });
    await failing.call();
    expect(failing.ended[0]).toMatchObject({
      status: 'error',
      errorType: 'ENOSPC',
      errorMessage: 'the disk is full',
    });
    const blocked = rig({ guards: [guard('g', block('no'))] });
    await blocked.call();
    expect(blocked.ended[0]).toMatchObject({ status: 'blocked', result: 'no', durationMs: 0 });
    const fine = rig();
    await fine.call();
    expect(fine.ended[0]).toMatchObject({ status: 'ok', result: 'written' });
  });

  it('gives the model what the transforms made of the result', async () => {
    expect((await rig({ transform: (text) => `${text}!` }).call()).text).toBe('written!');
  });

  it('ends a call whose tool throws as an internal error', async () => {
    const { call, ended } = rig({ execute: async () => Promise.reject(new Error('bug')) });
    expect(await call()).toMatchObject({
      status: 'error',
      errorType: 'InternalError',
      text: 'write_file failed: bug',
    });
    expect(ended[0]?.status).toBe('error');
  });

  it.each([
    undefined,
    null,
    {},
    { status: 'ok' },
    { status: 'ok', result: 7 },
    { status: 'error', message: 'x' },
    { status: 'done' },
  ])('ends a call whose tool returns %j as an internal error, and observers hear of it', async (returned) => {
    const { call, ended } = rig({ execute: async () => Promise.resolve(returned as unknown as never) });
    expect(await call()).toMatchObject({ status: 'error', executed: true, errorType: 'InternalError' });
    expect(ended).toHaveLength(1);
  });

  it('says of a call whose tool is gone that it was not executed', async () => {
    const { call, ended } = rig({ isGone: true });
    expect(await call()).toMatchObject({ status: 'error', executed: false, errorType: 'unknown_tool' });
    expect(ended).toHaveLength(1);
  });

  it('cuts a result of 100 MB in the middle and says so', async () => {
    const { call } = rig({
      execute: async () => Promise.resolve({ status: 'ok', result: 'x'.repeat(100_000_000) }),
    });
    const { text } = await call();
    expect(text.length).toBeLessThan(210_000);
    expect(text).toContain('99800000 characters left out');
  });

  it('cuts an error of 10 MB, and what a transform makes longer', async () => {
    const failing = rig({
      execute: async () =>
        Promise.resolve({ status: 'error', errorType: 'X', message: 'long '.repeat(2_000_000) }),
    });
    const { text, message } = await failing.call();
    expect([text.length < 210_000, message.length < 210_000]).toEqual([true, true]);
    const growing = rig({ transform: (result) => result.repeat(1_000_000) });
    expect((await growing.call()).text.length).toBeLessThan(210_000);
  });
});

describe('secrets', () => {
  const secret = 'sk-abcdefghijklmnopqrstuvwxyz012345';

  it('stand neither in an error the model reads nor in what observers see', async () => {
    const { call, ended } = rig({
      execute: () =>
        Promise.resolve({
          status: 'error',
          errorType: 'HttpError',
          message: `refused: Authorization: Bearer ${secret}`,
        }),
    });
    const report = await call();
    expect(
      JSON.stringify([report.text, report.message, ended[0]?.result, ended[0]?.errorMessage]),
    ).not.toContain(secret);
    expect(report.message).toContain('refused');
  });

  it('stand in no warning about a guard or an observer', async () => {
    const leaking = async (): Promise<never> => Promise.reject(new Error(`OPENAI_API_KEY=${secret}`));
    const { call } = rig({
      guards: [guard('g', leaking, { onFailure: 'ignore' })],
      observe: async () => Promise.resolve([`o failed: OPENAI_API_KEY=${secret}`]),
    });
    const { status, warnings } = await call();
    expect([status, warnings.length]).toEqual(['ok', 2]);
    expect(warnings.join()).not.toContain(secret);
  });

  it('stand in no reason for a block', async () => {
    const { call, ended } = rig({ guards: [guard('g', block(`OPENAI_API_KEY=${secret} must not leave`))] });
    const report = await call();
    expect(JSON.stringify([report.text, report.message, ended[0]])).not.toContain(secret);
  });
});

describe('an interruption', () => {
  it('before the tool ends as cancelled without running it', async () => {
    const { call, ran, ended } = rig({ guards: [guard('slow', hangs)] });
    const controller = new AbortController();
    const pending = call({}, controller.signal);
    controller.abort();
    expect(await pending).toMatchObject({ status: 'cancelled', executed: false });
    expect(ran).toEqual([]);
    expect(ended).toMatchObject([{ status: 'cancelled', durationMs: 0 }]);
  });

  it('after a block leaves it a block, of which observers hear once', async () => {
    const controller = new AbortController();
    const { call, ended } = rig({
      guards: [guard('g', block('no'))],
      observe: async (_, signal) => {
        controller.abort();
        signal.throwIfAborted();
        return Promise.resolve([]);
      },
    });
    expect(await call({}, controller.signal)).toMatchObject({ status: 'blocked', by: 'g' });
    expect(ended.map(({ status }) => status)).toEqual(['blocked']);
  });

  it('waits 5 s at most for those who are told', async () => {
    const controller = new AbortController();
    const told = Promise.withResolvers<void>();
    const { call, clock } = rig({
      observe: async (_, signal) => {
        controller.abort();
        told.resolve();
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(['left behind']));
        });
      },
    });
    const pending = call({}, controller.signal);
    await told.promise;
    await clock.advance(5000);
    expect(await pending).toMatchObject({ status: 'ok', warnings: ['left behind'] });
  });

  it('while the approval is looked up lets nothing run', async () => {
    const controller = new AbortController();
    const { call, ran } = rig({
      guards: [guard('g', ask('?'))],
      approval: { type: 'approved', choice: 'always', remembered: true },
      onAsk: () => controller.abort(),
    });
    expect(await call({}, controller.signal)).toMatchObject({ status: 'cancelled', executed: false });
    expect(ran).toEqual([]);
  });

  it('that came earlier lets nothing run, whoever guards', async () => {
    const { call, ran } = rig();
    expect(await call({}, AbortSignal.abort())).toMatchObject({ status: 'cancelled', executed: false });
    expect(ran).toEqual([]);
  });

  it('while the tool runs says that its effect is unknown, and observers hear of it', async () => {
    const controller = new AbortController();
    const { call, ended } = rig({
      execute: async (_, { signal }) => {
        controller.abort();
        signal.throwIfAborted();
        return NEVER;
      },
    });
    const report = await call({}, controller.signal);
    expect(report).toMatchObject({ status: 'cancelled', executed: true });
    expect(report.message).toContain('effect is unknown');
    expect(ended[0]?.status).toBe('cancelled');
  });
});

describe('a ticket', () => {
  it('is good for one run', async () => {
    let second: unknown;
    const { call } = rig({
      execute: async (ticket) => {
        try {
          ticket.redeem();
        } catch (error) {
          second = error;
        }
        return Promise.resolve({ status: 'ok', result: '' });
      },
    });
    await call();
    expect(String(second)).toContain('was used already');
  });

  it('can be made by nobody but the gate', async () => {
    const { Ticket } = await import('./ticket.ts');
    const { call, ended } = rig();
    await call();
    const done = ended[0]?.call;
    expect(done).toBeDefined();
    if (done !== undefined)
      expect(() => new Ticket(Symbol('forged'), { id: 'x', call: done, checkpoint: '', entry: '' })).toThrow(
        'only the gate',
      );
  });
});
