import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ToolCall } from '../../../kernel/tool-call/index.ts';
import type { GuardAnswer } from '../../../kernel/verdict/index.ts';
import { systemClock } from '../../../platform/clock/index.ts';
import { freezeVariables } from '../../../platform/environment/index.ts';
import { CallbackRegistry } from '../callback-registry.ts';
import { hookLabel } from './hook-label.ts';
import { registerShellHooks } from './register-shell-hooks.ts';
import type { ShellHook } from './shell-hook.ts';
import type { HookInvocation, HookPermission, ShellHookPorts } from './shell-hook-ports.ts';

const { signal } = new AbortController();
let folder: string;
let home: string;
let project: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'shell hooks-')));
  [home, project] = [join(folder, 'home'), join(folder, 'project')];
  for (const path of [home, project]) mkdirSync(path);
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Writes a bash script; gives back the command that runs it. */
function script(name: string, ...lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, ['#!/bin/bash', ...lines, ''].join('\n'));
  chmodSync(path, 0o755);
  return `'${path}'`;
}

function hook(command: string, options: Partial<ShellHook> = {}): ShellHook {
  return { event: 'pre_tool_call', command, timeoutMs: 60_000, failClosed: false, env: [], ...options };
}

function ports(changes: Partial<ShellHookPorts> = {}): ShellHookPorts {
  return {
    permit: () => Promise.resolve({ ok: true }),
    environment: (names) =>
      freezeVariables([
        ['PATH', process.env['PATH']],
        ...names.map((name) => [name, `value of ${name}`] as const),
      ]),
    home,
    userHome: folder,
    cwdOf: () => undefined,
    ...changes,
  };
}

function callOf(changes: Partial<ToolCall> = {}): ToolCall {
  return {
    tool: 'terminal',
    args: { command: 'ls', timeout: 5 },
    effect: 'execute',
    paths: [],
    fingerprint: 'f',
    cwd: project,
    callId: 'c',
    sessionId: 's',
    rootSessionId: 's',
    turnId: 't',
    ordinal: 0,
    origin: { kind: 'herma', surface: 'test' },
    ...changes,
  };
}

async function ask(
  given: ShellHook,
  { call = callOf(), ...changes }: Partial<ShellHookPorts> & { readonly call?: ToolCall } = {},
): Promise<GuardAnswer> {
  const registry = new CallbackRegistry(systemClock);
  registerShellHooks(registry, [given], ports(changes));
  const [guard] = registry.guards();
  if (guard === undefined) throw new Error('no guard was registered');
  return guard.consult(call, { recheck: false, signal });
}

const ABSTAINS = { verdict: { type: 'abstain' } };
const blocks = (message: string): GuardAnswer => ({ verdict: { type: 'block', message } });

