import type { LedgerRow } from '../model/ledger-row.ts';
import type { ProbeResult } from '../model/probe.ts';

/** A call that was issued and whose end nobody noted. */
export interface Ghost {
  readonly row: LedgerRow;
  /** Since it was issued, in milliseconds. */
  readonly ageMs: number;
  /** What a look at the world said; absent when none was taken. */
  readonly probe?: ProbeResult;
}
