export { type ApprovalRecord } from './approval/approval-record.ts';
export { ApprovalStore } from './approval/approval-store.ts';
export type { ApprovalAnswer, ApprovalRequest, ApprovalScope, Approver } from './approval/approver.ts';
export { askGuard } from './approval/ask-guard.ts';
export { type ApprovalPrompt, PersonApprover } from './approval/person-approver.ts';
export type { CallRequest } from './call-request.ts';
export type { Captured, CheckpointStep } from './checkpoint/checkpoint-step.ts';
export {
  type CaptureStore,
  type StoreCheckpointParts,
  storeCheckpointStep,
} from './checkpoint/store-checkpoint-step.ts';
export { type ForeignDecision, ForeignGate } from './foreign/foreign-gate.ts';
export {
  type ForeignCall,
  type ForeignOutcome,
  parseForeignCall,
  parseForeignOutcome,
  parseForeignSession,
} from './foreign/foreign-payload.ts';
export { OpenCallStore } from './foreign/open-call-store.ts';
export { type Admission, Gate, type GateParts, type Settlement } from './gate.ts';
export { hookAudience } from './hook-audience.ts';
export type { JournalContext, Journalled, JournalStep, NotRun } from './journal/journal-step.ts';
export { type LedgerJournalParts, ledgerJournalStep } from './journal/ledger-journal-step.ts';
export type { ToolCatalog } from './normalise.ts';
export type { CallAudience, EndedCall } from './observers.ts';
export {
  type CallReport,
  type PerformOptions,
  performCall,
  type Tool,
  type ToolRun,
} from './perform-call.ts';
export { describeFinding, type TamperChange, type TamperFinding } from './self-protection/finding.ts';
export { type ProtectedPaths, protectedPaths } from './self-protection/protected-paths.ts';
export { protectedTargetGuard } from './self-protection/protected-target-guard.ts';
export {
  type ProtectionWindow,
  SelfProtection,
  type SelfProtectionParts,
  tamperWarnings,
} from './self-protection/self-protection.ts';
export { type TamperEvent, type TamperRecord, TamperRecords } from './self-protection/tamper-records.ts';
export type { Ticket } from './ticket.ts';
export { type ToolOutcome, textOf } from './tool-outcome.ts';
