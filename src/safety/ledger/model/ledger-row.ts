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
  readonly sessionId: string;
  readonly rootSessionId: string;
  readonly parentSessionId: string | null;
  readonly turnId: string;
  readonly callId: string;
  readonly ordinal: number;
  readonly agent: string;
  readonly cwd: string;
  readonly owner: ProcessIdentity | undefined;
  readonly graceMs: number;
  readonly settledAt: string | null;
  readonly durationMs: number | null;
  /** At most 300 characters. */
  readonly resultDigest: string | null;
  readonly effect: EffectKnown;
  /** What was known beforehand of what it would change. */
  readonly foreseen: Foreseen | undefined;
  readonly probe: ProbeResult | undefined;
  /** The checkpoint that was taken for it. */
  readonly checkpoint: string | null;
  /** Class of a shell command; see the classes of `src/shell`. */
  readonly commandClass: string | null;
}
