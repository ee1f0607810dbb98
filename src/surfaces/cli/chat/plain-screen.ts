import type { ApprovalRequest, ApprovalScope } from '../../../gate/index.ts';
import { finishedLine, startedLine } from './call-line-text.ts';
import type { CallLine, ChatScreen, ScreenInput, SlashCommandInfo, StreamedAnswer } from './chat-screen.ts';
import { LinePerson } from './line-person.ts';
import { ScreenTextStream, screenText } from './screen-text.ts';
import { type ChatTheme, createTheme } from './theme.ts';

export interface PlainScreenParts {
  readonly stdin: NodeJS.ReadableStream;
  readonly write: (text: string) => void;
  /** Where questions go: to where the person looks, even when the conversation goes into a file. */
  readonly writeQuestion: (text: string) => void;
  /** Whether a person types the input. */
  readonly isTyped: boolean;
  readonly colours: boolean;
}

/**
 * The conversation as lines of text: for pipes, dumb terminals and screen readers. Input is one line per message.
 */
export class PlainScreen implements ChatScreen {
  readonly #parts: PlainScreenParts;
  readonly #theme: ChatTheme;
  readonly #person: LinePerson;

  constructor(parts: PlainScreenParts) {
    const { stdin: input, writeQuestion: write, colours } = parts;
    this.#parts = parts;
    this.#theme = createTheme(colours);
    this.#person = new LinePerson({ input, write, theme: this.#theme });
  }

  start(_commands: readonly SlashCommandInfo[]): void {
    if (this.#parts.isTyped) this.notice('info', 'Type a message; /help lists the commands, Ctrl-D leaves.');
  }

  async read(): Promise<ScreenInput> {
    if (this.#parts.isTyped) this.#parts.writeQuestion(this.#theme.accent('› '));
    const text = await this.#person.read();
    return text === undefined ? { type: 'leave' } : { type: 'text', text };
  }

  onInterrupt(_listener: () => boolean): void {
    // Ctrl-C is a signal here, which the verb receives.
  }

  answer(): StreamedAnswer {
    const write = (text: string): void => this.#parts.write(text);
    let stream = new ScreenTextStream();
    let shown = '';
    return {
      append: (text) => {
        const piece = stream.take(text);
        shown += piece;
        write(piece);
      },
      restart: () => {
        if (shown !== '') write(`\n${this.#theme.warn('(the answer broke off; it starts again)')}\n`);
        stream = new ScreenTextStream();
        shown = '';
      },
      complete: (text) => {
        const whole = screenText(text);
        if (whole.startsWith(shown)) write(`${whole.slice(shown.length)}\n`);
        else write(`\n${this.#theme.dim('(changed by a hook)')}\n${whole}\n`);
      },
      breakOff: () => {
        if (shown !== '') write('\n');
      },
    };
  }

  call(call: Parameters<ChatScreen['call']>[0]): CallLine {
    this.#parts.write(`${startedLine(call, this.#theme)}\n`);
    return {
      progress: () => undefined,
      finish: (report) => this.#parts.write(`${finishedLine(call, report, this.#theme)}\n`),
    };
  }

  busy(_what: string | undefined): void {
    // A line that cannot be taken back would only be noise here.
  }

  notice(kind: 'info' | 'warning' | 'error', text: string): void {
    const paint = { info: this.#theme.dim, warning: this.#theme.warn, error: this.#theme.bad }[kind];
    this.#parts.write(`${paint(screenText(text))}\n`);
  }

  async approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalScope | 'deny'> {
    return this.#person.approve(request, signal);
  }

  async ask(question: string, choices: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    return this.#person.ask(question, choices, signal);
  }

  withdraw(): void {
    for (const line of this.#person.withdraw()) this.notice('warning', `Not sent: ${line}`);
  }

  remember(_inputs: readonly string[]): void {
    // There is no history where the terminal edits the line.
  }

  close(): void {
    this.#person.close();
  }
}
