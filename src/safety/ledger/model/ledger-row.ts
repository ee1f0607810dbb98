import type { ProcessIdentity } from '../../../platform/process/index.ts';
import type { Foreseen } from './foreseen.ts';
import type { ProbeResult } from './probe.ts';

/** `PENDING`, `CONFIRMED`, `CANCELLED`, `GHOST_REPORTED`, `ERROR:<type>`, `BLOCKED:<who>`. */
export type LedgerStatus = string;

/** What is known of the effect of a call. `unknown` until it has ended in a way that tells. */
export type EffectKnown = 'none' | 'unknown' | 'applied' | 'not_applied' | 'partial';

/** One row of the table `ledger`: one call. */
export interface LedgerRow {
  readonly id: number;
  /** When it was issued: ISO 8601, UTC, milliseconds. */
  readonly ts: string;
  readonly toolName: string;
  readonly status: LedgerStatus;
  /** Redacted, at most 4,000 characters, JSON; null once erased. */
  readonly argsJson: string | null;
  /** Equal for equal calls (tool, arguments, working directory) of this installation. */
  readonly argsSha256: string;
  readonly sessionId: string;
  readonly rootSessionId: string;
  readonly parentSessionId: string | null;
  readonly turnId: string;
  readonly callId: string;
  readonly ordinal: number;
  readonly agent: string;
  readonly cwd: string;
  readonly owner: ProcessIdentity | undefined;
  /** Whether the owner keeps the row alive while the call runs. */
  readonly isOwn: boolean;
  /** The monotonic time of this boot of the machine at which it was issued. */
  readonly issuedUptimeMs: number;
  /** The same of the last sign of life. */
  readonly beatUptimeMs: number | null;
  /** Whether another agent was told to ask its person. */
  readonly awaitsApproval: boolean;
  readonly graceMs: number;
  readonly settledAt: string | null;
  readonly durationMs: number | null;
  /** At most 300 characters. */
  readonly resultDigest: string | null;
  readonly effect: EffectKnown;
  /** What the call might do: `none`, `write`, `execute`, `external`. */
  readonly effectClass: string;
  /** What was known beforehand of what it would change. */
  readonly foreseen: Foreseen | undefined;
  readonly probe: ProbeResult | undefined;
  /** The checkpoint that was taken for it. */
  readonly checkpoint: string | null;
  /** Class of a shell command; see the classes of `src/shell`. */
  readonly commandClass: string | null;
  /** When it was last reported as lost. */
  readonly reportedAt: string | null;
  /** How often its model was told that it is lost. */
  readonly reportCount: number;
  /** When its end was noted after it had been reported. */
  readonly revivedAt: string | null;
  readonly ackedAt: string | null;
  /** `name` or `name-fifo` when its end was matched by the name of the tool. */
  readonly pairing: string | null;
}
