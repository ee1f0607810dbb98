import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Gate, hookAudience, performCall, type Tool } from '../src/gate/index.ts';
import { systemClock } from '../src/platform/clock/index.ts';
import { CallbackRegistry } from '../src/safety/hooks/index.ts';
import { type Figure, median } from './measure.ts';

const CALLS = 2000;

/** What the gate adds to a call, with a guard, an observer and a transform, against the start of a process. */
export async function gateOverhead(): Promise<readonly Figure[]> {
  const value = await medianCall();
  const floor = await medianStart();
  // A start takes about 20 ms; a twentieth of it is the millisecond that a call may cost.
  return [{ name: 'gate overhead per call / node -e 0', ratio: value / floor, limit: 1 / 20, value, floor }];
}

async function medianCall(): Promise<number> {
  const callbacks = new CallbackRegistry(systemClock);
  callbacks.register('pre_tool_call', { name: 'guard' }, () => undefined);
  callbacks.register('post_tool_call', { name: 'observer' }, () => undefined);
  callbacks.register('transform_tool_result', { name: 'transform' }, () => undefined);
  const tool: Tool = {
    name: 'write_file',
    description: '',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    effect: 'write',
    idempotent: true,
    pathArguments: ['path'],
    execute: () => Promise.resolve({ status: 'ok', result: 'done' }),
  };
  const gate = new Gate({
    catalog: { lookup: () => tool, names: () => ['write_file'] },
    unknownTools: 'refuse',
    guards: () => callbacks.guards(),
    approver: { decide: () => Promise.resolve({ type: 'refused', choice: 'deny', message: '' }) },
    audience: hookAudience(callbacks),
    clock: systemClock,
    newTicketId: () => 'ticket',
  });
  const content = 'x'.repeat(4096);
  const times: number[] = [];
  for (let ordinal = 0; ordinal < CALLS; ordinal += 1) {
    const startedAt = performance.now();
    const report = await performCall(
      {
        tool: 'write_file',
        args: { path: `file-${String(ordinal)}.txt`, content },
        callId: `c${String(ordinal)}`,
        sessionId: 's',
        rootSessionId: 's',
        turnId: 't',
        ordinal,
        cwd: '/project',
        origin: { kind: 'herma', surface: 'bench' },
      },
      { gate, toolOf: () => tool, clock: systemClock, signal: new AbortController().signal },
    );
    if (report.status !== 'ok') throw new Error(report.message);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

async function medianStart(): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 15; round += 1) {
    const startedAt = performance.now();
    await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
    times.push(performance.now() - startedAt);
  }
  return median(times);
}
