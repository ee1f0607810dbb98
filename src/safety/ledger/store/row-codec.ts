import { getOwn, getString, isJsonObject, type JsonValue, parseJson } from '../../../kernel/json/index.ts';
import type { ProcessIdentity } from '../../../platform/process/index.ts';
import type { Row } from '../../../platform/sqlite/index.ts';
import type { FileFact, Foreseen, ForeseenFile, ForeseenRepository } from '../model/foreseen.ts';
import type { EffectKnown, LedgerRow } from '../model/ledger-row.ts';
import type { ProbeResult, ProbeVerdict } from '../model/probe.ts';

/** One row of the table, as a value. What is not of the form it should have (somebody edited it) is taken as missing. */
export function decodeRow(row: Row): LedgerRow {
  return {
    id: numberIn(row, 'id') ?? 0,
    ts: textIn(row, 'ts') ?? '',
    toolName: textIn(row, 'tool_name') ?? '',
    status: textIn(row, 'status') ?? '',
    argsJson: textIn(row, 'args_json') ?? null,
    argsSha256: textIn(row, 'args_sha256') ?? '',
    sessionId: textIn(row, 'session_id') ?? '',
    rootSessionId: textIn(row, 'root_session_id') ?? '',
    parentSessionId: textIn(row, 'parent_session_id') ?? null,
    turnId: textIn(row, 'turn_id') ?? '',
    callId: textIn(row, 'tool_call_id') ?? '',
    ordinal: numberIn(row, 'ordinal') ?? 0,
    agent: textIn(row, 'agent') ?? '',
    cwd: textIn(row, 'cwd') ?? '',
    owner: ownerOf(row),
    isOwn: numberIn(row, 'is_own') === 1,
    issuedUptimeMs: numberIn(row, 'issued_uptime_ms') ?? 0,
    beatUptimeMs: numberIn(row, 'beat_uptime_ms') ?? null,
    awaitsApproval: numberIn(row, 'awaiting_approval') === 1,
    graceMs: (numberIn(row, 'grace_s') ?? 0) * 1000,
    settledAt: textIn(row, 'settled_at') ?? null,
    durationMs: numberIn(row, 'duration_ms') ?? null,
    resultDigest: textIn(row, 'result_digest') ?? null,
    effect: effectOf(textIn(row, 'effect')),
    effectClass: textIn(row, 'effect_class') ?? '',
    foreseen: decodeForeseen(parsed(row, 'foreseen_json')),
    probe: decodeProbe(parsed(row, 'probe_json')),
    checkpoint: textIn(row, 'checkpoint') ?? null,
    commandClass: textIn(row, 'command_class') ?? null,
    reportedAt: textIn(row, 'reported_at') ?? null,
    reportCount: numberIn(row, 'report_count') ?? 0,
    revivedAt: textIn(row, 'revived_at') ?? null,
    ackedAt: textIn(row, 'acked_at') ?? null,
    pairing: textIn(row, 'pairing') ?? null,
  };
}

function textIn(row: Row, column: string): string | undefined {
  const value = row[column];
  return typeof value === 'string' ? value : undefined;
}

function numberIn(row: Row, column: string): number | undefined {
  const value = row[column];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function parsed(row: Row, column: string): JsonValue | undefined {
  const text = textIn(row, column);
  if (text === undefined) return undefined;
  const result = parseJson(text);
  return result.ok ? result.value : undefined;
}

function ownerOf(row: Row): ProcessIdentity | undefined {
  const pid = numberIn(row, 'owner_pid');
  if (pid === undefined) return undefined;
  return {
    pid,
    startTime: textIn(row, 'owner_start') ?? '',
    bootId: textIn(row, 'boot_id') ?? '',
    pidNamespace: textIn(row, 'pid_namespace') ?? '',
  };
}

const EFFECTS: readonly EffectKnown[] = ['none', 'unknown', 'applied', 'not_applied', 'partial'];

function effectOf(text: string | undefined): EffectKnown {
  return EFFECTS.find((effect) => effect === text) ?? 'unknown';
}

const VERDICTS: readonly ProbeVerdict[] = ['LANDED', 'NOT_LANDED', 'PARTIAL', 'UNKNOWN'];

function decodeProbe(value: JsonValue | undefined): ProbeResult | undefined {
  if (!isJsonObject(value)) return undefined;
  const verdict = VERDICTS.find((each) => each === getOwn(value, 'verdict'));
  const evidence = getString(value, 'evidence');
  return verdict === undefined || evidence === undefined ? undefined : { verdict, evidence };
}

function decodeForeseen(value: JsonValue | undefined): Foreseen | undefined {
  if (!isJsonObject(value)) return undefined;
  const exitFile = getString(value, 'exitFile');
  const repositories = listOf(getOwn(value, 'repositories'), decodeRepository);
  return {
    files: listOf(getOwn(value, 'files'), decodeFile),
    ...(repositories.length === 0 ? {} : { repositories }),
    ...(exitFile === undefined ? {} : { exitFile }),
  };
}

function listOf<Item>(
  value: JsonValue | undefined,
  decode: (item: JsonValue) => Item | undefined,
): readonly Item[] {
  return Array.isArray(value) ? value.flatMap((item: JsonValue) => decode(item) ?? []) : [];
}

function decodeFile(value: JsonValue): ForeseenFile | undefined {
  if (!isJsonObject(value)) return undefined;
  const path = getString(value, 'path');
  if (path === undefined) return undefined;
  const before = decodeFact(getOwn(value, 'before'));
  const after = decodeFact(getOwn(value, 'after'));
  return {
    path,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

function decodeFact(value: JsonValue | undefined): FileFact | undefined {
  if (!isJsonObject(value)) return undefined;
  const type = getString(value, 'type');
  if (type === 'folder' || type === 'absent') return { type };
  const stamp = getString(value, 'stamp');
  if (type === 'other') return stamp === undefined ? undefined : { type, stamp };
  const [sha256, size] = [getString(value, 'sha256'), getOwn(value, 'size')];
  return type !== 'file' || sha256 === undefined || typeof size !== 'number'
    ? undefined
    : { type, sha256, size };
}

const ACTS: readonly ForeseenRepository['act'][] = ['commit', 'branch', 'init', 'clone'];

function decodeRepository(value: JsonValue): ForeseenRepository | undefined {
  if (!isJsonObject(value)) return undefined;
  const [path, head, branch] = ['path', 'head', 'branch'].map((name) => getString(value, name));
  const act = ACTS.find((each) => each === getOwn(value, 'act'));
  if (path === undefined || head === undefined || act === undefined) return undefined;
  return { path, head, act, ...(branch === undefined ? {} : { branch }) };
}
