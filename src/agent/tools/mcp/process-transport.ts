import { StringDecoder } from 'node:string_decoder';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { parseJson } from '../../../kernel/json/index.ts';
import { printable } from '../../../kernel/tool-call/index.ts';
import { type RunningProcess, startProcess } from '../../../platform/process/index.ts';

export interface ProcessTransportOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Recognises a message of the protocol; throws on anything else. */
  readonly parseMessage: (value: unknown) => JSONRPCMessage;
}

/** Characters one message may have; a server that sends more without a line end is broken. */
const MAX_MESSAGE_CHARS = 64 * 1024 * 1024;
const STDERR_BYTES = 8 * 1024;
/** Characters of what a server wrote to stderr, or sent by mistake, that are shown. */
const MAX_SHOWN_CHARS = 400;

/**
 * MCP over the standard streams of a child (one JSON message per line, Model Context Protocol 2025-11-25,
 * "Transports"), started by our own runner: in its own process group, killed as a group.
 */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: ProcessTransportOptions;
  readonly #decoder = new StringDecoder('utf8');
  #process: RunningProcess | undefined;
  #hasEnded = false;
  /** What was wrong with the line that could not be used last. */
  #complaint = '';
  /** The beginning of a line. Grows by appending only, so that a long line takes time in proportion to its length. */
  #unfinished = '';
  #isOverflowing = false;

  constructor(options: ProcessTransportOptions) {
    this.#options = options;
  }

  /** Rejects when the program cannot be started. */
  async start(): Promise<void> {
    const { command, args, cwd, env } = this.#options;
    const started = await startProcess({
      command,
      args,
      cwd,
      env,
      stdin: 'pipe',
      maxStdoutBytes: 0,
      maxStderrBytes: STDERR_BYTES,
      keep: 'head-and-tail',
      onOutput: (chunk, stream) => {
        if (stream === 'stdout') this.#receive(chunk);
      },
    });
    if (!started.ok) throw new Error(started.error.message);
    this.#process = started.process;
    void started.process.exited.then(() => {
      this.#hasEnded = true;
      this.onclose?.();
    });
  }

  /** Rejects when the server no longer reads. */
  async send(message: JSONRPCMessage): Promise<void> {
    const sent = await this.#process?.writeStdin(`${JSON.stringify(message)}\n`);
    if (sent !== true) throw new Error('the server does not read any more');
  }

  /** Ends the program, and resolves when that is over. */
  async close(): Promise<void> {
    await this.#process?.kill({ graceMs: 1000 });
    await this.#process?.exited;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** What is known of a server that fails: whether it has ended, what it wrote last to stderr, and what it sent by mistake. */
  describeState(): string {
    const stderr = this.#process?.stderr.toText().trim() ?? '';
    const last = stderr.split('\n').slice(-3).join(' | ');
    return [
      ...(this.#hasEnded ? [`${this.#options.command} has ended`] : []),
      ...(last === '' ? [] : [`its last words were: ${shown(last)}`]),
      ...(this.#complaint === '' ? [] : [this.#complaint]),
    ].join('; ');
  }

  #receive(chunk: Uint8Array): void {
    if (this.#isOverflowing) return;
    const text = this.#decoder.write(chunk);
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const line = this.#unfinished + text.slice(start, end);
      this.#unfinished = '';
      start = end + 1;
      if (line.trim() !== '') this.#deliver(line);
    }
    this.#unfinished += text.slice(start);
    if (this.#unfinished.length > MAX_MESSAGE_CHARS) this.#overflow();
  }

  #overflow(): void {
    this.#isOverflowing = true;
    this.#unfinished = '';
    this.#complain(`it sent a line of more than ${String(MAX_MESSAGE_CHARS)} characters`);
    void this.close();
  }

  #deliver(line: string): void {
    const parsed = parseJson(line);
    if (!parsed.ok) {
      this.#complain(`it sent a line that cannot be used (${shown(parsed.message)}): ${shown(line)}`);
      return;
    }
    try {
      this.onmessage?.(this.#options.parseMessage(parsed.value));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #complain(complaint: string): void {
    this.#complaint = complaint;
    this.onerror?.(new Error(`${this.#options.command}: ${complaint}`));
  }
}

function shown(text: string): string {
  const line = printable(text.slice(0, MAX_SHOWN_CHARS).toWellFormed());
  return text.length <= MAX_SHOWN_CHARS ? line : `${line}…`;
}
