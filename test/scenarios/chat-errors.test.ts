import { describe, expect, it } from 'vitest';
import { FakeOpenAi, type FakeReplies, type FakeReply, textOf } from '../support/fake-openai.ts';
import type { HermaExit } from '../support/herma.ts';
import { Scene } from '../support/scene.ts';

const busy: FakeReply = { status: 500, headers: { 'retry-after': '0' }, body: 'the engine is on fire' };

/** What every failure has in common: the code, nothing on standard output, few lines, no stack trace. */
function expectCleanFailure({ code, stdout, stderr }: HermaExit, message: RegExp): void {
  expect(stderr).toMatch(message);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).not.toMatch(/^\s+at /m);
  const lines = stderr.trimEnd().split('\n');
  const first = lines.findIndex((line) => line.startsWith('herma: '));
  expect(lines.slice(first).length).toBeLessThanOrEqual(2);
  expect(lines.slice(0, first).every((line) => line.includes('Trying again in'))).toBe(true);
}

/** Asks once more in the same session; gives back what the server was sent after the system prompt. */
async function historyAfter(scene: Scene): Promise<readonly string[]> {
  await using server = await FakeOpenAi.start([{ text: 'fine' }]);
  const model = ['--model', 'openai-compatible:gpt-test', '--base-url', server.baseUrl];
  const { code, stderr } = await scene.run(['chat', '-q', 'and now?', '--continue', ...model]);
  expect(code, stderr).toBe(0);
  return (await server.received(1)).messages.slice(1).map((message) => textOf(message));
}

interface Case {
  readonly title: string;
  readonly replies: FakeReplies;
  readonly message: RegExp;
  readonly remedy: RegExp;
  readonly requests: number;
}

const CASES: readonly Case[] = [
  {
    title: 'a web page instead of an answer',
    replies: [{ html: '<html><title>Welcome</title></html>' }],
    message: /127\.0\.0\.1.*text\/html/,
    remedy: /base URL http:\/\/127\.0\.0\.1:\d+\/v1 right\?/,
    requests: 1,
  },
  {
    title: 'a key that is refused',
    replies: [{ status: 401, body: '{"error":{"message":"Incorrect API key provided"}}' }],
    message: /401.*Incorrect API key provided/,
    remedy: /key/,
    requests: 1,
  },
  {
    title: 'a model that is not known',
    replies: [{ status: 404, body: '{"error":{"message":"The model gpt-test does not exist"}}' }],
    message: /does not know the model "gpt-test" \(404\)/,
    remedy: /Check the name of the model/,
    requests: 1,
  },
  {
    title: 'a server that keeps failing',
    replies: () => busy,
    message: /127\.0\.0\.1.* failed \(500\): the engine is on fire/,
    remedy: /Try again later/,
    requests: 4,
  },
  {
    title: 'an answer that is no JSON',
    replies: [{ events: 'data: {"choices": [{"delta"\n\ndata: garbage\n\n' }],
    message: /cannot be read/,
    remedy: /Is the base URL right/,
    requests: 1,
  },
  {
    title: 'a refusal for a reason of its own',
    replies: [{ status: 400, body: '{"error":{"message":"temperature must be 1"}}' }],
    message: /refused the request.*400.*temperature must be 1/,
    remedy: /./,
    requests: 1,
  },
  {
    title: 'a message that is longer than the model can read',
    replies: [{ status: 400, body: '{"error":{"message":"too long","code":"context_length_exceeded"}}' }],
    message: /longer than the model can read/,
    remedy: /Compress it|new session/,
    requests: 1,
  },
];

