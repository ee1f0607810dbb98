import type { ToolCall } from '../../kernel/tool-call/index.ts';
import type { ProcessIdentity } from '../../platform/process/index.ts';
import type { EndedCall } from '../observers.ts';

/** What became of the row of a call that is about to run. */
export type Journalled =
  | {
      readonly type: 'journalled';
      /** Finds the row again when the call has ended, perhaps in another process; empty when there is none. */
      readonly entry: string;
      /** One line each, for the person. */
      readonly warnings: readonly string[];
    }
  /** The call is not to run. */
  | { readonly type: 'blocked'; readonly message: string; readonly warnings: readonly string[] };

/** What is known of a call when it is journalled. */
export interface JournalContext {
  /** Names what was captured before it; empty when nothing was. */
  readonly checkpoint: string;
  /** What guards said of it. */
  readonly verdicts: readonly { readonly by: string; readonly verdict: string }[];
  /** Whether another agent asks its own person, and may run it without coming back. */
  readonly awaitsApproval: boolean;
  /** The row of the same call from when that question was put; empty when it was not recorded. */
  readonly continues?: string | undefined;
  /** The process of another agent that can still end it; this one when absent. */
  readonly owner?: ProcessIdentity | undefined;
}

/** Why a call did not run; `by` is absent when it was cancelled. */
export interface NotRun {
  readonly by?: string;
  readonly message: string;
}

/**
 * The last step of the gate before the tool: a durable row of the call with its final arguments, settled after it.
 *
 * Fails closed: a call with an effect that cannot be journalled does not run, unless the configuration says so; a read does. Neither half
 * ever throws for what the disk does.
 */
export interface JournalStep {
  before(call: ToolCall, context: JournalContext): Promise<Journalled>;
  /** `entry` is what {@link before} gave. The value is one line for each thing that went wrong. */
  after(entry: string, ended: EndedCall): Promise<readonly string[]>;
  /** Notes a call that was stopped before it was journalled, or after it: then `entry` is its row. */
  refused(
    call: ToolCall,
    why: NotRun,
    context: Pick<JournalContext, 'verdicts'> & { readonly entry?: string },
  ): Promise<readonly string[]>;
}
