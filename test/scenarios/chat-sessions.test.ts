import { describe, expect, it } from 'vitest';
import { textOf } from '../support/fake-openai.ts';
import type { HermaExit } from '../support/herma.ts';
import { Scene } from '../support/scene.ts';

interface Answer {
  readonly session_id: string;
}

async function askJson(scene: Scene, text: string, args: readonly string[] = []): Promise<Answer> {
  return documentOf(await scene.ask(text, ['--json', ...args]));
}

function documentOf({ stdout, stderr }: HermaExit): Answer {
  try {
    return JSON.parse(stdout) as Answer;
  } catch {
    throw new Error(`no document: ${stdout}\n${stderr}`);
  }
}

const texts = (scene: Scene, request: number): readonly string[] =>
  (scene.server.requests[request - 1]?.messages ?? []).slice(1).map((message) => textOf(message));

describe.concurrent('sessions of herma chat', () => {
  it('takes a session up with --resume and the last one of the folder with --continue', async () => {
    await using scene = await Scene.create({ replies: (_, index) => ({ text: `answer ${index + 1}` }) });
    const first = await askJson(scene, 'one');
    const second = await askJson(scene, 'two');
    expect(second.session_id).not.toBe(first.session_id);
    const resumed = await askJson(scene, 'three', ['--resume', first.session_id]);
    expect(resumed.session_id).toBe(first.session_id);
    expect(texts(scene, 3)).toEqual(['one', 'answer 1', 'three']);
    const continued = await askJson(scene, 'four', ['-c']);
    expect(continued.session_id).toBe(first.session_id);
    expect(texts(scene, 4)).toEqual(['one', 'answer 1', 'three', 'answer 3', 'four']);
  });

  it('has nothing to continue in a folder where nothing was said', async () => {
    await using scene = await Scene.create({ replies: [{ text: 'hello' }] });
    const nothing = await scene.ask('go on', ['--continue']);
    expect([nothing.code, nothing.stdout]).toEqual([2, '']);
    expect(nothing.stderr).toMatch(/^herma: No session was used in .*\n {2}.*herma chat/);
    await scene.ask('hi');
    const elsewhere = await scene.ask('go on', ['--continue'], { cwd: scene.home });
    expect(elsewhere.code).toBe(2);
    expect(elsewhere.stderr).toContain(scene.home);
    expect(scene.server.requests).toHaveLength(1);
  });

  it('goes on after the history was condensed, with the id from before and from after', async () => {
    const isSummary = ({ tools }: { readonly tools: readonly unknown[] }): boolean => tools.length === 0;
    await using scene = await Scene.create({
      config: (baseUrl) =>
        [
          `model: {name: "openai-compatible:gpt-test", base_url: "${baseUrl}", context_window: 12000}`,
          'compression: {keep_first: 0, keep_last_turns: 1}',
        ].join('\n'),
      replies: (request, index) =>
        isSummary(request) ? { text: 'They spoke of stones.' } : { text: `answer ${index + 1}` },
    });
    const say = async (text: string, ...args: readonly string[]): Promise<Answer> =>
      documentOf(await scene.run(['chat', '-q', text, '--json', ...args]));
    const long = 'stone '.repeat(1500);
    const started = await say(`first ${long}`);
    await say(`second ${long}`, '-c');
    await say(`third ${long}`, '-c');
    expect(scene.server.requests.some((request) => isSummary(request))).toBe(true);
    const after = await say('and now?', '--continue');
    expect(after.session_id).not.toBe(started.session_id);
    const asked = texts(scene, scene.server.requests.length).join('\n');
    expect(asked).toContain('They spoke of stones.');
    expect(asked).not.toContain('first stone');
    expect(asked).toMatch(/and now\?$/);
    const byOldId = await say('still there?', '--resume', started.session_id);
    expect(byOldId.session_id).toBe(after.session_id);
    expect(texts(scene, scene.server.requests.length)).toContain('and now?');
  });

  it('refuses a second writer and names the process that writes', async () => {
    await using scene = await Scene.create({ replies: [{ text: 'hello' }, { hang: true }] });
    const { session_id: sessionId } = await askJson(scene, 'hi');
    const writer = scene.start(['chat', '-q', 'wait', ...scene.model, '--resume', sessionId]);
    await scene.server.received(2);
    for (const args of [['--resume', sessionId], ['--continue']]) {
      const second = await scene.ask('me too', args);
      expect([second.code, second.stdout]).toEqual([2, '']);
      expect(second.stderr).toContain(`Session ${sessionId} is in use by process ${writer.pid}`);
    }
    const independent = scene.start(['chat', '-q', 'other', ...scene.model]);
    await scene.server.received(3);
    await independent.end();
    writer.child.kill('SIGKILL');
    await writer.exited;
    const after = await askJson(scene, 'free again', ['--resume', sessionId]);
    expect(after.session_id).toBe(sessionId);
  });

  it.each([
    [['--resume', 'nope'], /There is no session "nope"/],
    [['--resume', '../../etc/passwd'], /"\.\.\/\.\.\/etc\/passwd"/],
    [['--resume', '__proto__'], /__proto__/],
    [['--resume', 'x', '--continue'], /--resume and --continue exclude each other; give one of them/],
    [['--resume', ''], /--resume/],
  ])('refuses %j in one or two lines', async (args, message) => {
    await using scene = await Scene.create();
    const { code, stdout, stderr } = await scene.ask('hi', args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
    expect(scene.server.requests).toEqual([]);
  });

  it('says in the document of --json why a session cannot be opened', async () => {
    await using scene = await Scene.create();
    const { code, stdout } = await scene.ask('hi', ['--json', '--resume', 'nope']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'no_such_session',
        message: expect.stringContaining('nope'),
        remedy: expect.any(String),
      },
    });
  });
});
