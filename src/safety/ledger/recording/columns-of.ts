import type { Redactor } from '../../../kernel/redact/index.ts';
import type { ToolCall } from '../../../kernel/tool-call/index.ts';
import type { IssueColumns } from '../store/issue-columns.ts';
import type { RowKey } from '../store/row-key.ts';
import type { Seal } from '../store/seal.ts';
import type { Intent } from './intent.ts';
import { recordedArgs } from './recorded-args.ts';
import { recordedForeseen } from './recorded-foreseen.ts';
import { recordedId } from './recorded-id.ts';

/** What texts are made fit for the journal with. */
export interface Recorder {
  readonly redactor: Redactor;
  readonly seal: Seal;
}

/** What is kept of an intent: nothing in it holds a secret. */
export function columnsOf(
  intent: Intent,
  { redactor, seal }: Recorder,
  { ts, uptimeMs }: { readonly ts: string; readonly uptimeMs: number },
): IssueColumns {
  const { call, owner, checkpoint = '', verdicts = [], policy } = intent;
  const text = (value: string): string => redactor.text(value).toWellFormed();
  const id = (value: string): string => recordedId(value, redactor, seal);
  const safeVerdicts = verdicts.map(({ by, verdict }) => ({ by: text(by), verdict: text(verdict) }));
  return {
    ts,
    ordinal: call.ordinal,
    ...keyOf(call, { redactor, seal }),
    more: {
      tool_name: text(call.tool),
      args_json: recordedArgs(call, redactor),
      args_len: JSON.stringify(call.args).length,
      session_id: id(call.sessionId),
      parent_session_id: call.parentSessionId === undefined ? null : id(call.parentSessionId),
      agent: call.origin.kind === 'foreign' ? text(call.origin.agent) : 'herma',
      cwd: text(call.cwd),
      owner_pid: owner?.pid ?? null,
      owner_start: owner?.startTime ?? null,
      boot_id: owner?.bootId ?? null,
      pid_namespace: owner?.pidNamespace ?? null,
      is_own: intent.isOwn ? 1 : 0,
      issued_uptime_ms: uptimeMs,
      grace_s: intent.graceMs / 1000,
      effect_class: call.effect,
      command_class: intent.commandClass ?? null,
      awaiting_approval: intent.awaitingApproval === true ? 1 : 0,
      foreseen_json: recordedForeseen(intent.foreseen, redactor),
      checkpoint: checkpoint === '' ? null : checkpoint,
      verdicts_json: safeVerdicts.length === 0 ? null : JSON.stringify(safeVerdicts),
      policy_rule: policy === undefined ? null : text(policy.rule),
      policy_mode: policy?.mode ?? null,
    },
  };
}

/** What tells the row of a call from all others. */
export function keyOf(call: ToolCall, { redactor, seal }: Recorder): Required<Omit<RowKey, 'ts'>> {
  return {
    args_sha256: seal.text(call.fingerprint),
    root_session_id: recordedId(call.rootSessionId, redactor, seal),
    turn_id: recordedId(call.turnId, redactor, seal),
    tool_call_id: recordedId(call.callId, redactor, seal),
  };
}
