import type { ToolCall } from '../../../kernel/tool-call/index.ts';
import type { ProcessIdentity } from '../../../platform/process/index.ts';
import type { Foreseen } from '../model/foreseen.ts';
import type { EffectKnown } from '../model/ledger-row.ts';

/** What somebody on the way said of a call that was not stopped there. */
export interface PassedVerdict {
  readonly by: string;
  readonly verdict: string;
}

/** A call that is about to run, or has just been stopped, with what is to be known of it. */
export interface Intent {
  /** With the arguments it runs with. */
  readonly call: ToolCall;
  /** The process that can still settle it; absent when nobody can be named. */
  readonly owner?: ProcessIdentity | undefined;
  /** Whether that process keeps this row alive while the call runs, as our own agent does. */
  readonly isOwn: boolean;
  /** How long it may stay open before it counts as lost, in milliseconds. */
  readonly graceMs: number;
  /** Whether another agent asks its own person, and may then run it without coming back. */
  readonly awaitingApproval?: boolean;
  /** Names what was captured before it; empty when nothing was. */
  readonly checkpoint?: string;
  readonly foreseen?: Foreseen | undefined;
  /** Class of a shell command. */
  readonly commandClass?: string | undefined;
  readonly verdicts?: readonly PassedVerdict[];
  readonly policy?: { readonly rule: string; readonly mode: string } | undefined;
}

/** How a call ended. */
export interface Outcome {
  readonly status: 'ok' | 'error' | 'cancelled';
  readonly errorType?: string | undefined;
  /** What the tool answered; recorded redacted and short. */
  readonly result: string;
  /** Milliseconds. */
  readonly durationMs: number;
  readonly effect: EffectKnown;
  /** How the row was found, when not by its own id. */
  readonly pairing?: 'name' | 'name-fifo';
}
