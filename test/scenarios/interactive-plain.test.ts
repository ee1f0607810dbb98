import { describe, expect, it } from 'vitest';
import { textOf } from '../support/fake-openai.ts';
import { Scene } from '../support/scene.ts';
import { Terminal } from '../support/terminal.ts';

const CONTROL = /\u001b/;

describe.concurrent('a chat on a dumb terminal', () => {
  it('is lines of text without a single control sequence', async () => {
    await using scene = await Scene.create({
      replies: [
        {
          text: '# Plan\nI **run** it.',
          calls: [{ id: 'a', name: 'terminal', args: { command: 'echo hi' } }],
        },
        { text: 'Done.' },
      ],
    });
    await using terminal = await Terminal.open(scene, ['chat', ...scene.model], { env: { TERM: 'dumb' } });
    await terminal.shows('Ctrl-D leaves');
    await terminal.shows(/^›/m);
    await terminal.enter('run it');
    const screen = await terminal.shows('Done.');
    expect(screen).toMatch(
      /# Plan\nI \*\*run\*\* it\.\n● terminal: echo hi\n✓ terminal: echo hi \d\.\d s\nDone\./,
    );
    await terminal.press('C-d');
    expect(await terminal.ended()).toEqual({ code: 0, isRestored: true });
    expect(terminal.output()).not.toMatch(CONTROL);
    expect(await terminal.screen()).toContain('Take it up again with');
  });

  it('interrupts a turn by Ctrl-C, does not send what was typed ahead, and leaves by the next one', async () => {
    await using scene = await Scene.create({ replies: [{ stallAfter: 'It was' }, { text: 'Here.' }] });
    await using terminal = await Terminal.open(scene, ['chat', ...scene.model], { env: { TERM: 'dumb' } });
    await terminal.shows(/^›/m);
    await terminal.enter('a story');
    await terminal.shows('It was');
    await terminal.enter('and another');
    await terminal.press('C-c');
    await terminal.shows('Interrupted.');
    await terminal.enter('there?');
    await terminal.shows('Here.');
    const asked = scene.server.requests.map(({ messages }) => textOf(messages.at(-1) ?? { role: '' }));
    expect(asked).toEqual(['a story', 'there?']);
    await terminal.press('C-c');
    expect(await terminal.ended()).toEqual({ code: 0, isRestored: true });
  });
});

describe.concurrent('a chat in a pipe', () => {
  it('takes a message per line and prints the conversation', async () => {
    await using scene = await Scene.create({
      replies: (request) => ({ text: `You said: ${textOf(request.messages.at(-1) ?? { role: '' })}` }),
    });
    const { code, stdout, stderr } = await scene.run(['chat', ...scene.model], {
      stdin: 'hello\n\n/nwe\n/model\nbye',
      env: { FORCE_COLOR: '0' },
    });
    expect(stdout).toMatch(
      /\nYou said: hello\nThere is no command \/nwe\.\nDid you mean \/new\?\nModel: openai-compatible:gpt-test\nYou said: bye\n$/,
    );
    expect(stdout).not.toMatch(CONTROL);
    expect(stderr).toMatch(/^Take it up again with: herma chat --resume ses_\w+\n$/);
    expect(code).toBe(2);
  });

  it('ends with 0 when everything could be done, and by Ctrl-C with 130 at once', async () => {
    await using scene = await Scene.create({ replies: [{ text: 'fine' }, { hang: true }] });
    expect(await scene.run(['chat', ...scene.model], { stdin: 'hi\n' })).toMatchObject({ code: 0 });
    const herma = scene.start(['chat', ...scene.model], { stdin: 'one\ntwo\nthree\n' });
    await scene.server.received(2);
    herma.child.kill('SIGINT');
    expect(await herma.exited).toMatchObject({ code: 130 });
    expect(scene.server.requests).toHaveLength(2);
  });

  it('says what to do when there is no model, and offers the tour', async () => {
    await using scene = await Scene.create();
    const { code, stdout } = await scene.run(['chat'], { stdin: 'hi\n' });
    expect(code).toBe(2);
    expect(stdout).toMatch(/No model is configured\.\n.*herma tour/);
  });

  it('refuses --json without -q', async () => {
    await using scene = await Scene.create();
    const { code, stdout, stderr } = await scene.run(['chat', '--json']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^herma: --json needs -q.*\n$/);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'usage' } });
  });
});
