import type { RecordedLedgerDecision } from '../../ledger/index.ts';
import type { AgenticRisk } from '../model/agentic-risks.ts';
import type { Severity } from '../model/severity.ts';
import type { ReadCall } from '../reading/read-call.ts';

/** What a rule looks at. */
export interface PostureScene {
  /** Of the window, in the order of the journal. */
  readonly calls: readonly ReadCall[];
  /** Those before the window. */
  readonly earlier: readonly ReadCall[];
  readonly decisions: readonly RecordedLedgerDecision[];
  readonly nowMs: number;
  /** Whether nobody was there in the session of a call. */
  readonly isUnattended: (call: ReadCall) => boolean;
}

/** One occurrence of what a rule is about. */
export interface Sighting {
  /** At least one, in the order of the journal. */
  readonly calls: readonly ReadCall[];
  readonly evidence: string;
}

export interface PostureRule {
  /** Stable. */
  readonly id: string;
  readonly asi: AgenticRisk;
  readonly severity: Severity;
  readonly find: (scene: PostureScene) => readonly Sighting[];
}
