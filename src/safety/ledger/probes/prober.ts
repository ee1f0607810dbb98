import type { ToolCall } from '../../../kernel/tool-call/index.ts';
import type { Foreseen } from '../model/foreseen.ts';
import type { LedgerRow } from '../model/ledger-row.ts';
import type { ProbeResult } from '../model/probe.ts';

/** Looks whether the effect of one call is there. Reads only, and ends when `signal` is aborted. */
export type Probe = (row: LedgerRow, signal: AbortSignal) => Promise<ProbeResult>;

/** What the journal wants of the probes. */
export interface ProbePort {
  /** What is known before a call; undefined when nothing about it could be checked later. Never rejects; takes at most 200 ms. */
  foresee(call: ToolCall): Promise<Foreseen | undefined>;
  /** Never rejects; a probe that fails or takes over 2 s says UNKNOWN. */
  probe(row: LedgerRow): Promise<ProbeResult>;
}
