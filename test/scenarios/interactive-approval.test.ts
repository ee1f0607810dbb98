import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FakeReplies, type ReceivedRequest, resultsIn, textOf } from '../support/fake-openai.ts';
import { Scene } from '../support/scene.ts';
import { Terminal, type TerminalOptions } from '../support/terminal.ts';

const ASK = 'approvals: {ask: [terminal, write_file]}\n';

/** Runs the command that the person names, then says so. */
const obeys: FakeReplies = (request, index) => {
  const last = request.messages.at(-1);
  if (last === undefined || last.role === 'tool') return { text: `end ${index}` };
  return { calls: [{ id: `c${index}`, name: 'terminal', args: { command: textOf(last) } }] };
};

interface Stage extends AsyncDisposable {
  readonly scene: Scene;
  readonly terminal: Terminal;
}

async function stage(
  replies: FakeReplies,
  { config = ASK, args = [], ...options }: TerminalOptions & { config?: string; args?: string[] } = {},
): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const scene = stack.use(await Scene.create({ config, replies }));
  const terminal = stack.use(await Terminal.open(scene, ['chat', ...scene.model, ...args], options));
  if (args.length === 0) await terminal.shows(/^(›|─+\n\n─+)$/m);
  const all = stack.move();
  return { scene, terminal, [Symbol.asyncDispose]: async () => all.disposeAsync() };
}

const lastResult = (request: ReceivedRequest): string | undefined => resultsIn(request).at(-1)?.[1];

