export {
  decisionsSince,
  type LedgerDecision,
  type RecordedLedgerDecision,
  recordDecision,
} from './care/decisions.ts';
export { eraseRow } from './care/erase-row.ts';
export { HeadAnchors } from './care/head-anchors.ts';
export { type PrunedLedger, pruneLedger, type Retention } from './care/prune-ledger.ts';
export {
  allRows,
  changedSince,
  historyOf,
  type RowChanges,
  type RowEvent,
  type RowFilter,
  readRows,
  rowsById,
  type StoredRow,
} from './care/stored-rows.ts';
export { type LedgerSummary, summariseLedger } from './care/summarise-ledger.ts';
export { type LedgerFlaw, type LedgerVerification, verifyLedger } from './care/verify-ledger.ts';
export type { Ghost } from './ghosts/ghost.ts';
export { age } from './ghosts/ghost-text.ts';
export { type Briefing, GhostWatch, type GhostWatchParts } from './ghosts/ghost-watch.ts';
export type { Ledger, Match, Settlement } from './ledger.ts';
export type { FileFact, Foreseen, ForeseenFile } from './model/foreseen.ts';
export type { EffectKnown, LedgerRow } from './model/ledger-row.ts';
export type { ProbeResult, ProbeVerdict } from './model/probe.ts';
export { type OpenLedgerOptions, openLedger } from './open-ledger.ts';
export { type ChildState, type McpProbe, type Probe, type ProbePort, Prober } from './probes/prober.ts';
export { graceOf } from './recording/grace-of.ts';
export type { Intent, Outcome, PassedVerdict } from './recording/intent.ts';
