import type { Result } from '../../../kernel/errors/index.ts';
import type { ToolCall } from '../../../kernel/tool-call/index.ts';
import { numberColumn, optionalTextColumn, type Row, textColumn } from '../../../platform/sqlite/index.ts';
import type { Ledger } from '../ledger.ts';

/** What a policy said of a call. */
export interface LedgerDecision {
  readonly call: Pick<ToolCall, 'sessionId' | 'rootSessionId' | 'turnId' | 'callId' | 'tool'>;
  readonly mode: string;
  /** What it says when it is enforced, and what came of it. */
  readonly raw: string;
  readonly effective: string;
  readonly rule: string;
  readonly class?: string | undefined;
  readonly severity?: string | undefined;
  /** The command, or what else tells the call; without secrets. */
  readonly subject: string;
}

export interface RecordedLedgerDecision extends LedgerDecision {
  readonly id: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly atMs: number;
}

/** Keeps what a policy said of a call. */
export async function recordDecision(
  ledger: Ledger,
  { call, mode, raw, effective, rule, class: named, severity, subject }: LedgerDecision,
  at: string,
): Promise<Result<undefined>> {
  return ledger.work((access) => {
    access.database.run(
      `INSERT INTO decision (ts, session_id, root_session_id, turn_id, tool_call_id, tool_name, mode, raw_verdict,
       effective_verdict, rule, class, severity, subject) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        at,
        ledger.idIn(access, call.sessionId),
        ledger.idIn(access, call.rootSessionId),
        ledger.idIn(access, call.turnId),
        ledger.idIn(access, call.callId),
        ledger.idIn(access, call.tool),
        mode,
        raw,
        effective,
        rule,
        named,
        severity,
        subject,
      ],
    );
    return undefined;
  });
}

/** What policies said since then, the oldest first. `since`: ISO 8601; all when empty. */
export async function decisionsSince(
  ledger: Ledger,
  since: string,
): Promise<Result<readonly RecordedLedgerDecision[]>> {
  return ledger.look(({ database }) =>
    database.all('SELECT * FROM decision WHERE ts >= ? ORDER BY id', [since]).map(decode),
  );
}

function decode(row: Row): RecordedLedgerDecision {
  return {
    id: numberColumn(row, 'id'),
    atMs: Date.parse(textColumn(row, 'ts')),
    call: {
      sessionId: textColumn(row, 'session_id'),
      rootSessionId: textColumn(row, 'root_session_id'),
      turnId: textColumn(row, 'turn_id'),
      callId: textColumn(row, 'tool_call_id'),
      tool: textColumn(row, 'tool_name'),
    },
    mode: textColumn(row, 'mode'),
    raw: textColumn(row, 'raw_verdict'),
    effective: textColumn(row, 'effective_verdict'),
    rule: textColumn(row, 'rule'),
    class: optionalTextColumn(row, 'class'),
    severity: optionalTextColumn(row, 'severity'),
    subject: textColumn(row, 'subject'),
  };
}
