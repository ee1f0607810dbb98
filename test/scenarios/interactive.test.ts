import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FakeReplies } from '../support/fake-openai.ts';
import { textOf } from '../support/fake-openai.ts';
import { eventually } from '../support/herma.ts';
import { Scene } from '../support/scene.ts';
import { Terminal, type TerminalOptions } from '../support/terminal.ts';

const PROMPT = /^─+\n\n─+$/m;
const SPINNER = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /;

interface Chat extends AsyncDisposable {
  readonly scene: Scene;
  readonly terminal: Terminal;
}

async function chat(
  replies: FakeReplies,
  options: TerminalOptions & { readonly config?: string; readonly args?: readonly string[] } = {},
): Promise<Chat> {
  const { config, args = [], ...rest } = options;
  await using stack = new AsyncDisposableStack();
  const scene = stack.use(await Scene.create(config === undefined ? { replies } : { replies, config }));
  const terminal = stack.use(await Terminal.open(scene, ['chat', ...scene.model, ...args], rest));
  await terminal.shows('/help');
  await terminal.shows(PROMPT);
  const all = stack.move();
  return { scene, terminal, [Symbol.asyncDispose]: async () => all.disposeAsync() };
}

/** What the model was told by the person in the last request that arrived. */
function lastMessage({ server }: Scene): string {
  const message = server.requests.at(-1)?.messages.at(-1);
  return message === undefined ? '' : textOf(message);
}

