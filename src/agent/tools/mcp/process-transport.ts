import { StringDecoder } from 'node:string_decoder';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { parseJson } from '../../../kernel/json/index.ts';
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
  #unfinished = '';

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
    void started.process.exited.then(() => this.onclose?.());
  }

  /** Rejects when the server no longer reads. */
  async send(message: JSONRPCMessage): Promise<void> {
    const sent = await this.#process?.writeStdin(`${JSON.stringify(message)}\n`);
    if (sent !== true) throw new Error(this.describeEnd());
  }

  async close(): Promise<void> {
    await this.#process?.kill({ graceMs: 1000 });
  }

  /** Why the server is gone, with the end of what it wrote to stderr. */
  describeEnd(): string {
    const stderr = this.#process === undefined ? '' : this.#process.stderr.toText().trim();
    const last = stderr.split('\n').slice(-3).join(' | ');
    return `${this.#options.command} has ended${last === '' ? '' : `; its last words were: ${last}`}`;
  }

  #receive(chunk: Uint8Array): void {
    this.#unfinished += this.#decoder.write(chunk);
    const lines = this.#unfinished.split('\n');
    this.#unfinished = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') this.#deliver(line);
    if (this.#unfinished.length <= MAX_MESSAGE_CHARS) return;
    this.#unfinished = '';
    this.onerror?.(
      new Error(`${this.#options.command} sent a line of more than ${String(MAX_MESSAGE_CHARS)} characters`),
    );
    void this.close();
  }

  #deliver(line: string): void {
    const parsed = parseJson(line);
    if (!parsed.ok) {
      this.onerror?.(
        new Error(`${this.#options.command} sent a line that is no JSON: ${line.slice(0, 120)}`),
      );
      return;
    }
    try {
      this.onmessage?.(this.#options.parseMessage(parsed.value));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
