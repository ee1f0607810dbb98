import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime } from '../src/app/index.ts';
import { valueOrThrow } from '../src/kernel/errors/index.ts';
import { systemClock } from '../src/platform/clock/index.ts';
import { defaultConfig } from '../src/platform/config/index.ts';
import { writeFileAtomic } from '../src/platform/files/index.ts';
import { homePaths } from '../src/platform/paths/index.ts';
import { type Figure, median } from './measure.ts';

const CALLS = 1000;
const CALLS_PER_MESSAGE = 10;
const PART = 100;

/** A thousand tool calls in one session: the last hundred against the first. */
export async function longSession(): Promise<readonly Figure[]> {
  const home = await mkdtemp(join(tmpdir(), 'herma-bench-'));
  try {
    const script = join(home, 'script.json');
    valueOrThrow(
      await writeFileAtomic(script, JSON.stringify({ context_window: 100_000_000, steps: steps() })),
    );
    const durations = await durationsOf(home, script);
    const [first, last] = [median(durations.slice(0, PART)), median(durations.slice(-PART))];
    return [
      {
        name: 'call 901–1000 / call 1–100 of a session',
        ratio: last / first,
        limit: 1.2,
        value: last,
        floor: first,
      },
    ];
  } finally {
    await rm(home, { recursive: true });
  }
}

function steps(): readonly unknown[] {
  const messages = Array.from({ length: CALLS / CALLS_PER_MESSAGE }, (_, message) => ({
    tool_calls: Array.from({ length: CALLS_PER_MESSAGE }, (_unused, call) => ({
      id: `c${String(message)}_${String(call)}`,
      name: 'write_file',
      args: { path: `f${String(call)}.txt`, content: `message ${String(message)}\n` },
    })),
  }));
  return [...messages, 'done'];
}

/** Milliseconds of each call in order: from the end of the one before it, within its message. */
async function durationsOf(home: string, script: string): Promise<readonly number[]> {
  const runtime = createRuntime({
    paths: homePaths(home),
    config: { ...defaultConfig, agent: { ...defaultConfig.agent, maxIterations: CALLS } },
    environment: { PATH: process.env['PATH'] ?? '', HOME: home },
    cwd: home,
    surface: 'bench',
    clock: systemClock,
    model: { name: `scripted:${script}` },
    onWarning: (line) => process.stderr.write(`${line}\n`),
  });
  try {
    const { conversation } = valueOrThrow(await runtime.openSession({ type: 'new' }));
    const durations: number[] = [];
    let previous = 0;
    const { signal } = new AbortController();
    const result = valueOrThrow(
      await runtime.runTurn({
        conversation,
        text: 'go',
        signal,
        onEvent: (event) => {
          if (event.type !== 'message-completed' && event.type !== 'call-finished') return;
          const now = performance.now();
          if (event.type === 'call-finished') durations.push(now - previous);
          previous = now;
        },
      }),
    );
    if (result.end !== 'completed' || durations.length !== CALLS)
      throw new Error(`the session ended as ${result.end}`);
    return durations;
  } finally {
    await runtime.close();
  }
}
