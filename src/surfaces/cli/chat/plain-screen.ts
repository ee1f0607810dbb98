import { createInterface, type Interface } from 'node:readline';
import type { ApprovalRequest, ApprovalScope } from '../../../gate/index.ts';
import { abortReason } from '../../../platform/clock/index.ts';
import { exactArguments, finishedLine, startedLine } from './call-line-text.ts';
import type { CallLine, ChatScreen, ScreenInput, SlashCommandInfo, StreamedAnswer } from './chat-screen.ts';
import { readScope, SCOPE_QUESTION } from './read-scope.ts';
import { createTheme } from './theme.ts';

export interface PlainScreenStreams {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  /** Whether a person sits at both ends. */
  readonly isTerminal: boolean;
  readonly colours: boolean;
}

/**
 * The conversation as lines of text: for pipes, dumb terminals and screen readers. Input is one line per message.
 */
export class PlainScreen implements ChatScreen {
  readonly #streams: PlainScreenStreams;
  readonly #theme;
  readonly #lines: Interface;
  readonly #pending: string[] = [];
  #waiting: ((line: string | undefined) => void) | undefined;
  #interrupt: () => void = () => undefined;
  #ended = false;

  constructor(streams: PlainScreenStreams) {
    this.#streams = streams;
    this.#theme = createTheme(streams.colours);
    this.#lines = createInterface({
      input: streams.stdin,
      ...(streams.isTerminal ? { output: streams.stdout, terminal: true } : {}),
    });
    this.#lines.on('line', (line) => this.#deliver(line));
    this.#lines.on('SIGINT', () => {
      if (this.#waiting === undefined) this.#interrupt();
      else this.#deliver(undefined);
    });
    this.#lines.on('close', () => {
      this.#ended = true;
      this.#deliver(undefined);
    });
  }

  start(_commands: readonly SlashCommandInfo[]): void {
    this.#write(`${this.#theme.dim('Type a message; /help lists the commands, Ctrl-D leaves.')}\n`);
  }

  async read(): Promise<ScreenInput> {
    if (this.#streams.isTerminal) this.#write(this.#theme.accent('› '));
    const line = await this.#next();
    return line === undefined ? { type: 'leave' } : { type: 'text', text: line };
  }

  onInterrupt(listener: () => void): void {
    this.#interrupt = listener;
  }

  answer(): StreamedAnswer {
    let shown = '';
    return {
      append: (text) => {
        shown += text;
        this.#write(text);
      },
      restart: () => {
        if (shown !== '')
          this.#write(`\n${this.#theme.warn('(the connection broke; the answer starts again)')}\n`);
        shown = '';
      },
      complete: (text) => {
        if (text.startsWith(shown)) this.#write(`${text.slice(shown.length)}\n`);
        else this.#write(`\n${this.#theme.dim('(changed by a hook)')}\n${text}\n`);
      },
    };
  }

  call(call: Parameters<ChatScreen['call']>[0]): CallLine {
    this.#write(`${startedLine(call, this.#theme)}\n`);
    return {
      progress: () => undefined,
      finish: (report) => this.#write(`${finishedLine(call, report, this.#theme)}\n`),
    };
  }

  busy(_what: string | undefined): void {
    // A line that cannot be taken back would only be noise here.
  }

  notice(kind: 'info' | 'warning' | 'error', text: string): void {
    const paint = { info: this.#theme.dim, warning: this.#theme.warn, error: this.#theme.bad }[kind];
    this.#write(`${paint(text)}\n`);
  }

  async approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalScope | 'deny'> {
    this.#write(
      `${this.#theme.warn(request.message)}\n${request.call.tool}\n${exactArguments(request.call)}\n`,
    );
    for (;;) {
      this.#write(`${SCOPE_QUESTION} `);
      const answer = readScope((await this.#nextUnless(signal)) ?? 'deny');
      if (answer !== undefined) return answer;
    }
  }

  async ask(question: string, choices: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    const listed = choices.map((choice, index) => `  ${String(index + 1)}. ${choice}\n`).join('');
    this.#write(`${this.#theme.accent(question)}\n${listed}${this.#theme.accent('› ')}`);
    const line = (await this.#nextUnless(signal))?.trim();
    if (line === undefined || line === '') return undefined;
    return choices[Number(line) - 1] ?? line;
  }

  remember(_inputs: readonly string[]): void {
    // Readline keeps what is typed here; earlier sessions matter to the drawing screen.
  }

  close(): void {
    this.#lines.close();
  }

  async #nextUnless(signal: AbortSignal): Promise<string | undefined> {
    signal.throwIfAborted();
    return await new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waiting = undefined;
        reject(abortReason(signal));
      };
      signal.addEventListener('abort', stop, { once: true });
      void this.#next().then((line) => {
        signal.removeEventListener('abort', stop);
        resolve(line);
      });
    });
  }

  async #next(): Promise<string | undefined> {
    const line = this.#pending.shift();
    if (line !== undefined) return line;
    if (this.#ended) return undefined;
    return await new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  #deliver(line: string | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) waiting(line);
    else if (line !== undefined) this.#pending.push(line);
  }

  #write(text: string): void {
    this.#streams.stdout.write(text);
  }
}
