import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { resultsIn } from '../support/fake-openai.ts';
import { Scene } from '../support/scene.ts';

/** A server over standard streams with one tool, which writes down what it is asked. */
const SERVER = `
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '1' } } });
  else if (method === 'tools/list') send({ id, result: { tools: [{ name: 'add', description: 'adds a note', inputSchema: { type: 'object', properties: { note: { type: 'string' } }, required: ['note'] } }] } });
  else if (method === 'tools/call') {
    appendFileSync('notes.txt', params.arguments.note + '\\n');
    send({ id, result: { content: [{ type: 'text', text: 'noted' }] } });
  }
});
`;

const withServer = (more: string) => (baseUrl: string) =>
  `
model: {name: "openai-compatible:gpt-test", base_url: "${baseUrl}"}
mcp_servers:
  notes: {command: ${process.execPath}, args: [server.mjs]}
${more}`;

const CALLS = [{ id: 'c1', name: 'mcp__notes__add', args: { note: 'buy milk' } }];

describe.concurrent('an MCP server of the configuration', () => {
  it('serves the model through the gate', async () => {
    await using scene = await Scene.create({
      config: withServer(''),
      replies: [{ calls: CALLS }, { text: 'Noted.' }],
    });
    writeFileSync(scene.path('server.mjs'), SERVER);
    const { code, stdout } = await scene.run(['chat', '-q', 'note that']);
    expect([code, stdout]).toEqual([0, 'Noted.\n']);
    const [first, second] = scene.server.requests;
    expect(first?.tools.map((tool) => tool.function.name)).toContain('mcp__notes__add');
    expect(second === undefined ? [] : resultsIn(second)).toEqual([['c1', 'noted']]);
    expect(scene.read('notes.txt')).toBe('buy milk\n');
  });

  it('does nothing that nobody approved', async () => {
    await using scene = await Scene.create({
      config: withServer('approvals: {ask: ["mcp__*"]}'),
      replies: [{ calls: CALLS }, { text: 'It was blocked.' }],
    });
    writeFileSync(scene.path('server.mjs'), SERVER);
    const { code, stderr } = await scene.run(['chat', '-q', 'note that']);
    expect(code).toBe(0);
    expect(stderr).toContain('blocked');
    expect(scene.read('notes.txt')).toBeUndefined();
  });

  it('serves a single call too', async () => {
    await using scene = await Scene.create({ config: withServer('') });
    writeFileSync(scene.path('server.mjs'), SERVER);
    const stdin = JSON.stringify({ tool: 'mcp__notes__add', args: { note: 'one' }, cwd: scene.project });
    const { code, stdout } = await scene.run(['call'], { stdin });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'ok', executed: true, result: 'noted' });
    expect(scene.read('notes.txt')).toBe('one\n');
  });
});
