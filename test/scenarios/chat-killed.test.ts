import { describe, expect, it } from 'vitest';
import { isRunning, olderNodes, processEnds } from '../launcher/checkout.ts';
import { type FakeReplies, resultsIn, textOf } from '../support/fake-openai.ts';
import { eventually, type Herma } from '../support/herma.ts';
import { Scene } from '../support/scene.ts';

const EFFECT_UNKNOWN = /its effect is unknown.*[Ii]nspect the actual state before repeating it/;
const DID_NOT_FINISH = /did not finish.*only reads/;

/** Runs until the test is over, unless it is ended; leaves its process id. */
const longCommand = (name: string): string => `echo $$ > ${name}.part; mv ${name}.part ${name}; sleep 120`;

async function killed(herma: Herma): Promise<void> {
  process.kill(herma.pid, 'SIGKILL');
  expect((await herma.exited).signal).toBe('SIGKILL');
}

/** What was running when its agent was killed goes on; it is ended so that nothing is left behind. */
async function endCommand(pid: number): Promise<void> {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (isRunning(pid)) throw error;
  }
  await processEnds(pid);
}

describe.concurrent('a chat that is killed', () => {
  it('in the middle of a terminal call tells the model the truth when it is continued', async () => {
    const replies: FakeReplies = [
      {
        text: 'I do both.',
        calls: [
          { id: 'quick', name: 'write_file', args: { path: 'quick.txt', content: 'done\n' } },
          { id: 'slow', name: 'terminal', args: { command: longCommand('slow.pid') } },
        ],
      },
      { text: 'I look first.' },
      { text: 'Once more.' },
    ];
    await using scene = await Scene.create({ replies });
    const herma = scene.start(['chat', '-q', 'do both', ...scene.model]);
    const command = await scene.numberIn('slow.pid');
    await eventually(() => expect(herma.stderr).toContain('✓ write_file: quick.txt'));
    await killed(herma);

    const { code, stdout } = await scene.ask('go on', ['--continue']);
    expect([code, stdout]).toEqual([0, 'I look first.\n']);
    const request = await scene.server.received(2);
    expect(request.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
    ]);
    expect(request.messages[2]?.tool_calls?.map(({ id }) => id)).toEqual(['quick', 'slow']);
    const [quick, slow] = resultsIn(request);
    expect(quick).toEqual(['quick', expect.stringContaining('quick.txt')]);
    expect(slow).toEqual(['slow', expect.stringMatching(EFFECT_UNKNOWN)]);
    expect(JSON.stringify(request.messages)).not.toMatch(/abort/i);

    // The truth is part of the history from now on, in the same words.
    await scene.ask('and?', ['--continue']);
    expect(resultsIn(await scene.server.received(3))).toEqual(resultsIn(request));
    await endCommand(command);
  });

  it('between the results of two calls keeps the one that was there, and says of a read that it can be made again', async () => {
    await using scene = await Scene.create({
      replies: [
        {
          calls: [
            { id: 'first', name: 'terminal', args: { command: 'echo one' } },
            { id: 'second', name: 'terminal', args: { command: longCommand('second.pid') } },
            { id: 'third', name: 'read_file', args: { path: 'fifo' } },
          ],
        },
        { text: 'Understood.' },
      ],
    });
    const herma = scene.start(['chat', '-q', 'three', ...scene.model]);
    const command = await scene.numberIn('second.pid');
    await eventually(() => expect(herma.stderr).toContain('terminal: echo one'));
    await killed(herma);
    expect((await scene.ask('go on', ['--continue'])).code).toBe(0);
    const results = resultsIn(await scene.server.received(2));
    expect(results.map(([id]) => id)).toEqual(['first', 'second', 'third']);
    expect(JSON.parse(results[0]?.[1] ?? '')).toMatchObject({ output: 'one\n', exit_code: 0 });
    expect(results[1]?.[1]).toMatch(EFFECT_UNKNOWN);
    expect(results[2]?.[1]).toMatch(/fifo|did not finish/);
    await endCommand(command);
  });

  it('while a call waits that only reads tells the model that it can be made again', async () => {
    const background = { command: longCommand('background.pid'), background: true };
    await using scene = await Scene.create({
      replies: (request, index) => {
        if (index === 0) return { calls: [{ id: 'start', name: 'terminal', args: background }] };
        if (index > 1) return { text: 'Understood.' };
        const [[, started] = ['', '{}']] = resultsIn(request);
        const { session_id: id } = JSON.parse(started) as { readonly session_id: string };
        const wait = { action: 'wait', session_id: id, timeout: 100 };
        return { text: 'I wait.', calls: [{ id: 'wait', name: 'process', args: wait }] };
      },
    });
    const herma = scene.start(['chat', '-q', 'wait', ...scene.model]);
    const command = await scene.numberIn('background.pid');
    await eventually(() => expect(herma.stderr).toContain('I wait.'));
    await killed(herma);
    await scene.ask('go on', ['--continue']);
    expect(resultsIn(await scene.server.received(3))).toEqual([
      ['start', expect.stringContaining('started in the background')],
      ['wait', expect.stringMatching(DID_NOT_FINISH)],
    ]);
    await endCommand(command);
  });

  it('while the answer streams keeps the message of the person', async () => {
    await using scene = await Scene.create({
      replies: [{ stallAfter: 'It was a dark and' }, { text: 'stormy night.' }],
    });
    const herma = scene.start(['chat', '-q', 'tell me a story', ...scene.model]);
    await scene.server.received(1);
    await killed(herma);
    const { code } = await scene.ask('go on', ['--continue']);
    expect(code).toBe(0);
    const asked = (await scene.server.received(2)).messages.slice(1).map((message) => textOf(message));
    expect(asked.join('\n\n')).toMatch(/^tell me a story\s+go on$/);
  });

  it('by SIGTERM ends its command and stores how it ended', async () => {
    await using scene = await Scene.create({
      replies: [
        { calls: [{ id: 'slow', name: 'terminal', args: { command: longCommand('slow.pid') } }] },
        { text: 'Understood.' },
      ],
    });
    const herma = scene.start(['chat', '-q', 'run it', ...scene.model]);
    const command = await scene.numberIn('slow.pid');
    herma.child.kill('SIGTERM');
    expect(await herma.exited).toMatchObject({ code: 143, stdout: '' });
    await processEnds(command);
    await scene.ask('go on', ['--continue']);
    expect(resultsIn(await scene.server.received(2))).toEqual([
      ['slow', expect.stringMatching(/interrupted.*effect is unknown/)],
    ]);
  });

  it.each(olderNodes())('ends when only its launcher is killed ($title)', async ({ command, prefix }) => {
    await using scene = await Scene.create({
      replies: [{ calls: [{ id: 'slow', name: 'terminal', args: { command: longCommand('slow.pid') } }] }],
    });
    const args = ['chat', '-q', 'run it', ...scene.model];
    const herma = scene.start(args, { node: { command, prefix } });
    const running = await scene.numberIn('slow.pid');
    process.kill(herma.pid, 'SIGKILL');
    await processEnds(running);
    await herma.exited;
  });
});