describe('a guard', () => {
  it.each<[string, GuardAnswer]>([
    [`echo '{"action":"block","message":"M"}'`, blocks('M')],
    ['echo E >&2; exit 2', blocks('E')],
    [
      `echo '{"action":"approve","message":"sure?","rule_key":"k"}'`,
      { verdict: { type: 'ask', message: 'sure?', ruleKey: 'k' } },
    ],
    [
      `echo '{"decision":"modify","tool_input":{"timeout":9}}'`,
      { verdict: { type: 'abstain' }, args: { command: 'ls', timeout: 9 } },
    ],
    [
      `echo '{"hookSpecificOutput":{"permissionDecision":"ask","updatedInput":{"timeout":9}}}'`,
      { verdict: { type: 'ask', message: '' }, args: { command: 'ls', timeout: 9 } },
    ],
    [`echo '{}'`, { verdict: { type: 'abstain' } }],
    ['exit 0', { verdict: { type: 'abstain' } }],
  ])('%s', async (line, answer) => {
    const given = hook(script('g.sh', 'cat > /dev/null', line));
    expect(await ask(given)).toEqual(answer);
    expect(await ask({ ...given, failClosed: true })).toEqual(answer);
  });

  it('reads the call on its standard input', async () => {
    const call = callOf({ parentSessionId: 'p' });
    await ask(hook(script('g.sh', `cat > '${folder}/stdin'`)), { call });
    expect(JSON.parse(readFileSync(join(folder, 'stdin'), 'utf8'))).toEqual({
      hook_event_name: 'pre_tool_call',
      tool_name: 'terminal',
      tool_input: { command: 'ls', timeout: 5 },
      session_id: 's',
      cwd: project,
      profile: 'default',
      extra: {
        parent_session_id: 'p',
        turn_id: 't',
        tool_call_id: 'c',
        telemetry_schema_version: 'hermes.observer.v1',
      },
    });
  });

  it.skipIf(spawnSync('python3', ['--version']).status !== 0)(
    'leaves nothing beside a script in Python and the modules it loads',
    async () => {
      writeFileSync(join(folder, 'beside.py'), 'ANSWER = "no"\n');
      const program = join(folder, 'g.py');
      const lines = [
        'import json, beside',
        'print(json.dumps({"action": "block", "message": beside.ANSWER}))',
      ];
      writeFileSync(program, ['#!/usr/bin/env python3', ...lines, ''].join('\n'), { mode: 0o755 });
      const before = readdirSync(folder);
      expect(await ask(hook(`'${program}'`))).toMatchObject({ verdict: { type: 'block' } });
      expect(readdirSync(folder)).toEqual(before);
    },
  );

  it('runs in the directory of the call, with the environment it is given and both homes', async () => {
    const command = script('g.sh', `{ pwd; env; } > '${folder}/out'`);
    await ask(hook(command, { env: ['EXTRA'] }));
    const [cwd, ...variables] = readFileSync(join(folder, 'out'), 'utf8').trim().split('\n');
    expect(cwd).toBe(project);
    const named = variables.filter((line) => /^(?:EXTRA|HERMA_HOME|HERMES_HOME)=/.test(line)).sort();
    expect(named).toEqual(['EXTRA=value of EXTRA', `HERMA_HOME=${home}`, `HERMES_HOME=${home}`]);
    expect(variables.some((line) => line.startsWith('VITEST'))).toBe(false);
  });

  it('runs in the home, with a warning, when the directory of the call is gone', async () => {
    const given = hook(script('g.sh', 'echo "{\\"action\\":\\"block\\",\\"message\\":\\"$PWD\\"}"'));
    const answer = await ask(given, { call: callOf({ cwd: join(folder, 'gone') }) });
    expect(answer.verdict).toEqual({ type: 'block', message: home });
    expect(answer.warnings?.join('')).toContain(join(folder, 'gone'));
  });

  it('finds a script below ~', async () => {
    script('my hook.sh', 'echo "$1" >&2; exit 2');
    expect(await ask(hook('"~/my hook.sh" ~/x'))).toEqual(blocks(join(folder, 'x')));
  });
});

describe('a guard that is broken', () => {
  it.each<[string, string]>([
    ['exit 1', 'exited with code 1'],
    ['exit 127', 'exited with code 127'],
    ['echo Traceback; exit 1', 'exited with code 1'],
    ['echo garbage', 'no JSON object'],
    ["echo '[]'", 'no JSON object'],
    [`echo '{"action":"blokc"}'`, 'no verdict'],
    ['sleep 300', 'timed out after 0.3s'],
    ['kill -9 $$', 'ended by SIGKILL'],
    ['yes | head -c 20000000', 'printed more than 1048576 bytes'],
  ])('by %s warns and lets the call pass, or blocks it under fail_closed', async (line, cause) => {
    const given = hook(script('g.sh', line), { timeoutMs: line.startsWith('sleep') ? 300 : 60_000 });
    const label = hookLabel(given.command);
    const open = await ask(given);
    expect(open).toMatchObject(ABSTAINS);
    expect(open.warnings?.join()).toContain(`hook ${label}`);
    const { verdict } = await ask({ ...given, failClosed: true });
    expect(verdict.type).toBe('block');
    const message = verdict.type === 'block' ? verdict.message : '';
    for (const part of [label, cause, 'broken guard, not a policy decision']) expect(message).toContain(part);
  });

  it.each([['/no/such/TOKEN-abc.sh'], ['TOKEN=abc /x'], ["unclosed 'TOKEN"], ['']])(
    'because its command is %j says so, and the message does not show the command',
    async (command) => {
      expect(await ask(hook(command))).toMatchObject(ABSTAINS);
      const { verdict } = await ask(hook(command, { failClosed: true }));
      const message = verdict.type === 'block' ? verdict.message : '';
      expect(message).toContain('could not be started');
      if (command.includes('=')) expect(message).not.toContain('TOKEN');
    },
  );

  it('is told apart by its name', async () => {
    const registry = new CallbackRegistry(systemClock);
    registerShellHooks(
      registry,
      [hook('/x/g.sh --token abc'), hook('/x/g.sh', { failClosed: true })],
      ports(),
    );
    expect(registry.guards().map(({ name, onFailure }) => [name, onFailure])).toEqual([
      [hookLabel('/x/g.sh --token abc'), 'ignore'],
      [hookLabel('/x/g.sh'), 'block'],
    ]);
  });

  it('is never cut by the outer limit, which leaves time to end the script', () => {
    const registry = new CallbackRegistry(systemClock);
    const times = [1, 60_000, 300_000, 900_000];
    registerShellHooks(
      registry,
      times.map((timeoutMs) => hook('x', { timeoutMs })),
      ports(),
    );
    expect(registry.guards().map(({ timeLimitMs }) => timeLimitMs)).toEqual([
      10_001, 70_000, 310_000, 310_000,
    ]);
  });
});

