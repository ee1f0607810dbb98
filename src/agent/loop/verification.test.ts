import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallReport } from '../../gate/index.ts';
import { getString } from '../../kernel/json/index.ts';
import type { ToolCall } from '../../kernel/tool-call/index.ts';
import type { AgentParts } from './index.ts';
import {
  benchTool,
  createTurnBench,
  echoTool,
  problemsOf,
  scriptedCall,
  type TurnBench,
} from './turn-bench.ts';
import { Verification } from './verification.ts';

let folder = '';
let agents: TurnBench[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'herma-verify-'));
});
afterEach(() => {
  for (const agent of agents) agent.store.close();
  agents = [];
  rmSync(folder, { recursive: true, force: true });
});

const writeFile = benchTool(
  'write_file',
  ({ args }) => {
    writeFileSync(join(folder, getString(args, 'path') ?? 'none'), getString(args, 'text') ?? '');
    return { status: 'ok', result: 'written' };
  },
  'write',
);

const terminal = benchTool(
  'terminal',
  ({ args }) => {
    const { stdout, status } = spawnSync('bash', ['-c', getString(args, 'command') ?? 'exit 99'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const result = JSON.stringify({ output: stdout, exit_code: status, error: null });
    if (status === 0) return { status: 'ok', result };
    return { status: 'error', errorType: 'nonzero_exit', message: `exit code ${String(status)}`, result };
  },
  'execute',
);

const write = (text: string, name = 'a.txt') => ({
  tool_calls: [scriptedCall('write_file', { path: name, text })],
});
const CHECK = 'cat a.txt; grep -q good a.txt';

function bench(
  script: unknown,
  parts: Partial<AgentParts> = {},
  tools = [writeFile, terminal, echoTool],
): TurnBench {
  const agent = createTurnBench({
    path: join(folder, 'state.db'),
    script,
    tools,
    parts: { verify: [CHECK], ...parts },
  });
  agents.push(agent);
  return agent;
}

const commandsOf = ({ events }: TurnBench) =>
  events.flatMap((event) => (event.type === 'verified' ? [[event.command, event.passed]] : []));

describe('the checks of agent.verify', () => {
  it('run once before the answer when files were edited, and say nothing when they succeed', async () => {
    const agent = bench([write('good'), 'Done.']);
    expect(await agent.turn('go')).toMatchObject({
      end: 'completed',
      final: 'Done.',
      capped: false,
      requests: 2,
    });
    expect(commandsOf(agent)).toEqual([[CHECK, true]]);
    expect(agent.warnings()).toEqual([]);
    expect(agent.stored().map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });

  it('do not run when nothing was edited', async () => {
    const agent = bench([
      { tool_calls: [scriptedCall('echo'), scriptedCall('terminal', { command: 'true' })] },
      'Done.',
      write('bad'),
    ]);
    agent.callbacks.register('pre_tool_call', { name: 'guard' }, ({ toolName }) =>
      toolName === 'write_file' ? { action: 'block', message: 'no' } : undefined,
    );
    await agent.turn('go');
    await agent.turn('write');
    expect(commandsOf(agent)).toEqual([]);
  });

  it('do not run again in a later turn that edits nothing', async () => {
    const agent = bench([write('good'), 'Done.', 'Nothing to do.']);
    await agent.turn('go');
    await agent.turn('and now?');
    expect(commandsOf(agent).length).toBe(1);
  });

  it('send the model on when they fail, and let it end when it mended that', async () => {
    const agent = bench([
      write('bad'),
      'Done.',
      { ...write('good'), expect: { last_user_contains: '(exit code 1)' } },
      'Now it is done.',
    ]);
    const result = await agent.turn('go');
    expect(result).toMatchObject({ end: 'completed', final: 'Now it is done.', capped: false, requests: 4 });
    expect(commandsOf(agent)).toEqual([
      [CHECK, false],
      [CHECK, true],
    ]);
    const pushedBack = agent.stored().filter((message) => message.role === 'assistant' && message.pushedBack);
    expect(pushedBack).toEqual([{ role: 'assistant', text: 'Done.', calls: [], pushedBack: true }]);
    const nudge = agent
      .stored()
      .find((message) => message.role === 'user' && message.synthetic !== undefined);
    expect(nudge).toMatchObject({ synthetic: 'verification_required' });
    expect(nudge?.text).toContain(`$ ${CHECK}\nbad\n(exit code 1)`);
    expect(agent.events).toContainEqual({ type: 'message-completed', text: 'Done.', final: false });
    expect(agent.events).not.toContainEqual({ type: 'message-completed', text: 'Done.', final: true });
    for (const { messages } of agent.requests) expect(problemsOf(messages)).toEqual([]);
  });

  it('end the turn after the allowed number of attempts, although tools run in between', async () => {
    const steps = Array.from({ length: 9 }, (_, index) => [write(`bad ${index}`), `Answer ${index}.`]).flat();
    const agent = bench(steps, { maxIterations: 50 });
    const result = await agent.turn('go');
    expect(result).toMatchObject({ end: 'completed', final: 'Answer 3.', capped: true, requests: 8 });
    expect(commandsOf(agent).length).toBe(4);
    expect(agent.warnings()).toEqual([expect.stringContaining('sent on 3 times (agent.max_verify_nudges)')]);
    expect(agent.stored().at(-1)).toEqual({ role: 'assistant', text: 'Answer 3.', calls: [] });
  });

  it('begin to count anew in the next turn', async () => {
    const steps = Array.from({ length: 4 }, () => [write('bad'), 'Answer.']).flat();
    const agent = bench(steps, { maxVerifyNudges: 1 });
    expect(await agent.turn('1')).toMatchObject({ capped: true, requests: 4 });
    expect(await agent.turn('2')).toMatchObject({ capped: true, requests: 4 });
  });

  it('are only reported when the model may not be sent on at all', async () => {
    const agent = bench([write('bad'), 'Done.'], { maxVerifyNudges: 0 });
    expect(await agent.turn('go')).toMatchObject({ end: 'completed', final: 'Done.', capped: true });
  });

  it('all run, and each failure is told', async () => {
    const agent = bench([write('bad'), 'Done.', 'I cannot.'], {
      verify: ['exit 3', CHECK, 'true'],
      maxVerifyNudges: 1,
    });
    await agent.turn('go');
    expect(commandsOf(agent).map(([, passed]) => passed)).toEqual([false, false, true, false, false, true]);
    const nudge = agent.requests[2]?.messages.at(-1)?.text;
    expect(nudge).toContain('$ exit 3\n');
    expect(nudge).toContain('(exit code 3)');
    expect(nudge).toContain(`$ ${CHECK}\n`);
    expect(nudge).not.toContain('$ true');
  });

  it('keep the iteration limit, and the last answer with it', async () => {
    const agent = bench([write('bad'), 'Done.'], { maxIterations: 2 });
    expect(await agent.turn('go')).toMatchObject({ end: 'iteration_limit', final: 'Done.', capped: true });
  });
});

describe('a check that could not be run counts as failed', () => {
  it('when a guard blocks it', async () => {
    const agent = bench([write('good'), 'Done.'], { maxVerifyNudges: 0 });
    const blocked: unknown[] = [];
    agent.callbacks.register('pre_tool_call', { name: 'guard' }, ({ toolName, args }) => {
      if (toolName !== 'terminal') return undefined;
      blocked.push(args);
      return { action: 'block', message: 'no commands' };
    });
    expect(await agent.turn('go')).toMatchObject({ capped: true });
    expect(blocked).toEqual([{ command: CHECK }]);
    expect(commandsOf(agent)).toEqual([[CHECK, false]]);
  });

  it('when there is no terminal', async () => {
    const agent = bench([write('good'), 'Done.', 'Well.'], { maxVerifyNudges: 1 }, [writeFile]);
    expect(await agent.turn('go')).toMatchObject({ capped: true });
    expect(agent.requests[2]?.messages.at(-1)?.text).toContain('There is no tool "terminal"');
  });

  it.each(['no JSON', '{}', '{"exit_code": "0"}', '[0]', 'null'])('when it answers %j', async (result) => {
    const odd = benchTool('terminal', () => ({ status: 'ok', result }), 'execute');
    const agent = bench([write('good'), 'Done.'], { maxVerifyNudges: 0 }, [writeFile, odd]);
    expect(await agent.turn('go')).toMatchObject({ capped: true });
  });
});

describe('the calls of checks', () => {
  it('pass the gate with ids of their own', async () => {
    const agent = bench([
      write('bad'),
      'Done.',
      { tool_calls: [scriptedCall('write_file', { path: 'a.txt', text: 'good' }, 'verify_1')] },
      'Now.',
    ]);
    const calls: string[] = [];
    const ordinals: number[] = [];
    agent.callbacks.register('post_tool_call', { name: 'watch' }, ({ toolCallId }) => {
      calls.push(toolCallId);
    });
    agent.watch = (event) => {
      if (event.type === 'call-started') ordinals.push(event.call.ordinal);
    };
    const result = await agent.turn('go');
    expect(result.end).toBe('completed');
    expect(new Set(calls).size).toBe(4);
    expect(ordinals).toEqual([0, 2]);
    expect(result.calls.map(({ tool }) => tool)).toEqual(['write_file', 'write_file']);
  });

  it('that are interrupted end the turn with the answer there was, stored', async () => {
    const controller = new AbortController();
    const stop = benchTool(
      'terminal',
      () => {
        controller.abort();
        return { status: 'cancelled', message: 'stopped' };
      },
      'execute',
    );
    const agent = bench([write('good'), 'Done.', 'next'], { verify: ['a', 'b'] }, [writeFile, stop]);
    expect(await agent.turn('go', controller.signal)).toMatchObject({ end: 'interrupted', final: 'Done.' });
    expect(commandsOf(agent)).toEqual([['a', false]]);
    expect(agent.stored().at(-1)).toEqual({ role: 'assistant', text: 'Done.', calls: [] });
  });
});

describe('Verification', () => {
  const report = {
    callId: 'c',
    tool: 'x',
    args: {},
    executed: true,
    message: '',
    durationMs: 0,
    warnings: [],
  };
  const passed: CallReport = { ...report, status: 'ok', text: '{"exit_code":0}' };
  const call = { effect: 'write', paths: ['a'] } as unknown as ToolCall;
  const edited: CallReport = { ...passed, call };

  function checks() {
    const ran: string[] = [];
    const verification = new Verification({ commands: ['a', 'b'], maxNudges: 1 });
    const run = (signal = new AbortController().signal) =>
      verification.run({
        signal,
        onEvent: () => undefined,
        perform: (command) => {
          ran.push(command);
          return Promise.resolve(passed);
        },
      });
    return { ran, verification, run };
  }

  it('is due again only after another edit', async () => {
    const { ran, verification, run } = checks();
    verification.note(edited);
    await run();
    await run();
    expect(ran).toEqual(['a', 'b']);
    verification.note(edited);
    await run();
    expect(ran).toEqual(['a', 'b', 'a', 'b']);
  });

  it('is still due when it was interrupted', async () => {
    const { ran, verification, run } = checks();
    verification.note(edited);
    await run(AbortSignal.abort());
    expect(ran).toEqual([]);
    await run();
    expect(ran).toEqual(['a', 'b']);
  });
});
