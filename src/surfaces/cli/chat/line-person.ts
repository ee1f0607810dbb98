import { createInterface, type Interface } from 'node:readline';
import type { ApprovalRequest, ApprovalScope } from '../../../gate/index.ts';
import { InputQueue } from './input-queue.ts';
import { answerIn, approvalText, questionText } from './question-text.ts';
import { readScope, SCOPE_QUESTION } from './read-scope.ts';
import type { ChatTheme } from './theme.ts';

export interface LinePersonParts {
  readonly input: NodeJS.ReadableStream;
  readonly write: (text: string) => void;
  readonly theme: ChatTheme;
}

/**
 * A person who is asked in lines of text and answers in lines. The terminal stays as it is: its own line editing works, and
 * Ctrl-C is a signal. Nothing is read before somebody waits for it.
 */
export class LinePerson {
  readonly #parts: LinePersonParts;
  readonly #queue = new InputQueue();
  #lines: Interface | undefined;
  #closed = false;

  constructor(parts: LinePersonParts) {
    this.#parts = parts;
  }

  /** The next line; undefined at the end of the input. */
  async read(): Promise<string | undefined> {
    this.#open();
    const input = await this.#queue.next();
    return input.type === 'text' ? input.text : undefined;
  }

  /** Shows exactly what would run, and asks until the answer is one. The end of the input is a no. */
  async approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalScope | 'deny'> {
    const { write, theme } = this.#parts;
    write(`${approvalText(request, theme)}\n`);
    for (;;) {
      const answer = readScope((await this.#answer(`${SCOPE_QUESTION} `, signal)) ?? 'deny');
      if (answer !== undefined) return answer;
    }
  }

  async ask(question: string, choices: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    const { write, theme } = this.#parts;
    write(`${questionText(question, choices, theme)}\n`);
    return answerIn((await this.#answer(theme.accent('› '), signal)) ?? '', choices);
  }

  /** Takes back the lines that were typed and not read yet. */
  withdraw(): readonly string[] {
    return this.#queue.withdraw();
  }

  /** Stops reading. A second call does nothing. */
  close(): void {
    this.#closed = true;
    this.#lines?.close();
    this.#queue.end();
  }

  async #answer(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    this.#open();
    this.#parts.write(prompt);
    try {
      const input = await this.#queue.answer(signal);
      return input.type === 'text' ? input.text : undefined;
    } catch (error) {
      this.#parts.write('\n');
      throw error;
    }
  }

  #open(): void {
    if (this.#closed || this.#lines !== undefined) return;
    this.#lines = createInterface({ input: this.#parts.input, terminal: false });
    this.#lines.on('line', (text) => this.#queue.push({ type: 'text', text }));
    this.#lines.on('close', () => this.#queue.end());
  }
}
