import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FakeReplies, resultsIn } from '../support/fake-openai.ts';
import { Scene } from '../support/scene.ts';

const ASK = 'approvals: {ask: [terminal]}\n';

const touches =
  (file: string): FakeReplies =>
  (request) =>
    request.messages.at(-1)?.role === 'tool'
      ? { text: 'So be it.' }
      : { calls: [{ id: 'c1', name: 'terminal', args: { command: `touch ${file}` } }] };

describe.concurrent('an approval that nobody can be asked for', () => {
  it('is a block, and the model and the person are told why', async () => {
    await using scene = await Scene.create({ config: ASK, replies: touches('a.txt') });
    const { code, stdout, stderr } = await scene.ask('touch it', ['--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      final: 'So be it.',
      tool_calls: [{ call_id: 'c1', tool: 'terminal', status: 'blocked' }],
    });
    expect(stderr).toMatch(/✗ terminal: touch a\.txt \(blocked: .*nobody is here to ask/);
    expect(scene.read('a.txt')).toBeUndefined();
    expect(resultsIn(await scene.server.received(2))).toEqual([
      ['c1', expect.stringMatching(/^BLOCKED by .*nobody is here to ask/)],
    ]);
    expect(existsSync(join(scene.home, 'approvals.json'))).toBe(false);
  });

  it('is not answered by what is piped into a conversation', async () => {
    await using scene = await Scene.create({ config: ASK, replies: touches('a.txt') });
    const exit = await scene.run(['chat', ...scene.model], { stdin: 'touch it\nyes\nalways\n' });
    expect(exit.code).toBe(0);
    expect(scene.read('a.txt')).toBeUndefined();
    expect(exit.stdout).toMatch(/⛔ terminal: touch a\.txt blocked: .*nobody is here to ask/);
  });

  it('lets the other calls of the message run', async () => {
    await using scene = await Scene.create({
      config: ASK,
      replies: [
        {
          calls: [
            { id: 'no', name: 'terminal', args: { command: 'touch a.txt' } },
            { id: 'yes', name: 'write_file', args: { path: 'b.txt', content: 'b\n' } },
          ],
        },
        { text: 'One of two.' },
      ],
    });
    expect((await scene.ask('both')).code).toBe(0);
    expect([scene.read('a.txt'), scene.read('b.txt')]).toEqual([undefined, 'b\n']);
  });

  it('is answered with once by --yolo, which is not remembered', async () => {
    await using scene = await Scene.create({ config: ASK, replies: touches('a.txt') });
    expect((await scene.ask('touch it', ['--yolo'])).code).toBe(0);
    expect(scene.read('a.txt')).toBe('');
    expect(existsSync(join(scene.home, 'approvals.json'))).toBe(false);
    const { stderr } = await scene.ask('again');
    expect(stderr).toContain('blocked');
  });

  it('is a no when the memory of approvals cannot be read, which stays as it is', async () => {
    await using scene = await Scene.create({ config: ASK, replies: touches('a.txt') });
    const file = join(scene.home, 'approvals.json');
    writeFileSync(file, '{"version": 1, "approvals": [{"tool": "term');
    const { code, stderr } = await scene.ask('touch it');
    expect(code).toBe(0);
    expect(stderr).toContain(file);
    expect(stderr).toContain('blocked');
    expect(scene.read('a.txt')).toBeUndefined();
    expect(readFileSync(file, 'utf8')).toBe('{"version": 1, "approvals": [{"tool": "term');
  });
});
