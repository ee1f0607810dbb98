import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallReport } from '../gate/index.ts';
import type { Effect } from '../kernel/tool-call/index.ts';
import { systemClock } from '../platform/clock/index.ts';
import { type Config, defaultConfig, type StdioMcpServerConfig } from '../platform/config/index.ts';
import { homePaths } from '../platform/paths/index.ts';
import { createTemporaryHome, type TemporaryHome } from '../testing/index.ts';
import { createRuntime, type Runtime } from './index.ts';

/** Offers the tools that its arguments name. What the first argument says comes first. */
const SERVER = `
const [first, ...names] = process.argv.slice(1);
require('node:fs').appendFileSync('started', process.pid + '\\n');
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const serve = () => require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize') return send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } });
  if (method === 'tools/list') return send({ id, result: { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) } });
  send({ id, result: { content: [{ type: 'text', text: params.name + ' ran' }] } });
});
if (first === 'hang') setInterval(() => undefined, 1000);
else if (first === 'tell') { console.error('my token is ' + process.env.SERVER_TOKEN); process.exit(1); }
else if (first === 'wait') { const poll = setInterval(() => { if (require('node:fs').existsSync('go')) { clearInterval(poll); serve(); } }, 5); }
else serve();
`;

const serverOf = (
  first: 'serve' | 'hang' | 'tell' | 'wait',
  names: readonly string[],
  env: readonly (readonly [string, string])[] = [],
): StdioMcpServerConfig => ({
  transport: 'stdio',
  command: process.execPath,
  args: ['-e', SERVER, first, ...names],
  env: new Map(env),
  enabled: true,
  timeoutMs: 60_000,
  effects: new Map<string, Effect>(),
});

let temporary: TemporaryHome;
let runtime: Runtime | undefined;
let warnings: string[] = [];

beforeEach(async () => {
  temporary = await createTemporaryHome();
  warnings = [];
});
afterEach(async () => {
  await runtime?.close();
  await temporary.remove();
});

function start(
  servers: Readonly<Record<string, StdioMcpServerConfig>>,
  change: Partial<Config> = {},
): Runtime {
  runtime = createRuntime({
    paths: homePaths(temporary.home),
    config: { ...defaultConfig, ...change, mcpServers: new Map(Object.entries(servers)) },
    environment: { PATH: process.env['PATH'] ?? '', HOME: temporary.home },
    cwd: temporary.project,
    surface: 'test',
    clock: systemClock,
    onWarning: (line) => warnings.push(line),
  });
  return runtime;
}

async function call(tool: string, signal = new AbortController().signal): Promise<CallReport | undefined> {
  const ids = { callId: 'c', sessionId: 's', rootSessionId: 's', turnId: 't', ordinal: 0 };
  return runtime?.call({ ...ids, tool, args: {}, cwd: temporary.project }, signal);
}

function started(): readonly number[] {
  const file = join(temporary.project, 'started');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
}

describe('MCP servers', () => {
  it('whose tools cannot be told apart lose those tools; a line names both, once', async () => {
    start({ a: serverOf('serve', ['_b', 'c']), a_: serverOf('serve', ['b', 'd']) });
    expect(await call('mcp__a___b')).toMatchObject({ status: 'error', errorType: 'unknown_tool' });
    expect(await call('mcp__a__c')).toMatchObject({ status: 'ok', text: 'c ran' });
    expect(await call('mcp__a___d')).toMatchObject({ status: 'ok', text: 'd ran' });
    expect(warnings).toEqual([
      expect.stringMatching(/"_b" of the MCP server "a" and "b" of the MCP server "a_"/),
    ]);
  });

  it('have no tool that is disabled', async () => {
    start({ s: serverOf('serve', ['x', 'y']) }, { tools: { disabled: ['mcp__s__x'] } });
    expect(await call('mcp__s__x')).toMatchObject({ status: 'error', errorType: 'unknown_tool' });
    expect(await call('mcp__s__y')).toMatchObject({ status: 'ok' });
  });

  it('are there for the next call when one was interrupted while they started', async () => {
    start({ slow: serverOf('wait', ['x']) });
    const controller = new AbortController();
    const first = call('mcp__slow__x', controller.signal);
    await expect.poll(() => started().length).toBe(1);
    controller.abort();
    expect(await first).toMatchObject({ status: 'cancelled', executed: false });
    await temporary.writeFile('go', '');
    expect(await call('mcp__slow__x')).toMatchObject({ status: 'ok', text: 'x ran' });
    expect([started().length, warnings]).toEqual([1, []]);
  });

  it('that are still starting are ended with the agent, which does not wait for them', async () => {
    const hung = start({ hung: serverOf('hang', []) });
    const pending = call('mcp__hung__x');
    await expect.poll(() => started().length).toBe(1);
    await hung.close();
    await pending;
    const [pid] = started();
    expect(() => process.kill(pid ?? 0, 0)).toThrow();
    expect(warnings).toEqual([]);
  });

  it('give no secret of theirs away in the line that says why they are not there', async () => {
    const token = 'hush-correct-horse-battery';
    start({ tells: serverOf('tell', [], [['SERVER_TOKEN', token]]) });
    await call('mcp__tells__x');
    expect(warnings).toEqual([expect.stringContaining('my token is')]);
    expect(warnings.join()).not.toContain(token);
  });
});
