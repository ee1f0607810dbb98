import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { AgentParts, TurnEvent } from '../agent/loop/index.ts';
import type { CallReport, Gate } from '../gate/index.ts';
import { valueOrThrow } from '../kernel/errors/index.ts';
import type { JsonObject } from '../kernel/json/index.ts';
import { systemClock } from '../platform/clock/index.ts';
import { type Config, defaultConfig } from '../platform/config/index.ts';
import { homePaths } from '../platform/paths/index.ts';
import {
  callReply,
  createTemporaryHome,
  type ScriptedReply,
  type TemporaryHome,
  writeModelScript,
} from '../testing/index.ts';
import { createRuntime, type Runtime, type RuntimeOptions } from './index.ts';
import { readProjectInstructions } from './project-instructions.ts';

interface Rig extends AsyncDisposable {
  readonly temporary: TemporaryHome;
  readonly runtime: Runtime;
  readonly warnings: string[];
  readonly call: (tool: string, args: JsonObject) => Promise<CallReport>;
}

const signal = new AbortController().signal;

async function rig(
  options: Partial<RuntimeOptions> & {
    readonly change?: Partial<Config>;
    readonly script?: readonly ScriptedReply[];
  } = {},
): Promise<Rig> {
  const { change, script, ...more } = options;
  const temporary = await createTemporaryHome();
  const warnings: string[] = [];
  const runtime = createRuntime({
    paths: homePaths(temporary.home),
    config: { ...defaultConfig, ...change },
    environment: { PATH: process.env['PATH'] ?? '', HOME: temporary.home },
    cwd: temporary.project,
    surface: 'test',
    clock: systemClock,
    onWarning: (line) => warnings.push(line),
    ...(script === undefined ? {} : { model: { name: await writeModelScript(temporary.home, script) } }),
    ...more,
  });
  let calls = 0;
  return {
    temporary,
    runtime,
    warnings,
    call: (tool, args) => {
      calls += 1;
      const ids = {
        callId: `c${String(calls)}`,
        sessionId: 's',
        rootSessionId: 's',
        turnId: 't',
        ordinal: calls,
      };
      return runtime.call({ ...ids, tool, args, cwd: temporary.project }, signal);
    },
    [Symbol.asyncDispose]: async () => {
      await runtime.close();
      await temporary.remove();
    },
  };
}

describe('a runtime says which hooks it has', () => {
  const published = async (shell: Config['hooks']['shell']): Promise<boolean> => {
    const hooks = { ...defaultConfig.hooks, shell };
    await using play = await rig({ surface: 'cli', change: { hooks } });
    await play.call('read_file', { path: 'a.txt' });
    return existsSync(join(play.temporary.home, 'run', 'hooks', `${String(process.pid)}.json`));
  };

  it('where there are some, and writes nothing where there are none', async () => {
    const hook = { event: 'post_tool_call', command: '/x.sh', timeoutMs: 1000, failClosed: false } as const;
    expect(await published([{ ...hook, env: [] }])).toBe(true);
    expect(await published([])).toBe(false);
  });
});

