import {
  getOwn,
  getString,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../kernel/json/index.ts';
import type { EffectKnown } from '../model/ledger-row.ts';
import type { Outcome } from '../recording/intent.ts';
import { type IssueColumns, isMoreColumn } from './issue-columns.ts';
import type { RowKey } from './row-key.ts';

/** How a call that did not run is noted. */
export interface Refusal {
  readonly status: string;
  readonly digest: string;
  readonly at: string;
}

/** Something the journal could not take in time. */
export type SpoolEntry =
  | {
      readonly type: 'settle';
      readonly id: number;
      readonly key: RowKey;
      readonly at: string;
      readonly outcome: Outcome;
    }
  | { readonly type: 'withdraw'; readonly id: number; readonly key: RowKey; readonly refusal: Refusal }
  | { readonly type: 'refuse'; readonly columns: IssueColumns; readonly refusal: Refusal };

/** What a file of the spool says; undefined when it says nothing the journal could take in, because somebody edited it. */
export function decodeSpoolEntry(value: JsonValue): SpoolEntry | undefined {
  if (!isJsonObject(value)) return undefined;
  const decode = DECODERS.get(getString(value, 'type') ?? '');
  return decode?.(value);
}

const DECODERS: ReadonlyMap<string, (value: JsonObject) => SpoolEntry | undefined> = new Map([
  ['settle', decodeSettlement],
  ['withdraw', decodeWithdrawal],
  ['refuse', decodeRefusedCall],
]);

function decodeSettlement(value: JsonObject): SpoolEntry | undefined {
  const [row, at, outcome] = [decodeRow(value), time(value, 'at'), getOwn(value, 'outcome')];
  if (row === undefined || at === undefined || !isJsonObject(outcome)) return undefined;
  const status = (['ok', 'error', 'cancelled'] as const).find((each) => each === getOwn(outcome, 'status'));
  const pairing = (['name', 'name-fifo'] as const).find((each) => each === getOwn(outcome, 'pairing'));
  const [result, durationMs] = [getString(outcome, 'result'), getOwn(outcome, 'durationMs')];
  if (status === undefined || result === undefined || !isFinite(durationMs)) return undefined;
  const [errorType, effect] = [getString(outcome, 'errorType'), effectOf(getOwn(outcome, 'effect'))];
  const known: Outcome = { status, result, durationMs, effect, errorType };
  return { type: 'settle', ...row, at, outcome: pairing === undefined ? known : { ...known, pairing } };
}

function decodeWithdrawal(value: JsonObject): SpoolEntry | undefined {
  const [row, refusal] = [decodeRow(value), decodeRefusal(value)];
  return row === undefined || refusal === undefined ? undefined : { type: 'withdraw', ...row, refusal };
}

function decodeRefusedCall(value: JsonObject): SpoolEntry | undefined {
  const [columns, refusal] = [getOwn(value, 'columns'), decodeRefusal(value)];
  if (!isJsonObject(columns) || refusal === undefined) return undefined;
  const [ts, args_sha256] = [time(columns, 'ts'), getString(columns, 'args_sha256')];
  const [ordinal, more] = [getOwn(columns, 'ordinal'), getOwn(columns, 'more')];
  const ids = decodeIds(columns);
  if (ts === undefined || args_sha256 === undefined || ids === undefined) return undefined;
  if (!isFinite(ordinal) || !Number.isSafeInteger(ordinal) || !isJsonObject(more)) return undefined;
  const known = Object.entries(more).filter((pair): pair is [string, string | number | null] =>
    isMoreColumn(pair[0], pair[1]),
  );
  return {
    type: 'refuse',
    columns: { ts, args_sha256, ...ids, ordinal, more: Object.fromEntries(known) },
    refusal,
  };
}

function decodeRow(value: JsonObject): { readonly id: number; readonly key: RowKey } | undefined {
  const [id, key] = [getOwn(value, 'id'), getOwn(value, 'key')];
  if (!isFinite(id) || !Number.isSafeInteger(id) || !isJsonObject(key)) return undefined;
  const [ids, ts, args] = [decodeIds(key), getString(key, 'ts'), getString(key, 'args_sha256')];
  if (ids === undefined || (ts === undefined && args === undefined)) return undefined;
  const withTime = ts === undefined ? ids : { ...ids, ts };
  return { id, key: args === undefined ? withTime : { ...withTime, args_sha256: args } };
}

function decodeIds(
  value: JsonObject,
): Pick<RowKey, 'root_session_id' | 'turn_id' | 'tool_call_id'> | undefined {
  const [root, turn, call] = ['root_session_id', 'turn_id', 'tool_call_id'].map((name) =>
    getString(value, name),
  );
  if (root === undefined || turn === undefined || call === undefined) return undefined;
  return { root_session_id: root, turn_id: turn, tool_call_id: call };
}

const REFUSED = /^(?:CANCELLED$|BLOCKED:)/;

function decodeRefusal(value: JsonObject): Refusal | undefined {
  const refusal = getOwn(value, 'refusal');
  if (!isJsonObject(refusal)) return undefined;
  const [status, digest] = [getString(refusal, 'status'), getString(refusal, 'digest')];
  const at = time(refusal, 'at');
  if (status === undefined || digest === undefined || at === undefined) return undefined;
  return REFUSED.test(status) ? { status, digest, at } : undefined;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function time(value: JsonObject, name: string): string | undefined {
  const text = getString(value, name);
  return text !== undefined && TIME.test(text) ? text : undefined;
}

function isFinite(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function effectOf(value: JsonValue | undefined): EffectKnown {
  const effects: readonly EffectKnown[] = ['none', 'unknown', 'applied', 'not_applied', 'partial'];
  return effects.find((effect) => effect === value) ?? 'unknown';
}
