import { describe, expect, it } from 'vitest';
import type { TurnEvent } from '../../../agent/loop/index.ts';
import { PlainScreen } from './plain-screen.ts';
import { turnPresenter } from './show-turn.ts';

/** What a plain screen shows of a turn. */
function shown(events: readonly TurnEvent[]): string {
  let written = '';
  const write = (text: string): void => {
    written += text;
  };
  const screen = new PlainScreen({
    stdin: process.stdin,
    write,
    writeQuestion: write,
    isTyped: false,
    colours: false,
  });
  const presenter = turnPresenter(screen);
  for (const event of events) presenter.show(event);
  presenter.end();
  return written;
}

const delta = (text: string): TurnEvent => ({ type: 'text-delta', text });
const request: TurnEvent = { type: 'request-started', attempt: 1 };
const done = (text: string): TurnEvent => ({ type: 'message-completed', text, final: true });

describe('a turn on the plain screen', () => {
  it('shows an answer once, however it was streamed', () => {
    expect(shown([request, delta('Hel'), delta('lo.'), done('Hello.')])).toBe('Hello.\n');
    expect(shown([request, done('Hello.')])).toBe('Hello.\n');
    expect(shown([request, done('')])).toBe('');
  });

  it('says that an answer starts again, and shows it from its beginning', () => {
    const retrying: TurnEvent = {
      type: 'retrying',
      failure: { code: 'network', message: 'The connection broke.', retryable: true },
      attempt: 2,
      delayMs: 500,
    };
    const restarted: TurnEvent = { type: 'restarted' };
    expect(shown([request, delta('Hel'), retrying, restarted, delta('Hello'), done('Hello')])).toBe(
      'HelThe connection broke. Trying again in 0.5 s (attempt 2).\n\n(the answer broke off; it starts again)\nHello\n',
    );
  });

  it('ends the line of an answer that was left as it was', () => {
    expect(shown([request, delta('Once upon')])).toBe('Once upon\n');
  });

  it('shows an answer that a hook has changed', () => {
    expect(shown([request, delta('secret'), done('[redacted]')])).toBe(
      'secret\n(changed by a hook)\n[redacted]\n',
    );
  });

  it('keeps what steers a terminal from it, wherever the stream is cut', () => {
    const emoji = '👍';
    const events = [
      delta(`a\u001b`),
      delta(']52;'),
      delta(`\r`),
      delta(`\n${emoji[0]}`),
      delta(`${emoji[1]}!`),
    ];
    expect(shown([request, ...events, done(`a\u001b]52;\r\n${emoji}!`)])).toBe(`a\\u{1b}]52;\n${emoji}!\n`);
    expect(shown([{ type: 'warning', text: 'bad \u001b[2J' }])).toBe('bad \\u{1b}[2J\n');
  });

  it('names a call that was refused before it began', () => {
    const report = {
      callId: 'c',
      tool: 'no_such\u0007',
      args: {},
      status: 'error',
      executed: false,
      text: '',
      message: 'There is no tool.',
      durationMs: 0,
      warnings: [],
    } as const;
    expect(shown([{ type: 'call-finished', report }])).toBe('no_such\\u{7}: There is no tool.\n');
  });
});