describe('a runtime', () => {
  it('runs calls through its gate, also for hooks that are added later', async () => {
    await using it = await rig();
    expect(await it.call('write_file', { path: 'a.txt', content: 'hi' })).toMatchObject({ status: 'ok' });
    it.runtime.callbacks.register('pre_tool_call', { name: 'late' }, () => ({
      action: 'block',
      message: 'not any more',
    }));
    expect(await it.call('write_file', { path: 'b.txt', content: 'hi' })).toMatchObject({
      status: 'blocked',
      by: 'late',
    });
    expect(existsSync(join(it.temporary.project, 'b.txt'))).toBe(false);
  });

  it('cannot be built around anything but a gate', () => {
    interface Imitation {
      before: Gate['before'];
      after: Gate['after'];
      restrictedTo: Gate['restrictedTo'];
    }
    expectTypeOf<Imitation>().not.toExtend<AgentParts['gate']>();
    expectTypeOf<Gate>().toExtend<AgentParts['gate']>();
  });

  it('asks for the tools that the configuration names, and takes nobody for a no', async () => {
    await using it = await rig({ change: { approvals: { ...defaultConfig.approvals, ask: ['term*'] } } });
    const report = await it.call('terminal', { command: 'touch ran' });
    expect(report).toMatchObject({ status: 'blocked', by: 'approval' });
    expect(report.message).toContain('nobody is here to ask');
    expect(existsSync(join(it.temporary.project, 'ran'))).toBe(false);
    expect(await it.call('todo', {})).toMatchObject({ status: 'ok' });
  });

  it('shows the person what runs, and runs it after a yes', async () => {
    const shown: unknown[] = [];
    await using it = await rig({
      change: { approvals: { ...defaultConfig.approvals, ask: ['terminal'] } },
      approve: ({ call }) => {
        shown.push(call.args);
        return Promise.resolve('once');
      },
    });
    expect(await it.call('terminal', { command: 'echo yes' })).toMatchObject({ status: 'ok' });
    expect(shown).toEqual([{ command: 'echo yes' }]);
  });

  it('lifts no block by yolo', async () => {
    await using it = await rig({ yolo: true });
    it.runtime.callbacks.register('pre_tool_call', { name: 'wall' }, () => ({
      action: 'block',
      message: 'no',
    }));
    expect(await it.call('todo', {})).toMatchObject({ status: 'blocked', by: 'wall' });
  });

  it('keeps provider keys from commands unless the configuration names them', async () => {
    const environment = {
      PATH: process.env['PATH'] ?? '',
      OPENAI_API_KEY: 'sk-abcdefghijklmnopqrstuv',
      MY_KEY: 'k',
      OTHER: 'o',
    };
    const model = { name: 'openai-compatible:x', baseUrl: 'http://127.0.0.1:1/v1', apiKeyEnv: 'MY_KEY' };
    const command = 'echo "[$OPENAI_API_KEY][$MY_KEY][$OTHER]"';
    await using closed = await rig({ environment, model });
    expect((await closed.call('terminal', { command })).text).toContain('[][][o]');
    await using open = await rig({
      environment,
      model,
      change: { terminal: { ...defaultConfig.terminal, env: ['MY_KEY'] } },
    });
    expect((await open.call('terminal', { command })).text).toContain('[][k][o]');
  });

  it('takes the secrets it knows out of what commands print', async () => {
    const key = 'a-very-plain-key-without-a-shape';
    await using it = await rig({ environment: { PATH: process.env['PATH'] ?? '', OPENAI_API_KEY: key } });
    const report = await it.call('terminal', { command: `echo ${key}` });
    expect(report.text).not.toContain(key);
  });

  it('gives commands the time the configuration says', async () => {
    await using it = await rig({ change: { terminal: { ...defaultConfig.terminal, timeoutMs: 200 } } });
    expect(await it.call('terminal', { command: 'sleep 30' })).toMatchObject({
      status: 'error',
      errorType: 'timeout',
    });
  });

  it('does not offer what the configuration switches off', async () => {
    await using it = await rig({ change: { tools: { disabled: ['terminal'] } } });
    expect(await it.call('terminal', { command: 'true' })).toMatchObject({
      status: 'error',
      errorType: 'unknown_tool',
    });
  });

  it('passes the output of commands through transform_terminal_output, before redaction', async () => {
    await using it = await rig();
    it.runtime.callbacks.register('transform_terminal_output', { name: 'shout' }, ({ output }) =>
      output.toUpperCase(),
    );
    expect((await it.call('terminal', { command: 'echo quiet' })).text).toContain('QUIET');
  });

  it('says what of a hook fails', async () => {
    await using it = await rig();
    it.runtime.callbacks.register('transform_terminal_output', { name: 'broken' }, () => {
      throw new Error('no');
    });
    await it.call('terminal', { command: 'true' });
    expect(it.warnings).toEqual(['broken (transform_terminal_output) failed: no']);
  });

  it('goes on without an MCP server that cannot be reached, and says so', async () => {
    const server = {
      transport: 'stdio',
      command: '/nonexistent',
      args: [],
      env: new Map(),
      enabled: true,
      timeoutMs: 5000,
      effects: new Map(),
    } as const;
    await using it = await rig({ change: { mcpServers: new Map([['gone', server]]) } });
    expect(await it.call('mcp__gone__x', {})).toMatchObject({ status: 'error', errorType: 'unknown_tool' });
    expect(it.warnings.join()).toContain('"gone"');
    expect(await it.call('todo', {})).toMatchObject({ status: 'ok' });
  });

  it('connects only the servers a call may need, without the key of the model', async () => {
    const environment = { PATH: process.env['PATH'] ?? '', MY_KEY: 'the-key-of-the-model' };
    const stdio = (script: string) =>
      ({
        transport: 'stdio',
        command: '/bin/sh',
        args: ['-c', script],
        env: new Map(),
        enabled: true,
        timeoutMs: 5000,
        effects: new Map(),
      }) as const;
    await using it = await rig({
      environment,
      model: { name: 'openai-compatible:x', baseUrl: 'http://127.0.0.1:1/v1', apiKeyEnv: 'MY_KEY' },
      change: {
        mcpServers: new Map([
          ['needed', stdio('echo "[$MY_KEY]" > needed')],
          ['other', stdio('touch other')],
        ]),
      },
    });
    await it.call('mcp__needed__x', {});
    expect(readFileSync(join(it.temporary.project, 'needed'), 'utf8')).toBe('[]\n');
    expect(existsSync(join(it.temporary.project, 'other'))).toBe(false);
  });

  it('ends what runs in the background when it is closed', async () => {
    const it = await rig();
    await it.call('terminal', { command: 'echo $$ > pid; exec sleep 300', background: true });
    const file = join(it.temporary.project, 'pid');
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8').trim()).toMatch(/^\d+$/);
    const pid = Number(readFileSync(file, 'utf8'));
    await it.runtime.close();
    await it.runtime.close();
    expect(() => process.kill(pid, 0)).toThrow();
    await it.temporary.remove();
  });

  it('logs every call without its contents', async () => {
    await using it = await rig();
    await it.call('write_file', { path: 'a.txt', content: 'the content' });
    const log = readFileSync(join(it.temporary.home, 'logs', 'herma.log'), 'utf8');
    expect(log).toContain('"tool":"write_file"');
    expect(log).not.toContain('the content');
  });
});

