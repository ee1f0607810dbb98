import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventPayload } from '../src/kernel/events/index.ts';
import { systemClock } from '../src/platform/clock/index.ts';
import { credentialFreeEnvironment, readEnvironment } from '../src/platform/environment/index.ts';
import {
  CallbackRegistry,
  hookPayload,
  registerShellHooks,
  type ShellHook,
  type ShellHookPorts,
} from '../src/safety/hooks/index.ts';
import { alternate, type Figure } from './measure.ts';

const ROUNDS = 60;
const OBSERVERS = 10;
const OBSERVER_ROUNDS = 5;
const UNHEARD = 1000;

const { signal } = new AbortController();

/** What the dispatch of shell hooks costs beside the scripts themselves, and what an event costs that nobody listens to. */
export async function hooks(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'herma-bench-'));
  try {
    return [await oneHook(folder), await tenObservers(folder), await unheardEvents()];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function oneHook(folder: string): Promise<Figure> {
  const script = writeScript(
    folder,
    'guard.sh',
    'input=$(cat); [[ $input == *"rm -rf"* ]] && exit 2; echo "{}"',
  );
  const payload = ended(folder);
  const stdin = JSON.stringify(hookPayload('post_tool_call', payload, { cwd: folder }));
  const registry = listening(folder, [observer(script)]);
  const [floor = Number.NaN, value = Number.NaN] = await alternate(ROUNDS, [
    async () => timed(async () => bareSpawn(script, folder, stdin)),
    async () => timed(async () => told(registry, payload)),
  ]);
  return {
    name: 'one shell hook / bare spawn of its script',
    ratio: value / floor,
    limit: 1.3,
    value,
    floor,
  };
}

async function tenObservers(folder: string): Promise<Figure> {
  const script = writeScript(folder, 'observer.sh', 'cat > /dev/null; sleep 0.2');
  const payload = ended(folder);
  const one = listening(folder, [observer(script)]);
  const ten = listening(
    folder,
    Array.from({ length: OBSERVERS }, (_, index) => observer(`${script} ${String(index)}`)),
  );
  const [floor = Number.NaN, value = Number.NaN] = await alternate(OBSERVER_ROUNDS, [
    async () => timed(async () => told(one, payload)),
    async () => timed(async () => told(ten, payload)),
  ]);
  return { name: 'ten matching observers / one of them', ratio: value / floor, limit: 2, value, floor };
}

async function unheardEvents(): Promise<Figure> {
  const registry = new CallbackRegistry(systemClock);
  const [floor = Number.NaN, value = Number.NaN] = await alternate(15, [
    async () => timed(async () => once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit')),
    async () =>
      timed(async () => {
        for (let round = 0; round < UNHEARD; round += 1)
          await registry.observe('post_tool_call', neverBuilt, signal);
      }),
  ]);
  // A start takes about 20 ms; a quarter of it is 5 µs for each event.
  return { name: '1000 events nobody hears / node -e 0', ratio: value / floor, limit: 1 / 4, value, floor };
}

function neverBuilt(): never {
  throw new Error('a payload was built that nobody reads');
}

function listening(home: string, entries: readonly ShellHook[]): CallbackRegistry {
  const registry = new CallbackRegistry(systemClock);
  const environment = readEnvironment();
  const ports: ShellHookPorts = {
    permit: () => Promise.resolve({ ok: true }),
    environment: () => credentialFreeEnvironment(environment),
    home,
    userHome: home,
    cwdOf: () => home,
  };
  registerShellHooks(registry, entries, ports);
  return registry;
}

function observer(command: string): ShellHook {
  return {
    event: 'post_tool_call',
    command,
    matcher: 'write_file|patch',
    timeoutMs: 60_000,
    failClosed: false,
    env: [],
  };
}

async function told(registry: CallbackRegistry, payload: EventPayload<'post_tool_call'>): Promise<void> {
  const warnings = await registry.observe('post_tool_call', payload, signal);
  if (warnings.length > 0) throw new Error(warnings.join('\n'));
}

async function bareSpawn(script: string, cwd: string, stdin: string): Promise<void> {
  const child = spawn(script, [], { cwd, stdio: 'pipe' });
  child.stdout.resume();
  child.stderr.resume();
  child.stdin.end(stdin);
  await once(child, 'close');
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function writeScript(folder: string, name: string, body: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/bash\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

function ended(cwd: string): EventPayload<'post_tool_call'> {
  return {
    toolName: 'write_file',
    args: { path: 'a.ts', content: 'x'.repeat(4096) },
    sessionId: 's',
    turnId: 't',
    toolCallId: 'c',
    cwd,
    result: 'done',
    durationMs: 1,
    status: 'ok',
  };
}
