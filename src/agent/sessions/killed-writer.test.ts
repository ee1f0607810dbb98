import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { valueOrThrow } from '../../kernel/errors/index.ts';
import { FakeClock } from '../../platform/clock/index.ts';
import { openSessionStore, repairMessages } from './index.ts';

let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'herma-sessions-'));
  path = join(folder, 'state.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/**
 * A process that appends to a session of its own for ever, a call and its result by turns, and prints a line for each
 * message once it is stored.
 */
function startWriter() {
  const source = `
    import { writeSync } from 'node:fs';
    import { openSessionStore } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
    import { systemClock } from ${JSON.stringify(new URL('../../platform/clock/index.ts', import.meta.url).href)};
    const opened = openSessionStore({ path: ${JSON.stringify(path)}, clock: systemClock });
    if (!opened.ok) throw new Error(opened.message);
    const created = opened.value.create({ source: 'test', cwd: '/' });
    if (!created.ok) throw new Error(created.message);
    writeSync(1, created.value.id + '\\n');
    for (let index = 0; ; index += 1) {
      const callId = 'c' + (index - (index % 2));
      const message = index % 2 === 0
        ? { role: 'assistant', text: '', calls: [{ callId, tool: 'terminal', args: { index } }] }
        : { role: 'tool', callId, tool: 'terminal', text: 'x'.repeat(index % 5000), status: 'ok' };
      const appended = opened.value.append(created.value.id, message, 't1');
      if (!appended.ok) throw new Error(appended.message);
      writeSync(1, index + '\\n');
    }`;
  return spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Lets a writer acknowledge at least `count` messages, kills it, and tells its session and what it had acknowledged. */
async function killAfter(count: number) {
  const writer = startWriter();
  let output = '';
  writer.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    if (output.split('\n').length > count + 1) writer.kill('SIGKILL');
  });
  const [, signal] = await once(writer, 'close');
  expect(signal).toBe('SIGKILL');
  const [sessionId = '', ...acknowledged] = output.split('\n').slice(0, -1);
  return { sessionId, acknowledged };
}

it('keeps every acknowledged message of writers that are killed while others write to the same file', async () => {
  const kills = await Promise.all([0, 1, 2, 3, 10, 101].map(killAfter));
  const store = valueOrThrow(openSessionStore({ path, clock: new FakeClock() }));
  for (const { sessionId, acknowledged } of kills) {
    const messages = valueOrThrow(store.load(sessionId)).map(({ message }) => message);
    expect([acknowledged.length, acknowledged.length + 1]).toContain(messages.length);
    expect(valueOrThrow(store.get(sessionId)).messageCount).toBe(messages.length);
    messages.forEach((message, index) => {
      expect(message.role).toBe(index % 2 === 0 ? 'assistant' : 'tool');
    });
    const repaired = repairMessages(messages, { effectOf: () => 'execute' });
    const unanswered = messages.length % 2;
    expect(repaired.filter(({ role }) => role === 'tool')).toHaveLength(Math.ceil(messages.length / 2));
    expect(repaired.filter(({ text: said }) => said.includes('effect is unknown'))).toHaveLength(unanswered);
  }
  store.close();
});