describe.concurrent('herma chat -q when the model server gives', () => {
  it.each(CASES)('$title: one clear error, and the message is kept', async (each) => {
    await using scene = await Scene.create({ replies: each.replies });
    const exit = await scene.ask('hello there');
    expectCleanFailure(exit, each.message);
    expect(exit.stderr).toMatch(each.remedy);
    expect(scene.server.requests).toHaveLength(each.requests);
    expect((await historyAfter(scene)).join(' ')).toMatch(/^hello there\s+and now\?$/);
  });

  it('three failures and then an answer: the answer', async () => {
    await using scene = await Scene.create({ replies: [busy, busy, busy, { text: 'extinguished' }] });
    const { code, stdout, stderr } = await scene.ask('hello');
    expect([code, stdout]).toEqual([0, 'extinguished\n']);
    expect(stderr.match(/Trying again in/g)).toHaveLength(3);
  });

  it('the same as --json: the document says why, on one line', async () => {
    await using scene = await Scene.create({ replies: [{ status: 401 }] });
    const { code, stdout, stderr } = await scene.ask('hello', ['--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      session_id: expect.any(String),
      final: '',
      end: 'failed',
      turns: 1,
      tool_calls: [],
      error: { code: 'unauthorized', message: expect.stringContaining('401') },
    });
    expect(stderr).toContain('401');
  });

  it('an answer with control sequences in an error: they do not reach the terminal', async () => {
    await using scene = await Scene.create({
      replies: [{ status: 400, body: '{"error":{"message":"\\u001b]52;c;aGk=\\u0007no\\u202e"}}' }],
    });
    const { stderr } = await scene.ask('hello');
    expect(stderr).toContain('no');
    expect(stderr).not.toMatch(/[\u0007\u001b\u202e]/);
  });
});

describe.concurrent('herma chat -q', () => {
  it('says that nobody listens at the address', async () => {
    await using scene = await Scene.create();
    await scene.server[Symbol.asyncDispose]();
    const exit = await scene.ask('hello there');
    expectCleanFailure(exit, /127\.0\.0\.1:\d+/);
    expect(exit.stderr).toMatch(/refused|listens/);
    expect((await historyAfter(scene)).join(' ')).toMatch(/^hello there\s+and now\?$/);
  });

  it('gives a silent server the time that the configuration says', async () => {
    await using scene = await Scene.create({
      config: (baseUrl) =>
        `model: {name: "openai-compatible:gpt-test", base_url: "${baseUrl}", timeout: 0.5}\n`,
      replies: [{ hang: true }],
    });
    const exit = await scene.run(['chat', '-q', 'hello there']);
    expectCleanFailure(exit, /127\.0\.0\.1:\d+/);
    expect(exit.stderr).toMatch(/0\.5 s|500 ms|within/);
  });

  it('ends at once by Ctrl-C when the server is silent, and loses nothing', async () => {
    await using scene = await Scene.create({ replies: [{ hang: true }] });
    const herma = scene.start(['chat', '-q', 'hello there', ...scene.model]);
    await scene.server.received(1);
    herma.child.kill('SIGINT');
    const { code, stdout, stderr } = await herma.exited;
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toMatch(/^herma: The turn was interrupted\.\n {2}.*--continue\n$/);
    expect((await historyAfter(scene)).join(' ')).toMatch(/^hello there\s+and now\?$/);
  });

  it.each([
    [['--model', 'openia:gpt-5'], /openia.*\n?.*openai/],
    [['--model', 'gpt-5'], /gpt-5/],
    [['--model', 'openai:gpt-5'], /OPENAI_API_KEY/],
    [['--model', 'anthropic:claude'], /ANTHROPIC_API_KEY/],
    [['--model', 'openai:gpt-5', '--api-key-env', 'NO_SUCH_KEY'], /NO_SUCH_KEY/],
    [['--model', 'openai-compatible:x'], /base.?url/i],
    [['--model', 'openai-compatible:x', '--base-url', 'ftp://x'], /ftp:\/\/x/],
    [['--model', 'openai-compatible:x', '--base-url', 'nowhere'], /nowhere/],
    [['--base-url', 'http://127.0.0.1:1/v1'], /--base-url and --api-key-env need --model/],
    [['--model', 'scripted:nowhere.json'], /nowhere\.json/],
    [[], /No model is configured\.\n.*herma tour/],
  ])('refuses %j with the value and what to do', async (args, message) => {
    await using scene = await Scene.create();
    expectCleanFailure(await scene.run(['chat', '-q', 'hello', ...args]), message);
  });
});