describe('the instructions of a project', () => {
  const read = async (write: (project: string) => void): Promise<readonly [string | undefined, string]> => {
    await using temporary = await createTemporaryHome();
    const warnings: string[] = [];
    write(temporary.project);
    const text = await readProjectInstructions({
      cwd: temporary.project,
      onWarning: (line) => warnings.push(line),
    });
    return [text, warnings.join()];
  };

  it('are read when there are some', async () => {
    expect(await read((project) => writeFileSync(join(project, 'AGENTS.md'), 'Be brief.'))).toEqual([
      'Be brief.',
      '',
    ]);
    expect(await read(() => undefined)).toEqual([undefined, '']);
    expect(await read((project) => symlinkSync('nowhere', join(project, 'AGENTS.md')))).toEqual([
      undefined,
      '',
    ]);
    const linked = await read((project) => {
      writeFileSync(join(project, 'RULES.md'), 'Linked.');
      symlinkSync('RULES.md', join(project, 'AGENTS.md'));
    });
    expect(linked).toEqual(['Linked.', '']);
  });

  it.each<[string, (project: string) => void, RegExp]>([
    ['lead out of it', (project) => symlinkSync('/etc/passwd', join(project, 'AGENTS.md')), /outside/],
    ['are binary', (project) => writeFileSync(join(project, 'AGENTS.md'), 'a\0b'), /binary/],
    ['are too big', (project) => writeFileSync(join(project, 'AGENTS.md'), 'x'.repeat(300_000)), /AGENTS.md/],
    ['are a folder', (project) => mkdirSync(join(project, 'AGENTS.md')), /AGENTS.md/],
  ])('that %s are left out, and that is said', async (_, write, warning) => {
    const [text, said] = await read(write);
    expect(text).toBeUndefined();
    expect(said).toMatch(warning);
  });
});

