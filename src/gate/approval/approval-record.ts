import type { ToolCall } from '../../kernel/tool-call/index.ts';

/** A yes that was given for longer than once. */
export interface ApprovalRecord {
  readonly id: string;
  readonly tool: string;
  /** A rule's key, or `call:<fingerprint>` where no rule named one. */
  readonly rule: string;
  /** Canonical path of the project it holds in. */
  readonly project: string;
  /** The one session it holds in; absent when it holds in all. */
  readonly sessionId?: string;
  /** ISO 8601, UTC. */
  readonly approvedAt: string;
  /** What the person saw, redacted and cut; for lists only, never compared. */
  readonly shown: string;
}

/** What an answer for a call is bound to: the rule that asked, else exactly this call. */
export function ruleOf(call: ToolCall, ruleKey: string | undefined): string {
  return ruleKey === undefined ? `call:${call.fingerprint}` : `rule:${ruleKey}`;
}

/** Whether a record answers for a call in a project. Lineage counts as one session: compaction makes no new person. */
export function covers(record: ApprovalRecord, call: ToolCall, rule: string, project: string): boolean {
  return (
    record.tool === call.tool &&
    record.rule === rule &&
    record.project === project &&
    (record.sessionId === undefined || record.sessionId === call.rootSessionId)
  );
}
