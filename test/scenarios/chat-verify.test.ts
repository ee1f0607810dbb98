import { describe, expect, it } from 'vitest';
import { type FakeReplies, textOf } from '../support/fake-openai.ts';
import { Scene } from '../support/scene.ts';

/** Succeeds once `a.txt` says so, and counts how often it ran. */
const CHECK = 'echo run >> checks; grep -q good a.txt';
const CONFIG = `agent: {verify: ["${CHECK}"]}\n`;

const write = (id: string, content: string) => ({
  calls: [{ id, name: 'write_file', args: { path: 'a.txt', content } }],
});

async function play(replies: FakeReplies, config = CONFIG) {
  await using stack = new AsyncDisposableStack();
  const scene = stack.use(await Scene.create({ config, replies }));
  const exit = await scene.ask('make it good', ['--json']);
  const document = JSON.parse(exit.stdout) as object;
  const checks = (scene.read('checks') ?? '').split('\n').filter((line) => line === 'run').length;
  stack.move();
  return { scene, exit, document, checks };
}

describe.concurrent('verify-on-stop', () => {
  it('runs the checks once after an edit, before the answer is given', async () => {
    const { scene, exit, document, checks } = await play([write('c1', 'good'), { text: 'Done.' }]);
    await using _ = scene;
    expect(exit.code).toBe(0);
    expect(document).toMatchObject({ final: 'Done.', turns: 2, capped: false });
    expect(checks).toBe(1);
    expect(exit.stderr).toContain(`✓ ${CHECK}`);
  });

  it('hands failures back to the model, which mends them', async () => {
    const { scene, document, checks } = await play([
      write('c1', 'bad'),
      { text: 'Done.' },
      write('c2', 'good'),
      { text: 'Now it is.' },
    ]);
    await using _ = scene;
    expect(document).toMatchObject({ final: 'Now it is.', turns: 4, capped: false });
    expect(checks).toBe(2);
    const told = (await scene.server.received(3)).messages.at(-1);
    expect(told?.role).toBe('user');
    expect(told && textOf(told)).toContain(CHECK);
    expect(told && textOf(told)).toContain('exit code 1');
  });

  it('ends although the checks never succeed: at most 3 nudges, although tools run in between', async () => {
    const { scene, exit, document, checks } = await play((_, index) =>
      index % 2 === 0 ? write(`c${index}`, 'bad') : { text: `Done ${index}.` },
    );
    await using _ = scene;
    expect(exit.code).toBe(0);
    expect(checks).toBe(4);
    expect(document).toMatchObject({ final: 'Done 7.', turns: 8, capped: true });
    expect(exit.stderr).toContain('agent.max_verify_nudges');
  });

  it('counts the nudges that the configuration allows', async () => {
    const config = `agent: {verify: ["${CHECK}"], max_verify_nudges: 0}\n`;
    const { scene, document, checks } = await play([write('c1', 'bad'), { text: 'Done.' }], config);
    await using _ = scene;
    expect(checks).toBe(1);
    expect(document).toMatchObject({ final: 'Done.', capped: true });
  });

  it('runs nothing when no file was edited', async () => {
    const { scene, document, checks } = await play([
      { calls: [{ id: 'c1', name: 'read_file', args: { path: 'a.txt' } }] },
      { text: 'Nothing to do.' },
    ]);
    await using _ = scene;
    expect(checks).toBe(0);
    expect(document).toMatchObject({ final: 'Nothing to do.', turns: 2, capped: false });
  });

  it('passes the gate: a check that a person must approve is a failed check where nobody is', async () => {
    const config = `${CONFIG}approvals: {ask: [terminal]}\n`;
    const { scene, document, checks } = await play(
      (_, index) => (index === 0 ? write('c1', 'good') : { text: 'Done.' }),
      config,
    );
    await using _ = scene;
    expect(checks).toBe(0);
    expect(document).toMatchObject({ final: 'Done.', capped: true });
  });
});
