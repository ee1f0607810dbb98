import type { ToolCall } from '../../kernel/tool-call/index.ts';

/** What became of the checkpoint before a call. */
export type Captured =
  | {
      readonly type: 'captured';
      /** Finds it again when the call has ended, perhaps in another process; empty when there was nothing to capture. */
      readonly checkpoint: string;
      /** One line each, for the person. */
      readonly warnings: readonly string[];
    }
  /** The call is not to run. */
  | { readonly type: 'blocked'; readonly message: string; readonly warnings: readonly string[] };

/**
 * Step 5 of the gate: what a call may change is captured before it runs, and what it changed is noted after it.
 *
 * A checkpoint that cannot be taken is a warning, or blocks where the configuration says so. Neither half ever throws
 * for what the disk does.
 */
export interface CheckpointStep {
  before(call: ToolCall, signal: AbortSignal): Promise<Captured>;
  /** `checkpoint` is what {@link before} gave. The value is one line for each thing that went wrong. */
  after(checkpoint: string): Promise<readonly string[]>;
}
