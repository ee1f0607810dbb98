export {
  type Added,
  type AddOptions,
  AllowlistFile,
  type AllowlistOptions,
  type Approvals,
} from './allowlist-file.ts';
export type { ApprovalRecord, BoundInterpreter, RecordedContent } from './approval-record.ts';
export { type BindErrorCode, type BoundContent, bindContent } from './bind-content.ts';
export type { Drift } from './compare-content.ts';
export type { ConsentCheck, ConsentState } from './consent-check.ts';
export type { ConsentSubject, SearchPlace } from './consent-subject.ts';
export { type ConsentLine, consentStatus, describeConsent, refusalForModel } from './describe-consent.ts';
export { type ExaminedCommand, examineCommand, relativeScript } from './examine-command.ts';
export { FileInspector } from './file-inspector.ts';
export {
  type ConsentPrompt,
  type ConsentQuestion,
  type FirstUseHatches,
  openHatch,
} from './first-use.ts';
export {
  type Approval,
  type ApproveErrorCode,
  type FirstUse,
  type FirstUseOptions,
  HookConsent,
  type HookConsentOptions,
  type ReviewOptions,
  type RevokeErrorCode,
} from './hook-consent.ts';
export { interpreterOf, type ScriptOfCommand } from './interpreter-of.ts';
export { type ScriptChoice, scriptOf } from './script-of.ts';