describe.concurrent('an interactive chat', () => {
  it('needs no native addon, also where a display is said to be there', async () => {
    const env = { NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --no-addons`, DISPLAY: ':99' };
    await using play = await chat([{ text: 'All *drawn* without.' }], { env });
    await play.terminal.type('hello');
    await play.terminal.press('Enter');
    await play.terminal.shows('All drawn without.');
  });

  it('shows markdown as it streams, a spinner while it waits, and a line for each call', async () => {
    await using play = await chat((request, index) => {
      if (index === 0)
        return {
          text: '# Plan\n\nI **run** it:\n\n- first\n- second',
          calls: [
            {
              id: 'a',
              name: 'terminal',
              args: { command: 'until [ -e go ]; do sleep 0.05; done; echo ran' },
            },
            { id: 'b', name: 'read_file', args: { path: 'missing.txt' } },
          ],
        };
      return request.messages.at(-1)?.role === 'tool'
        ? { text: 'See [the page](https://example.com/page) for `code`; it costs $5 or $6 <b>.' }
        : { stallAfter: 'It streams' };
    });
    const { terminal, scene } = play;
    await terminal.enter('run it');
    const waiting = await terminal.shows('● terminal: until [ -e go ]');
    expect(waiting).toMatch(/^› run it$/m);
    expect(waiting).toMatch(/^Plan$/m);
    expect(waiting).toContain('I run it:');
    expect(waiting).toMatch(/^- first\n- second$/m);
    expect(await terminal.shows(SPINNER)).toContain('working');
    await terminal.shows(/✗ read_file: missing\.txt .*missing\.txt/);
    writeFileSync(scene.path('go'), '');
    const done = await terminal.shows('See the page');
    expect(done).toMatch(/✓ terminal: until \[ -e go \].* \d+\.\d s/);
    expect(done).toContain('See the page (https://example.com/page) for code; it costs $5 or $6 <b>.');
    expect(done).not.toContain('● terminal');
    await terminal.hides(SPINNER);
    await terminal.enter('stream');
    expect(await terminal.shows('It streams')).toMatch(SPINNER);
  });

  it('interrupts the turn by Ctrl-C, keeps what was streamed, and goes on', async () => {
    await using play = await chat([{ stallAfter: 'Once upon a time' }, { text: 'Here I am.' }]);
    const { terminal, scene } = play;
    await terminal.enter('a story');
    await terminal.shows('Once upon a time');
    await terminal.press('C-c');
    await terminal.shows('Interrupted.');
    await terminal.hides(SPINNER);
    await terminal.enter('still there?');
    await terminal.shows('Here I am.');
    const asked = scene.server.requests[1]?.messages.slice(1).map((message) => textOf(message));
    expect(asked?.slice(0, 2)).toEqual(['a story', 'Once upon a time']);
  });

  it('interrupts a running command, and says that its effect is unknown', async () => {
    await using play = await chat([
      { calls: [{ id: 'a', name: 'terminal', args: { command: 'echo $$ > pid; sleep 120' } }] },
      { text: 'I stopped.' },
    ]);
    const { terminal, scene } = play;
    await terminal.enter('run');
    await scene.numberIn('pid');
    await terminal.press('C-c');
    const screen = await terminal.shows('Interrupted.');
    expect(screen).toContain('■ terminal: echo $$ > pid; sleep 120');
    expect(screen).toContain('what was running has an unknown effect');
    await terminal.enter('well?');
    await terminal.shows('I stopped.');
  });

  it('runs what was typed ahead afterwards, and gives it back when the turn is interrupted', async () => {
    await using play = await chat((_, index) =>
      index === 2
        ? { stallAfter: 'stalled' }
        : { text: index === 0 ? 'one done' : `answer ${index}`, calls: index === 0 ? slow : [] },
    );
    const slow = [{ id: 'a', name: 'terminal', args: { command: 'until [ -e go ]; do sleep 0.05; done' } }];
    const { terminal, scene } = play;
    await terminal.enter('one');
    await terminal.shows('● terminal');
    await terminal.enter('two');
    await terminal.shows('› two');
    expect(scene.server.requests).toHaveLength(1);
    writeFileSync(scene.path('go'), '');
    await terminal.shows('stalled');
    expect(lastMessage(scene)).toBe('two');
    await terminal.enter('three');
    await terminal.shows('› three');
    await terminal.press('C-c');
    await terminal.shows('was not sent');
    await terminal.shows(/^─+\nthree\n─+$/m);
    expect(scene.server.requests).toHaveLength(3);
    await terminal.press('Enter');
    await terminal.shows('answer 3');
    expect(lastMessage(scene)).toBe('three');
  });

  it('takes a paste of many lines as one message, which Enter sends', async () => {
    await using play = await chat([{ text: 'got three' }, { text: 'got many' }]);
    const { terminal, scene } = play;
    await terminal.paste('line 1\n\tline 2\nline 3');
    await terminal.shows('line 3');
    expect(scene.server.requests).toHaveLength(0);
    await terminal.press('Enter');
    await terminal.shows('got three');
    expect(lastMessage(scene)).toBe('line 1\n    line 2\nline 3');
    const many = Array.from({ length: 60 }, (_, index) => `row ${index}`).join('\n');
    await terminal.paste(`${many}\u001b]52;c;aGk=\u0007`);
    await terminal.shows('60 lines');
    await terminal.type(' end');
    await terminal.press('Enter');
    await terminal.shows('got many');
    expect(lastMessage(scene)).toMatch(/^row 0\nrow 1\n[^]*row 59[^\u001b\u0007]* end$/);
  });

  it('edits the line: keys move, delete, break lines, and bring back earlier messages', async () => {
    await using play = await chat((_, index) => ({ text: `answer ${index}` }));
    const { terminal, scene } = play;
    await terminal.type('helo');
    await terminal.press('Left');
    await terminal.type('l');
    await terminal.press('C-e');
    await terminal.type(' wrld\\');
    await terminal.press('Enter');
    await terminal.type('second line');
    await terminal.shows('second line');
    await terminal.press('Enter');
    await terminal.shows('answer 0');
    expect(lastMessage(scene)).toBe('hello wrld\nsecond line');
    await terminal.enter('newest');
    await terminal.shows('answer 1');
    await terminal.press('Up');
    await terminal.shows(/^─+\nnewest\n─+$/m);
    await terminal.press('C-c');
    await terminal.shows(PROMPT);
    expect(await terminal.screen()).not.toContain('exit code');
  });

  it('brings back the messages of a session that is taken up', async () => {
    await using scene = await Scene.create({ replies: (_, index) => ({ text: `answer ${index}` }) });
    await scene.ask('from before');
    await using terminal = await Terminal.open(scene, ['chat', ...scene.model, '--continue']);
    const screen = await terminal.shows(PROMPT);
    expect(screen).toContain('You last wrote: from before');
    expect(screen).toContain('answer 0');
    await terminal.press('Up');
    await terminal.shows(/^─+\nfrom before\n─+$/m);
    await terminal.press('Enter');
    await terminal.shows('answer 1');
    expect(lastMessage(scene)).toBe('from before');
  });

  it('leaves by Ctrl-D, gives the terminal back, and says how to go on', async () => {
    await using play = await chat([{ text: 'Hello.' }]);
    const { terminal } = play;
    await terminal.enter('hi');
    await terminal.shows('Hello.');
    await terminal.press('C-d');
    expect(await terminal.ended()).toEqual({ code: 0, isRestored: true });
    expect(await terminal.screen()).toMatch(/Take it up again with: herma chat --resume ses_\w+/);
    expectTerminalModesOff(terminal.output());
  });

  it('gives the terminal back when it is ended by a signal, also amid a turn', async () => {
    await using play = await chat([{ stallAfter: 'Thinking about' }]);
    const { terminal } = play;
    await terminal.enter('hi');
    await terminal.shows('Thinking about');
    process.kill(await terminal.pid(), 'SIGTERM');
    expect(await terminal.ended()).toEqual({ code: 143, isRestored: true });
    expectTerminalModesOff(terminal.output());
  });

  it('treats an interrupt from outside as Ctrl-C: first the turn, then the program', async () => {
    await using play = await chat([{ stallAfter: 'Thinking about' }]);
    const { terminal } = play;
    await terminal.enter('hi');
    await terminal.shows('Thinking about');
    process.kill(await terminal.pid(), 'SIGINT');
    await terminal.shows('Interrupted.');
    await terminal.hides(SPINNER);
    process.kill(await terminal.pid(), 'SIGINT');
    expect(await terminal.ended()).toEqual({ code: 0, isRestored: true });
  });

  it('ends with its terminal, and loses nothing', async () => {
    await using play = await chat([{ stallAfter: 'Thinking about' }, { text: 'Welcome back.' }]);
    const { terminal, scene } = play;
    await terminal.enter('hi');
    await terminal.shows('Thinking about');
    await terminal.hangUp();
    expect((await scene.ask('again', ['--continue'])).stdout).toBe('Welcome back.\n');
    const asked = scene.server.requests[1]?.messages.slice(1).map((message) => textOf(message));
    expect(asked).toEqual(['hi', 'Thinking about', 'again']);
  });

  it('takes what was typed before it was there, with its Enter', async () => {
    await using scene = await Scene.create({ replies: [{ text: 'You were quick.' }] });
    await using terminal = await Terminal.open(scene, ['chat', ...scene.model]);
    await terminal.enter('hello');
    await terminal.shows('You were quick.');
    expect(lastMessage(scene)).toBe('hello');
  });

  it('gives the terminal back after an error, which it says', async () => {
    await using scene = await Scene.create({ replies: [{ text: 'hi' }, { hang: true }] });
    const { stdout } = await scene.ask('hi', ['--json']);
    const { session_id: id } = JSON.parse(stdout) as { readonly session_id: string };
    const writer = scene.start(['chat', '-q', 'wait', ...scene.model, '--resume', id]);
    await scene.server.received(2);
    await using terminal = await Terminal.open(scene, ['chat', ...scene.model, '--resume', id]);
    expect(await terminal.ended()).toEqual({ code: 2, isRestored: true });
    expect(await terminal.screen()).toContain(`in use by process ${writer.pid}`);
  });

  it('shows errors of the model and goes on', async () => {
    await using play = await chat([{ status: 401 }, { text: 'Better now.' }]);
    const { terminal } = play;
    await terminal.enter('hi');
    const screen = await terminal.shows('(401)');
    expect(screen).not.toMatch(/^\s+at /m);
    await terminal.hides(SPINNER);
    await terminal.enter('again');
    await terminal.shows('Better now.');
  });

  it('draws itself anew when the terminal changes its size', async () => {
    await using play = await chat((_, index) => ({
      text:
        index === 0 ? 'word '.repeat(60) : 'Fine at any size: 你好 👩‍👩‍👧 | a | b |\n|-|-|\n| 你好 | 👍 |',
    }));
    const { terminal } = play;
    await terminal.enter('talk');
    await terminal.shows('word word');
    for (const [columns, rows] of [
      [40, 10],
      [2, 4],
      [7, 30],
      [120, 50],
    ] as const) {
      await terminal.resize(columns, rows);
      await terminal.shows(new RegExp(`^─{${columns}}$`, 'm'));
    }
    await terminal.enter('still well?');
    await terminal.shows('Fine at any size');
  });

  it('uses no colours with NO_COLOR', async () => {
    await using play = await chat(
      [
        { text: '# T\n`code` and [a](https://b.c)', calls: [{ id: 'a', name: 'todo', args: {} }] },
        { text: 'end' },
      ],
      { env: { NO_COLOR: '1' } },
    );
    const { terminal } = play;
    await terminal.enter('talk');
    await terminal.shows(/^end$/m);
    expect(terminal.output()).not.toMatch(/\u001b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])m/);
  });

  it('lets neither the model nor a tool steer the terminal', async () => {
    const evil =
      'A\u001b]52;c;aGFja2Vk\u0007B\u001b[2J\u001b[31mC\u009b31mD\u202eE\u2066F\u200bG\rH\u0000I\u{e0041}J';
    await using play = await chat((_, index) =>
      index === 0
        ? {
            text: evil,
            calls: [
              {
                id: 'a',
                name: 'terminal',
                args: { command: `printf 'x\\033]52;c;aGFja2Vk\\007\\n'; exit 3 #${evil}` },
              },
              { id: 'b', name: evil, args: {} },
            ],
          }
        : { text: `${evil}\n\nThe end.` },
    );
    const { terminal, scene } = play;
    await terminal.enter('attack');
    const screen = await terminal.shows('The end.');
    expect(screen).toContain('A\\u{1b}]52;c;aGFja2Vk\\u{7}B');
    const output = terminal.output();
    expect(output).not.toContain('\u001b]52');
    expect(output).not.toContain('\u001b[2J');
    expect(output).not.toMatch(/[\u009b\u202e\u2066\u200b\0\u{e0041}]/u);
    await terminal.press('C-d');
    await terminal.ended();
    await using again = await Terminal.open(scene, ['chat', ...scene.model, '--continue']);
    await again.shows('The end.');
    expect(again.output()).not.toContain('\u001b]52');
  });
});