describe('permission', () => {
  const refusal: HookPermission = { ok: false, reason: 'is not approved' };

  it('is asked before every start, for exactly what will be started', async () => {
    const asked: [ShellHook, HookInvocation][] = [];
    const given = hook(script('g.sh', `echo ran >> '${folder}/ran'`) + ' "a b"');
    const registry = new CallbackRegistry(systemClock);
    const permit: ShellHookPorts['permit'] = (subject, invocation) => {
      asked.push([subject, invocation]);
      return Promise.resolve(asked.length === 2 ? refusal : { ok: true });
    };
    registerShellHooks(registry, [given], ports({ permit }));
    for (let round = 0; round < 3; round += 1)
      await registry.guards()[0]?.consult(callOf(), { recheck: false, signal });
    expect(readFileSync(join(folder, 'ran'), 'utf8')).toBe('ran\nran\n');
    expect(asked).toHaveLength(3);
    expect(asked[0]).toEqual([
      given,
      { program: join(folder, 'g.sh'), args: ['a b'], cwd: project, searchPath: process.env['PATH'] },
    ]);
  });

  it('that is refused skips the hook, with one warning per reason', async () => {
    const reasons = ['is not approved', 'is not approved', 'was changed'];
    const registry = new CallbackRegistry(systemClock);
    const given = hook(script('g.sh', `touch '${folder}/ran'`));
    registerShellHooks(
      registry,
      [given],
      ports({ permit: () => Promise.resolve({ ok: false, reason: reasons.shift() ?? '' }) }),
    );
    const answers: GuardAnswer[] = [];
    for (const guard of [1, 2, 3].flatMap(() => registry.guards()))
      answers.push(await guard.consult(callOf(), { recheck: false, signal }));
    const label = hookLabel(given.command);
    expect(answers).toEqual([
      { ...ABSTAINS, warnings: [`hook ${label} is not approved`] },
      ABSTAINS,
      { ...ABSTAINS, warnings: [`hook ${label} was changed`] },
    ]);
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  it.each<[string, ShellHookPorts['permit']]>([
    ['that is refused', () => Promise.resolve(refusal)],
    ['that cannot be looked up', () => Promise.reject(new Error('is not approved: no list'))],
  ])('%s blocks the calls of a fail_closed guard, and no others', async (_, permit) => {
    const given = hook(script('g.sh', `touch '${folder}/ran'`), { failClosed: true, matcher: 'terminal' });
    const { verdict } = await ask(given, { permit });
    expect(verdict.type === 'block' ? verdict.message : '').toMatch(
      /failed closed: .*is not approved.*broken guard/,
    );
    expect(await ask(given, { permit, call: callOf({ tool: 'read_file' }) })).toEqual(ABSTAINS);
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });
});

describe('a matcher', () => {
  it('decides which calls the hook sees', async () => {
    const given = hook(script('g.sh', 'exit 2'), { matcher: ' write_file|mcp__(a|b)__.* ' });
    const verdicts = await Promise.all(
      ['write_file', 'mcp__b__x', 'mcp__c__x', 'write_files'].map(async (tool) => {
        const { verdict } = await ask(given, { call: callOf({ tool }) });
        return verdict.type;
      }),
    );
    expect(verdicts).toEqual(['block', 'block', 'abstain', 'abstain']);
  });

  it('that is no pattern stands for the tool of that name', async () => {
    const given = hook(script('g.sh', 'exit 2'), { matcher: '(' });
    const other = await ask(given);
    expect(other).toMatchObject(ABSTAINS);
    expect(other.warnings?.join()).toContain('invalid matcher');
    expect((await ask(given, { call: callOf({ tool: '(' }) })).verdict.type).toBe('block');
  });

  it('that is no pattern makes a fail_closed guard block everything', async () => {
    const { verdict } = await ask(hook(script('g.sh', 'exit 0'), { matcher: '(', failClosed: true }));
    expect(verdict.type === 'block' ? verdict.message : '').toMatch(/invalid matcher.*broken guard/);
  });

  it('does nothing on events that are not about a tool', async () => {
    const registry = new CallbackRegistry(systemClock);
    const command = script('g.sh', `touch '${folder}/ran'`);
    registerShellHooks(registry, [hook(command, { event: 'on_session_start', matcher: 'x' })], ports());
    await registry.observe('on_session_start', { sessionId: 's', model: 'm', platform: 'cli' }, signal);
    expect(existsSync(join(folder, 'ran'))).toBe(true);
  });
});

describe('other events', () => {
  const ended = {
    toolName: 'terminal',
    args: {},
    sessionId: 's',
    turnId: 't',
    toolCallId: 'c',
    cwd: '',
    result: 'r',
    durationMs: 1,
    status: 'ok',
  } as const;

  it('ten observers run side by side, and their warnings keep their order', async () => {
    const registry = new CallbackRegistry(systemClock);
    // Each waits until all ten have begun: one after another they would wait for ever.
    const command = script(
      'o.sh',
      `mkdir -p '${folder}/begun'; touch '${folder}/begun/'"$1"`,
      `until [ "$(ls '${folder}/begun' | wc -l)" -eq 10 ]; do sleep 0.02; done; exit "$1"`,
    );
    const hooks = Array.from({ length: 10 }, (_, index) =>
      hook(`${command} ${String(index + 1)}`, {
        event: 'post_tool_call',
        matcher: 'terminal',
        timeoutMs: 20_000,
      }),
    );
    registerShellHooks(registry, hooks, ports());
    const warnings = await registry.observe('post_tool_call', ended, signal);
    expect(warnings.map((line) => /code \d+$/.exec(line)?.[0])).toEqual(
      hooks.map((_, index) => `code ${String(index + 1)}`),
    );
  }, 30_000);

  it('an injector adds context, an observer that prints something is no trouble', async () => {
    const registry = new CallbackRegistry(systemClock);
    const seen = script('c.sh', `echo "{\\"context\\":\\"in $PWD\\"}"`);
    const cwdOf = (sessionId: string): string | undefined => (sessionId === 's' ? project : undefined);
    registerShellHooks(
      registry,
      [
        hook(seen, { event: 'pre_llm_call' }),
        hook(script('o.sh', 'echo formatted'), { event: 'post_tool_call' }),
      ],
      ports({ cwdOf }),
    );
    const payload = {
      sessionId: 's',
      turnId: 't',
      model: 'm',
      platform: 'cli',
      userMessage: 'hi',
      conversationHistory: [],
      isFirstTurn: true,
    };
    expect(await registry.inject('pre_llm_call', payload, signal)).toEqual({
      texts: [`in ${project}`],
      warnings: [],
    });
    expect(await registry.observe('post_tool_call', ended, signal)).toEqual([]);
  });

  it('can be taken away again', () => {
    const registry = new CallbackRegistry(systemClock);
    const remove = registerShellHooks(registry, [hook('x', { event: 'post_tool_call' }), hook('y')], ports());
    expect([registry.has('post_tool_call'), registry.has('pre_tool_call')]).toEqual([true, true]);
    remove();
    remove();
    expect([registry.has('post_tool_call'), registry.has('pre_tool_call')]).toEqual([false, false]);
  });
});