describe('a session of a runtime', () => {
  it('runs a turn, is stored, and can be continued by the next runtime', async () => {
    await using it = await rig({
      script: [callReply('a', 'write_file', { path: 'x.txt', content: 'x' }), 'Written.'],
    });
    const session = valueOrThrow(await it.runtime.openSession({ type: 'new' }));
    const events: TurnEvent['type'][] = [];
    const { conversation } = session;
    const onEvent = ({ type }: TurnEvent): void => void events.push(type);
    const result = valueOrThrow(await it.runtime.runTurn({ conversation, text: 'go', signal, onEvent }));
    expect(result).toMatchObject({ end: 'completed', final: 'Written.', requests: 2 });
    expect(events).toContain('call-finished');
    await session.close();
    const again = valueOrThrow(await it.runtime.openSession({ type: 'continue' }));
    expect(again.conversation.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
    await again.close();
  });

  it('delegates to children with sessions of their own, which nobody else may write to, and the same gate', async () => {
    const seen: unknown[] = [];
    await using it = await rig({
      script: [
        { tool_calls: [{ id: 'd', name: 'delegate_task', args: { goal: 'write c.txt' } }] },
        callReply('w', 'write_file', { path: 'c.txt', content: 'child' }),
        'The child is done.',
        'All done.',
      ],
    });
    it.runtime.callbacks.register(
      'pre_tool_call',
      { name: 'watch' },
      async ({ toolName, sessionId, parentSessionId }) => {
        const second = await it.runtime.openSession({ type: 'resume', sessionId });
        seen.push([
          second.ok ? 'free' : second.code,
          toolName,
          sessionId === session.conversation.sessionId,
          parentSessionId === session.conversation.sessionId,
        ]);
      },
    );
    const session = valueOrThrow(await it.runtime.openSession({ type: 'new' }));
    const { conversation } = session;
    const result = valueOrThrow(
      await it.runtime.runTurn({ conversation, text: 'go', signal, onEvent: () => undefined }),
    );
    expect(result.final).toBe('All done.');
    expect(result.calls[0]?.text).toContain('The child is done.');
    expect(readFileSync(join(it.temporary.project, 'c.txt'), 'utf8')).toBe('child');
    expect(seen).toEqual([
      ['held', 'delegate_task', true, false],
      ['held', 'write_file', false, true],
    ]);
    await session.close();
  });

  it('has one writer', async () => {
    await using it = await rig();
    const session = valueOrThrow(await it.runtime.openSession({ type: 'new' }));
    const { sessionId } = session.conversation;
    const second = await it.runtime.openSession({ type: 'resume', sessionId });
    expect(second).toMatchObject({ ok: false, code: 'held' });
    if (!second.ok) expect(second.message).toContain(String(process.pid));
    await session.close();
    const third = valueOrThrow(await it.runtime.openSession({ type: 'resume', sessionId }));
    await third.close();
  });

  it('that is unknown, or not there yet, is a failure with a remedy', async () => {
    await using it = await rig();
    expect(await it.runtime.openSession({ type: 'resume', sessionId: 'ses_nope' })).toMatchObject({
      ok: false,
      code: 'no_such_session',
    });
    expect(await it.runtime.openSession({ type: 'continue' })).toMatchObject({
      ok: false,
      code: 'nothing_to_continue',
    });
  });

  it('needs a model for a turn, and says how to get one', async () => {
    await using it = await rig();
    const model = await it.runtime.model();
    expect(model).toMatchObject({ ok: false, code: 'no_model' });
    if (!model.ok) expect(model.remedy).toContain('herma tour');
  });
});
