import type { ToolCall } from '../../kernel/tool-call/index.ts';

/** A call that waits for a person's word. */
export interface ApprovalRequest {
  /** With exactly the arguments that will run. */
  readonly call: ToolCall;
  /** Who asks, and why. */
  readonly by: string;
  readonly message: string;
  /** The rule an answer for longer than once is bound to; the call's fingerprint where there is none. */
  readonly ruleKey?: string;
}

export const APPROVAL_SCOPES = ['once', 'session', 'always'] as const;

/** For how long a yes holds. */
export type ApprovalScope = (typeof APPROVAL_SCOPES)[number];

export type ApprovalAnswer =
  /** The question is passed on to the agent that made the call. */
  | { readonly type: 'deferred' }
  | {
      readonly type: 'approved';
      readonly choice: ApprovalScope /** Given earlier, and remembered. */;
      readonly remembered: boolean;
      /** Nobody was asked: the person had said beforehand that everything is approved. */
      readonly isUnasked?: true;
    }
  | {
      readonly type: 'refused';
      readonly choice: 'deny' | 'timeout' | 'cancelled' | 'unattended';
      readonly message: string;
    };

/** Whether what an approver gave back is an answer: approvers, and what they ask, are written by others too. */
export function isApprovalAnswer(given: unknown): given is ApprovalAnswer {
  if (typeof given !== 'object' || given === null || !('type' in given)) return false;
  return given.type === 'approved' || given.type === 'deferred' || given.type === 'refused';
}

/** Step 4 of the gate. Silence, a fault and nobody to ask are all a no. */
export interface Approver {
  decide(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
}
