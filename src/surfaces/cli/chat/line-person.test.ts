import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import type { ApprovalRequest } from '../../../gate/index.ts';
import { LinePerson } from './line-person.ts';
import { PlainScreen } from './plain-screen.ts';
import { createTheme } from './theme.ts';

const never = new AbortController().signal;
const request: ApprovalRequest = {
  by: 'rule',
  message: 'rule asks',
  call: {
    callId: 'c',
    sessionId: 's',
    rootSessionId: 's',
    turnId: 't',
    ordinal: 0,
    tool: 'terminal',
    args: { command: 'rm a' },
    effect: 'execute',
    paths: [],
    fingerprint: 'f',
    cwd: '/work',
    origin: { kind: 'herma', surface: 'cli' },
  },
};
const QUESTION = 'rule asks\nterminal  in /work\n  command: rm a\n';
const PROMPT = 'Run it? [o]nce, for this [s]ession, [a]lways, [d]eny: ';

function person(): { person: LinePerson; input: PassThrough; written: () => string } {
  const input = new PassThrough();
  let text = '';
  const write = (piece: string): void => {
    text += piece;
  };
  return {
    person: new LinePerson({ input, write, theme: createTheme(false) }),
    input,
    written: () => text,
  };
}

describe('a person who answers in lines', () => {
  it('is asked again until the answer is one', async () => {
    const { person: asked, input, written } = person();
    const answer = asked.approve(request, never);
    input.write('what?\n');
    await vi.waitFor(() => expect(written()).toBe(`${QUESTION}${PROMPT}${PROMPT}`));
    input.write('S\n');
    expect(await answer).toBe('session');
    asked.close();
  });

  it.each(['', 'yes'])('says no when the input ends with %j and no line break is needed', async (last) => {
    const { person: asked, input } = person();
    const answer = asked.approve(request, never);
    input.end(last);
    expect(await answer).toBe(last === '' ? 'deny' : 'once');
    expect(await asked.approve(request, never)).toBe('deny');
    expect(await asked.read()).toBeUndefined();
  });

  it('gives a question that is withdrawn a line of its own, and reads on', async () => {
    const { person: asked, input, written } = person();
    const controller = new AbortController();
    const answer = asked.approve(request, controller.signal);
    controller.abort(new Error('nobody answered'));
    await expect(answer).rejects.toThrow('nobody answered');
    expect(written()).toBe(`${QUESTION}${PROMPT}\n`);
    input.write('hello\n');
    expect(await asked.read()).toBe('hello');
    asked.close();
  });

  it('is not asked once it is closed', async () => {
    const { person: asked, input } = person();
    asked.close();
    input.write('yes\n');
    expect(await asked.approve(request, never)).toBe('deny');
  });
});

describe('the plain screen', () => {
  it('says of what was typed ahead that it is not sent, when the turn is interrupted', async () => {
    const stdin = new PassThrough();
    let text = '';
    const write = (piece: string): void => {
      text += piece;
    };
    const screen = new PlainScreen({ stdin, write, writeQuestion: write, isTyped: false, colours: false });
    stdin.write('one\ntwo \u001b[2J\n');
    expect(await screen.read()).toEqual({ type: 'text', text: 'one' });
    screen.withdraw();
    screen.withdraw();
    expect(text).toBe('Not sent: two \\u{1b}[2J\n');
    stdin.end();
    expect(await screen.read()).toEqual({ type: 'leave' });
    screen.close();
  });
});
