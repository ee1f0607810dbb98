import { fingerprintOfCall, type ToolCall } from '../../../kernel/tool-call/index.ts';
import type { LedgerRow } from '../model/ledger-row.ts';

/** A call as an agent makes it. For tests only. */
export function callOf({ tool, args, cwd }: Pick<ToolCall, 'tool' | 'args' | 'cwd'>): ToolCall {
  return {
    tool,
    args,
    cwd,
    effect: 'external',
    paths: [],
    fingerprint: fingerprintOfCall({ tool, args, cwd }),
    origin: { kind: 'herma', surface: 'test' },
    callId: 'call-1',
    sessionId: 's',
    rootSessionId: 's',
    turnId: 't',
    ordinal: 0,
  };
}

/** The open row of a call. For tests only. */
export function rowOf(more: Partial<LedgerRow>): LedgerRow {
  return {
    id: 1,
    ts: '2030-01-01T00:00:00.000Z',
    toolName: 'terminal',
    status: 'PENDING',
    argsJson: null,
    argsSha256: '',
    sessionId: 's',
    rootSessionId: 's',
    parentSessionId: null,
    turnId: 't',
    callId: 'call-1',
    ordinal: 0,
    agent: 'herma',
    cwd: '/',
    owner: undefined,
    isOwn: true,
    issuedUptimeMs: 0,
    beatUptimeMs: null,
    awaitsApproval: false,
    graceMs: 0,
    settledAt: null,
    durationMs: null,
    resultDigest: null,
    effect: 'unknown',
    effectClass: 'execute',
    foreseen: undefined,
    probe: undefined,
    checkpoint: null,
    commandClass: null,
    reportedAt: null,
    reportCount: 0,
    revivedAt: null,
    ackedAt: null,
    pairing: null,
    ...more,
  };
}