describe.concurrent('the approval prompt', () => {
  it('shows exactly what would run; an Enter alone is a no', async () => {
    const content = 'first line\n\tsecond \u001b[31mline\u202e\n\n  last line';
    await using play = await stage((request) =>
      request.messages.at(-1)?.role === 'tool'
        ? { text: 'It was denied.' }
        : { calls: [{ id: 'c', name: 'write_file', args: { path: 'a b.txt', content } }] },
    );
    const { terminal, scene } = play;
    await terminal.enter('write');
    const screen = await terminal.shows('→ Deny');
    expect(screen).toContain('approvals.ask names write_file');
    expect(screen).toContain(`write_file  in ${scene.project}`);
    expect(screen).toMatch(
      /^ {2}path: a b\.txt\n {2}content:\n {4}first line\n {5}second \\u\{1b\}\[31mline\\u\{202e\}\n\n {6}last line$/m,
    );
    await terminal.press('Enter');
    await terminal.shows('It was denied.');
    expect(scene.read('a b.txt')).toBeUndefined();
    expect(lastResult(await scene.server.received(2))).toMatch(/BLOCKED.*the person said no/);
    expect(await terminal.screen()).toMatch(/⛔ write_file: a b\.txt blocked: .*the person said no/);
  });

  it('once holds once', async () => {
    await using play = await stage(obeys);
    const { terminal, scene } = play;
    await terminal.enter('echo x >> a.txt');
    await terminal.shows('→ Deny');
    await terminal.press('Down', 'Enter');
    await terminal.shows('end 1');
    expect(scene.read('a.txt')).toBe('x\n');
    await terminal.enter('echo x >> a.txt');
    await terminal.shows('→ Deny');
    await terminal.press('Escape');
    await terminal.shows('end 3');
    expect(scene.read('a.txt')).toBe('x\n');
    expect(existsSync(join(scene.home, 'approvals.json'))).toBe(false);
  });

  it('session holds for exactly that call until the session ends', async () => {
    await using play = await stage(obeys);
    const { terminal, scene } = play;
    await terminal.enter('echo x >> a.txt');
    await terminal.shows('→ Deny');
    await terminal.press('Down', 'Down', 'Enter');
    await terminal.shows('end 1');
    await terminal.enter('echo x >> a.txt');
    await terminal.shows('end 3');
    expect(scene.read('a.txt')).toBe('x\nx\n');
    await terminal.enter('echo y >> a.txt');
    await terminal.shows('→ Deny');
    await terminal.press('Enter');
    await terminal.shows('end 5');
    await terminal.enter('/new');
    await terminal.shows('New session');
    await terminal.enter('echo x >> a.txt');
    await terminal.shows('→ Deny');
    await terminal.press('Enter');
    await terminal.shows('end 7');
    expect(scene.read('a.txt')).toBe('x\nx\n');
  });

  it('always holds in the next process, for exactly that command in that project', async () => {
    await using play = await stage(obeys);
    const { terminal, scene } = play;
    await terminal.enter('echo x >> a.txt');
    await terminal.shows('→ Deny');
    await terminal.press('Up', 'Enter');
    await terminal.shows('end 1');
    await terminal.press('C-d');
    await terminal.ended();
    const kept = JSON.parse(readFileSync(join(scene.home, 'approvals.json'), 'utf8')) as object;
    expect(kept).toMatchObject({ version: 1, approvals: [{ tool: 'terminal', project: scene.project }] });
    expect((await scene.ask('echo x >> a.txt')).code).toBe(0);
    expect(scene.read('a.txt')).toBe('x\nx\n');
    expect((await scene.ask('echo x >> a.txt ')).stderr).toContain('blocked');
    expect((await scene.ask('echo x >> a.txt', [], { cwd: scene.home })).stderr).toContain('blocked');
    expect(scene.read('a.txt')).toBe('x\nx\n');
  });

  it('is withdrawn when nobody answers in time, and silence is a no', async () => {
    await using play = await stage(obeys, { config: 'approvals: {ask: [terminal], timeout: 1}\n' });
    const { terminal, scene } = play;
    await terminal.enter('touch a.txt');
    await terminal.shows('→ Deny');
    const screen = await terminal.shows('end 1');
    expect(screen).not.toContain('→ Deny');
    expect(screen).toContain('nobody answered within 1 s');
    expect(scene.read('a.txt')).toBeUndefined();
    await terminal.enter('touch b.txt');
    await terminal.shows('→ Deny');
    await terminal.press('Down', 'Enter');
    await terminal.shows('end 3');
    expect(scene.read('b.txt')).toBe('');
  });

  it('is withdrawn by Ctrl-C with its turn, and nothing runs', async () => {
    await using play = await stage(obeys);
    const { terminal, scene } = play;
    await terminal.enter('touch a.txt');
    await terminal.shows('→ Deny');
    await terminal.press('C-c');
    const screen = await terminal.shows('Interrupted.');
    expect(screen).not.toContain('→ Deny');
    expect(screen).not.toContain('unknown effect');
    expect(scene.read('a.txt')).toBeUndefined();
    await terminal.enter('echo and now');
    await terminal.shows('→ Deny');
    expect(lastResult(await scene.server.received(2))).toMatch(/cancelled before it ran|did not run/);
  });

  it('asks for two calls one after the other', async () => {
    await using play = await stage((request) =>
      request.messages.at(-1)?.role === 'tool'
        ? { text: 'Both decided.' }
        : {
            calls: ['a', 'b'].map((name) => ({
              id: name,
              name: 'terminal',
              args: { command: `touch ${name}.txt` },
            })),
          },
    );
    const { terminal, scene } = play;
    await terminal.enter('both');
    const first = await terminal.shows('→ Deny');
    expect(first).toContain('command: touch a.txt');
    expect(first).not.toContain('command: touch b.txt');
    await terminal.press('Enter');
    await terminal.shows('command: touch b.txt');
    await terminal.shows('→ Deny');
    await terminal.press('Down', 'Enter');
    await terminal.shows('Both decided.');
    expect([scene.read('a.txt'), scene.read('b.txt')]).toEqual([undefined, '']);
  });
});

describe.concurrent('questions in lines of text', () => {
  it('of a one-shot go to the terminal, while the answer goes into a file', async () => {
    const args = ['-q', 'touch a.txt'];
    await using play = await stage(obeys, { args, redirection: '> answer.txt' });
    const { terminal, scene } = play;
    const screen = await terminal.shows('[d]eny:');
    expect(screen).toContain('command: touch a.txt');
    await terminal.enter('maybe');
    await terminal.shows(/\[d\]eny: maybe\n.*\[d\]eny:$/);
    await terminal.enter('o');
    expect(await terminal.ended()).toEqual({ code: 0, isRestored: true });
    expect(scene.read('a.txt')).toBe('');
    expect(scene.read('answer.txt')).toBe('end 1\n');
  });

  it('of a one-shot end with it by Ctrl-C', async () => {
    await using play = await stage(obeys, { args: ['-q', 'touch a.txt'] });
    const { terminal, scene } = play;
    await terminal.shows('[d]eny:');
    await terminal.press('C-c');
    expect(await terminal.ended()).toEqual({ code: 130, isRestored: true });
    expect(scene.read('a.txt')).toBeUndefined();
  });

  it('take only what is typed after they were asked', async () => {
    await using play = await stage(
      (request, index) =>
        index === 0
          ? {
              calls: [
                { id: 'r', name: 'process', args: { action: 'list' } },
                { id: 'c', name: 'terminal', args: { command: 'touch a.txt' } },
              ],
            }
          : {
              text: `heard: ${textOf(request.messages.findLast(({ role }) => role === 'user') ?? { role: '' })}`,
            },
      { env: { TERM: 'dumb' }, config: 'approvals: {ask: [terminal]}\n' },
    );
    const { terminal, scene } = play;
    await terminal.type('go\nyes\n');
    await terminal.shows('[d]eny:');
    await terminal.press('Enter');
    await terminal.shows('heard: yes');
    expect(scene.read('a.txt')).toBeUndefined();
  });
});

describe.concurrent('a question of the model', () => {
  const asks: FakeReplies = (request) =>
    request.messages.at(-1)?.role === 'tool'
      ? { text: 'Thank you.' }
      : {
          calls: [
            {
              id: 'q',
              name: 'clarify',
              args: { question: 'Which \u001b[31mcolour\u001b[0m?', choices: ['red', 'blue \u0007'] },
            },
          ],
        };

  it.each([
    ['2', 'blue \u0007'],
    ['green', 'green'],
    ['7', '7'],
  ])('is answered by %j with %j', async (typed, answer) => {
    await using play = await stage(asks);
    const { terminal, scene } = play;
    await terminal.enter('paint');
    const screen = await terminal.shows('2. blue');
    expect(screen).toContain('Which \\u{1b}[31mcolour');
    expect(screen).toContain('2. blue \\u{7}');
    await terminal.enter(typed);
    await terminal.shows('Thank you.');
    expect(JSON.parse(lastResult(await scene.server.received(2)) ?? '')).toMatchObject({
      answer: answer.trim(),
    });
  });

  it('is withdrawn by Ctrl-C, and the next line is a message', async () => {
    await using play = await stage(asks);
    const { terminal, scene } = play;
    await terminal.enter('paint');
    await terminal.shows('2. blue');
    await terminal.press('C-c');
    await terminal.shows('Interrupted.');
    await terminal.enter('never mind');
    const request = await scene.server.received(2);
    expect(request.messages.at(-1)).toMatchObject({ role: 'user' });
    expect(lastResult(request)).toMatch(/withdrawn|interrupted|cancelled/);
  });
});
