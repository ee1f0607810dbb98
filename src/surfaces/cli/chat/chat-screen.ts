import type { ApprovalRequest, ApprovalScope, CallReport } from '../../../gate/index.ts';
import type { ToolCall } from '../../../kernel/tool-call/index.ts';

/** What the person did at the prompt. */
export type ScreenInput =
  | { readonly type: 'text'; readonly text: string }
  /** Ctrl-C on an empty line, or Ctrl-D: the person wants to leave. */
  | { readonly type: 'leave' };

/** An answer while it streams. */
export interface StreamedAnswer {
  append(text: string): void;
  /** Drops what was shown: the attempt it belongs to was given up. */
  restart(): void;
  /** The answer as it finally is. */
  complete(text: string): void;
  /** Leaves it as far as it came: its turn is over. */
  breakOff(): void;
}

/** A line about one tool call. */
export interface CallLine {
  progress(text: string): void;
  finish(report: CallReport): void;
}

export interface SlashCommandInfo {
  readonly name: string;
  readonly summary: string;
  /** Values its argument can take, for completion. */
  readonly complete?: () => readonly string[];
}

/**
 * Where a conversation is shown. One implementation draws, for terminals; one writes lines, for pipes and dumb
 * terminals. Nothing of a terminal library is visible through it.
 */
export interface ChatScreen {
  /** Shows the prompt. Offers `commands` for completion. */
  start(commands: readonly SlashCommandInfo[]): void;
  /** The next thing the person writes. */
  read(): Promise<ScreenInput>;
  /** Calls `listener` when the person wants to stop what is running. It says whether anything was. */
  onInterrupt(listener: () => boolean): void;
  answer(): StreamedAnswer;
  call(call: ToolCall): CallLine;
  /** What is being waited for; undefined when nothing is. */
  busy(what: string | undefined): void;
  /** A line of the program's own. */
  notice(kind: 'info' | 'warning' | 'error', text: string): void;
  /** Asks whether a call may run. Rejects when `signal` is aborted. */
  approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalScope | 'deny'>;
  /** Asks a question of the model's; undefined when the person does not answer. */
  ask(question: string, choices: readonly string[], signal: AbortSignal): Promise<string | undefined>;
  /** Takes back what was typed ahead: who interrupts a turn wants to think again. */
  withdraw(): void;
  /** Puts earlier messages within reach of the arrow keys, oldest first. */
  remember(inputs: readonly string[]): void;
  /** Gives the terminal back. A second call does nothing. */
  close(): void;
}