describe.concurrent('the commands of an interactive chat', () => {
  it('are listed and explained', async () => {
    await using play = await chat([]);
    const { terminal, scene } = play;
    await terminal.enter('/help');
    const screen = await terminal.shows('Ctrl-C interrupts');
    for (const name of ['help', 'new', 'reset', 'model', 'sessions', 'resume', 'compress', 'exit'])
      expect(screen).toContain(`/${name}`);
    await terminal.enter('/help modle');
    await terminal.shows(/There is no command \/modle/);
    await terminal.enter('/exti');
    await terminal.shows('Did you mean /exit?');
    await terminal.enter('/zzzzzz');
    await terminal.shows('See /help.');
    expect(scene.server.requests).toHaveLength(0);
    await terminal.enter('/exit');
    const { code } = await terminal.ended();
    expect(code).toBe(0);
    expect(await terminal.screen()).not.toContain('Take it up again');
  });

  it('are completed by Tab, with what they can be given', async () => {
    await using play = await chat([{ text: 'Hello.' }]);
    const { terminal } = play;
    await terminal.enter('hi');
    const [, id = ''] = /session (ses_\w+)/.exec(await terminal.shows('Hello.')) ?? [];
    await terminal.type('/comp');
    await terminal.shows('condense the history now');
    await terminal.press('Tab');
    await terminal.shows(/^\/compress$/m);
    await terminal.press('C-c');
    await terminal.shows(PROMPT);
    await terminal.type('/resume ');
    await terminal.press('Tab');
    await eventually(async () => expect((await terminal.screen()).split(id).length).toBeGreaterThan(2));
  });

  it('/model shows the model, refuses a bad one and keeps the old one', async () => {
    await using play = await chat([{ text: 'still here' }]);
    const { terminal, scene } = play;
    await terminal.enter('/model');
    await terminal.shows(/^Model: openai-compatible:gpt-test$/m);
    await terminal.enter('/model openia:gpt-5');
    await terminal.shows(/"?openia"?/);
    await terminal.enter('hi');
    await terminal.shows('still here');
    await terminal.enter('/model openai-compatible:other');
    await terminal.shows(/^Model: openai-compatible:other$/m);
    await terminal.enter('hi again');
    await scene.server.received(2);
    expect(scene.server.requests.map(({ model }) => model)).toEqual(['gpt-test', 'other']);
  });

  it('/new begins a session, /sessions lists them, /resume goes back, and the end names the last one', async () => {
    await using play = await chat((_, index) => ({ text: `answer ${index}` }));
    const { terminal, scene } = play;
    await terminal.enter('in the first');
    const [, first = ''] = /session (ses_\w+)/.exec(await terminal.shows('answer 0')) ?? [];
    await terminal.enter('/new');
    const [, second = ''] = /New session (ses_\w+)/.exec(await terminal.shows('New session')) ?? [];
    expect(second).not.toBe(first);
    await terminal.enter('in the second');
    await terminal.shows('answer 1');
    expect(scene.server.requests[1]?.messages).toHaveLength(2);
    await terminal.enter('/sessions');
    await terminal.shows(new RegExp(`^\\* ${second}.*in the second$`, 'm'));
    await terminal.shows(new RegExp(`^  ${first}.*in the first$`, 'm'));
    await terminal.enter(`/resume ${second}`);
    await terminal.shows(`You are in session ${second}`);
    await terminal.enter('/resume nope');
    await terminal.shows('There is no session "nope"');
    await terminal.enter('/resume');
    await terminal.shows('Which one?');
    await terminal.enter(`/resume ${first}`);
    await terminal.shows('You last wrote: in the first');
    await terminal.enter('back again');
    await terminal.shows('answer 2');
    expect(scene.server.requests[2]?.messages.slice(1).map((message) => textOf(message))).toEqual([
      'in the first',
      'answer 0',
      'back again',
    ]);
    await terminal.enter('/reset');
    await terminal.shows(/New session ses_\w+\.[^]*New session ses_\w+\./);
    const [, third = ''] = /New session (?!.*New session)(ses_\w+)/s.exec(await terminal.screen()) ?? [];
    await terminal.enter('in the third');
    await terminal.shows('answer 3');
    await terminal.press('C-d');
    await terminal.ended();
    expect(await terminal.screen()).toContain(`Take it up again with: herma chat --resume ${third}`);
  });

  it('/compress condenses the history, and can be interrupted', async () => {
    await using play = await chat(
      (request, index) =>
        request.tools.length > 0
          ? { text: `answer ${index}` }
          : index === 3
            ? { hang: true }
            : { text: 'They greeted each other.' },
      { config: 'compression: {keep_first: 0, keep_last_turns: 1}\n' },
    );
    const { terminal, scene } = play;
    for (const [index, text] of ['one', 'two', 'three'].entries()) {
      await terminal.enter(`${text} ${'and more of it '.repeat(30)}`);
      await terminal.shows(`answer ${index}`);
    }
    await terminal.enter('/compress');
    await scene.server.received(4);
    await terminal.shows('condensing the history');
    await terminal.press('C-c');
    await terminal.shows('The history stays as it was.');
    await terminal.enter('/compress');
    await terminal.shows(/6 messages became \d\./);
    await terminal.enter('four');
    await terminal.shows('answer 5');
    const asked = scene.server.requests[5]?.messages.map((message) => textOf(message)).join('\n');
    expect(asked).toContain('They greeted each other.');
    expect(asked).toContain('three');
    expect(asked).not.toContain('answer 0');
    await terminal.press('C-d');
    await terminal.ended();
    const [, id = ''] = /--resume (ses_\w+)/.exec(await terminal.screen()) ?? [];
    await using again = await Terminal.open(scene, ['chat', ...scene.model, '--resume', id]);
    await again.shows('You last wrote: four');
  });
});

/** The modes that were switched on are off again, and the cursor can be seen. */
function expectTerminalModesOff(output: string): void {
  expect(output.lastIndexOf('\u001b[?2004l')).toBeGreaterThan(output.lastIndexOf('\u001b[?2004h'));
  expect(output.lastIndexOf('\u001b[?25h')).toBeGreaterThan(output.lastIndexOf('\u001b[?25l'));
  expect(output.lastIndexOf('\u001b[<u')).toBeGreaterThan(output.lastIndexOf('\u001b[>7u'));
}
