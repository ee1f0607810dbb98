export type { ApprovalAnswer, ApprovalRequest, ApprovalScope, Approver } from './approval/approver.ts';
export type { CallRequest } from './call-request.ts';
export { type Admission, Gate, type GateParts, type Settlement } from './gate.ts';
export { hookAudience } from './hook-audience.ts';
export type { ToolCatalog } from './normalise.ts';
export type { CallAudience, EndedCall } from './observers.ts';
export {
  type CallReport,
  type PerformOptions,
  performCall,
  type Tool,
  type ToolRun,
} from './perform-call.ts';
export type { Ticket } from './ticket.ts';
export { type ToolOutcome, textOf } from './tool-outcome.ts';
