import { describe, expect, it } from 'vitest';
import { olderNodes } from '../launcher/checkout.ts';
import { resultsIn, textOf } from '../support/fake-openai.ts';
import { Scene } from '../support/scene.ts';

const GREETING = 'Grüße, "World"\n\tfrom the agent\n';

describe.concurrent('herma chat -q with a model server', () => {
  it('creates hello.txt as the README says: one call, streamed in pieces', async () => {
    await using scene = await Scene.create({
      replies: [
        {
          text: 'I create it.',
          calls: [{ id: 'call_1', name: 'write_file', args: { path: 'hello.txt', content: GREETING } }],
        },
        { text: 'hello.txt is there. **Done.**', usage: { prompt: 100, completion: 7 } },
      ],
    });
    const { code, stdout, stderr } = await scene.ask('create hello.txt with a greeting');
    expect([code, stdout]).toEqual([0, 'hello.txt is there. **Done.**\n']);
    expect(stderr).toBe('I create it.\n✓ write_file: hello.txt\n');
    expect(scene.read('hello.txt')).toBe(GREETING);

    const [first, second, ...rest] = scene.server.requests;
    expect(rest).toEqual([]);
    expect(first).toMatchObject({ path: '/v1/chat/completions', model: 'gpt-test', stream: true });
    expect(first?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    const [system, user] = first?.messages ?? [];
    expect(system && textOf(system)).toContain(`Working directory: ${scene.project}`);
    expect(user && textOf(user)).toBe('create hello.txt with a greeting');
    const offered = first?.tools.map((tool) => tool.function.name);
    expect(offered).toEqual(
      expect.arrayContaining([
        'read_file',
        'search_files',
        'write_file',
        'patch',
        'terminal',
        'process',
        'todo',
        'clarify',
        'delegate_task',
      ]),
    );
    expect(first?.tools.every((tool) => 'type' in tool.function.parameters)).toBe(true);

    expect(second?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(second?.messages.slice(0, 2)).toEqual(first?.messages);
    const [asked] = second?.messages[2]?.tool_calls ?? [];
    expect(asked).toMatchObject({ id: 'call_1', function: { name: 'write_file' } });
    expect(JSON.parse(asked?.function.arguments ?? '')).toEqual({ path: 'hello.txt', content: GREETING });
    expect(second?.messages[2] && textOf(second.messages[2])).toBe('I create it.');
    expect(second && resultsIn(second)).toEqual([['call_1', expect.stringContaining('hello.txt')]]);
  });

  it('runs two calls of one message side by side and answers them in the order of the calls', async () => {
    // The first ends only after the second has begun: one after the other they would not end in time.
    const meet = (mine: string, other: string): string =>
      `touch ${mine}; for i in $(seq 400); do [ -e ${other} ] && break; sleep 0.05; done; [ -e ${other} ] && echo met ${other}`;
    await using scene = await Scene.create({
      replies: [
        {
          calls: [
            { id: 'a', name: 'terminal', args: { command: `${meet('one', 'two')}; sleep 0.3` } },
            { id: 'b', name: 'terminal', args: { command: meet('two', 'one') } },
          ],
        },
        { text: 'Both met.' },
      ],
    });
    const { code, stdout } = await scene.ask('meet', ['--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      final: 'Both met.',
      tool_calls: [
        { call_id: 'a', tool: 'terminal', status: 'ok' },
        { call_id: 'b', tool: 'terminal', status: 'ok' },
      ],
    });
    const results = resultsIn(await scene.server.received(2));
    expect(results.map(([id]) => id)).toEqual(['a', 'b']);
    expect(results.map(([, text]) => JSON.parse(text) as unknown)).toEqual([
      expect.objectContaining({ output: 'met two\n', exit_code: 0 }),
      expect.objectContaining({ output: 'met one\n', exit_code: 0 }),
    ]);
  });

  it('tells the model of an error of a tool, of an unknown tool and of unreadable arguments, and goes on', async () => {
    await using scene = await Scene.create({
      replies: [
        {
          calls: [
            { id: 'missing', name: 'read_file', args: { path: 'missing.txt' } },
            { id: 'unknown', name: 'write_fiel', args: { path: 'x' } },
            { id: 'schema', name: 'write_file', args: { path: 7 } },
            { id: 'broken', name: 'write_file', args: '{"path": "x' },
            { id: 'proto', name: 'constructor', args: {} },
          ],
        },
        { text: 'All five failed.' },
      ],
    });
    const { code, stdout, stderr } = await scene.ask('fail');
    expect([code, stdout]).toEqual([0, 'All five failed.\n']);
    expect(stderr.match(/^✗ .*\(error: /gm)).toHaveLength(5);
    const results = new Map(resultsIn(await scene.server.received(2)));
    expect([...results.keys()]).toEqual(['missing', 'unknown', 'schema', 'broken', 'proto']);
    expect(results.get('missing')).toContain('missing.txt');
    expect(results.get('unknown')).toMatch(/write_fiel.*write_file/s);
    expect(results.get('schema')).toContain('path');
    expect(results.get('broken')).toContain('{\\"path\\": \\"x');
    expect(results.get('proto')).toContain('constructor');
    expect(scene.read('x')).toBeUndefined();
  });

  it('waits as long as a 429 asks for, then succeeds', async () => {
    await using scene = await Scene.create({
      replies: [
        { status: 429, headers: { 'retry-after': '0' } },
        { status: 429, headers: { 'retry-after-ms': '10' } },
        { text: 'at last' },
      ],
    });
    const { code, stdout, stderr } = await scene.ask('hurry');
    expect([code, stdout]).toEqual([0, 'at last\n']);
    expect(stderr).toMatch(/too many requests \(429\).* Trying again in 0\.0 s\.\n/);
    expect(stderr.trimEnd().split('\n')).toHaveLength(2);
    const [first, , third] = scene.server.requests;
    expect(third?.messages).toEqual(first?.messages);
  });

  it('begins an answer again when the stream breaks, and doubles no text', async () => {
    await using scene = await Scene.create({
      replies: [{ cutAfter: 'The answer is for' }, { text: 'The answer is forty-two.' }, { text: 'Yes.' }],
    });
    const { code, stdout, stderr } = await scene.ask('what is it?');
    expect([code, stdout]).toEqual([0, 'The answer is forty-two.\n']);
    expect(stderr).toContain('Trying again in');
    await scene.ask('sure?', ['--continue']);
    const asked = (await scene.server.received(3)).messages.map((message) => textOf(message));
    expect(asked.slice(1)).toEqual(['what is it?', 'The answer is forty-two.', 'sure?']);
  });

  it('prints the document of --json and nothing else on standard output', async () => {
    await using scene = await Scene.create({
      replies: [
        {
          text: 'Look.',
          usage: { prompt: 20, completion: 4 },
          calls: [{ id: 'c1', name: 'read_file', args: { path: 'a.txt' } }],
        },
        { text: 'Nothing \u001b[31mred\u001b[0m here.', usage: { prompt: 30, completion: 6 } },
      ],
    });
    const { code, stdout, stderr } = await scene.ask('look', ['--json']);
    expect(code).toBe(0);
    const document = JSON.parse(stdout) as { readonly session_id: string };
    expect(document).toEqual({
      session_id: expect.stringMatching(/\S/),
      final: 'Nothing \u001b[31mred\u001b[0m here.',
      end: 'completed',
      turns: 2,
      capped: false,
      tool_calls: [{ call_id: 'c1', tool: 'read_file', status: 'error' }],
      usage: { input_tokens: 50, output_tokens: 10 },
    });
    expect(stdout.trimEnd()).not.toContain('\n');
    expect(stderr).toMatch(/^Look\.\n✗ read_file: a\.txt/);
  });

  it('ends a turn that never comes to an answer, with exit code 1', async () => {
    await using scene = await Scene.create({
      config: 'agent: {max_iterations: 3}\n',
      replies: (_, index) => ({
        text: `step ${index}`,
        calls: [{ id: 'again', name: 'todo', args: {} }],
      }),
    });
    const { code, stdout, stderr } = await scene.ask('loop', ['--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      final: 'step 2',
      end: 'iteration_limit',
      capped: true,
      turns: 3,
    });
    expect(stderr).toContain('3 model requests (agent.max_iterations)');
    expect(scene.server.requests).toHaveLength(3);
  });

  it.each(olderNodes())('works when it is started with $title', async ({ command, prefix }) => {
    await using scene = await Scene.create({
      replies: [
        { calls: [{ id: 'c', name: 'write_file', args: { path: 'a.txt', content: 'a\n' } }] },
        { text: 'written' },
      ],
    });
    const exit = await scene.ask('write', [], { node: { command, prefix } });
    expect(exit).toMatchObject({ code: 0, stdout: 'written\n' });
    expect(scene.read('a.txt')).toBe('a\n');
  });

  it('reads the message from standard input, of 5 MB too', async () => {
    await using scene = await Scene.create({
      replies: [{ text: 'read' }],
    });
    const message = `${'Lorem ipsum – dolor. '.repeat(240_000)}the end`;
    expect(Buffer.byteLength(message)).toBeGreaterThan(5_000_000);
    const { code, stdout } = await scene.ask('-', [], { stdin: message });
    expect([code, stdout]).toEqual([0, 'read\n']);
    const user = scene.server.requests[0]?.messages.at(-1);
    expect(user && textOf(user) === message).toBe(true);
  });

  it('sends the key that is named, and only to the address that is named', async () => {
    await using scene = await Scene.create({ replies: [{ text: 'hi' }] });
    const exit = await scene.ask('hi', ['--api-key-env', 'MY_KEY'], { env: { MY_KEY: 'sk-test-1' } });
    expect(exit.code).toBe(0);
    expect(scene.server.requests[0]?.authorization).toBe('Bearer sk-test-1');
  });
});
