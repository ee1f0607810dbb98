import { fail, messageOf, type Result, succeed } from '../../../kernel/errors/index.ts';
import {
  getOwn,
  getString,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../../kernel/json/index.ts';
import { appendLine } from '../../../platform/files/index.ts';
import { displayPath, errnoOf } from '../../../platform/paths/index.ts';
import { randomId } from '../../../platform/random/index.ts';
import { rawContent, rawNames, rawStat, renameRaw, unlinkRaw } from '../../../platform/raw-files/index.ts';
import type { EffectKnown } from '../model/ledger-row.ts';
import type { Outcome } from '../recording/intent.ts';
import { type IssueColumns, isMoreColumn } from './issue-columns.ts';

/** Something the journal could not take in time. */
export type SpoolEntry =
  | { readonly type: 'settle'; readonly id: number; readonly at: string; readonly outcome: Outcome }
  | {
      readonly type: 'refuse';
      readonly columns: IssueColumns;
      readonly refusal: { readonly status: string; readonly digest: string; readonly at: string };
    };

/** Entries in the hands of one process. */
export interface TakenSpool {
  readonly path: string;
  readonly entries: readonly SpoolEntry[];
}

const NAME = 'spool.jsonl';
const TAKEN = /^spool\.[a-z0-9_]+\.taken$/;
/** More is not kept: a journal that cannot be written for so long is a fault somebody must see. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * A small file beside the journal for what could not be written while others held it: ends of calls, and calls that were stopped. The
 * next process that can write the journal takes it in. What is in it holds no secrets.
 */
export class Spool {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Fails when it cannot be written, or has become too large. */
  async add(entry: SpoolEntry): Promise<Result<undefined>> {
    const path = `${this.#folder}/${NAME}`;
    if ((rawStat(path)?.size ?? 0) > MAX_BYTES)
      return fail(
        'spool_full',
        `${displayPath(path)} has become too large: the journal could not be written for long.`,
      );
    return appendLine(path, JSON.stringify(entry), { fsync: true });
  }

  /** Whether there is nothing to take in. Cheap: asked before every write. */
  isEmpty(): boolean {
    return rawStat(`${this.#folder}/${NAME}`) === undefined;
  }

  /** Takes all entries out of the hands of other processes; undefined when another was faster. To be ended by {@link settle}. */
  take(): TakenSpool | undefined {
    const path = `${this.#folder}/spool.${randomId()}.taken`;
    try {
      renameRaw(`${this.#folder}/${NAME}`, path);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
      return undefined;
    }
    const lines = rawContent(path)?.bytes.toString('utf8').split('\n') ?? [];
    return { path, entries: lines.flatMap((line) => decode(line) ?? []) };
  }

  /** Removes what was taken once it is in the journal, else puts it back. */
  settle({ path }: TakenSpool, isWritten: boolean): void {
    if (isWritten) unlinkRaw(path);
    else if (this.isEmpty()) renameRaw(path, `${this.#folder}/${NAME}`);
  }

  /** Puts back what a process took that died over it. */
  recover(): Result<undefined> {
    try {
      for (const name of rawNames(this.#folder)) {
        if (!TAKEN.test(name) || !this.isEmpty()) continue;
        renameRaw(`${this.#folder}/${name}`, `${this.#folder}/${NAME}`);
      }
      return succeed(undefined);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return fail('spool_unreadable', messageOf(error));
    }
  }
}

function decode(line: string): SpoolEntry | undefined {
  const parsed = line === '' ? undefined : parseJson(line);
  if (parsed?.ok !== true || !isJsonObject(parsed.value)) return undefined;
  return getOwn(parsed.value, 'type') === 'refuse'
    ? decodeRefusal(parsed.value)
    : decodeSettlement(parsed.value);
}

function decodeSettlement(value: JsonObject): SpoolEntry | undefined {
  const [id, at, outcome] = [getOwn(value, 'id'), getString(value, 'at'), getOwn(value, 'outcome')];
  if (typeof id !== 'number' || at === undefined || !isJsonObject(outcome)) return undefined;
  const status = (['ok', 'error', 'cancelled'] as const).find((each) => each === getOwn(outcome, 'status'));
  const [result, durationMs] = [getString(outcome, 'result'), getOwn(outcome, 'durationMs')];
  if (status === undefined || result === undefined || typeof durationMs !== 'number') return undefined;
  const errorType = getString(outcome, 'errorType');
  const effect = effectOf(getOwn(outcome, 'effect'));
  return { type: 'settle', id, at, outcome: { status, result, durationMs, effect, errorType } };
}

function effectOf(value: JsonValue | undefined): EffectKnown {
  const effects: readonly EffectKnown[] = ['none', 'unknown', 'applied', 'not_applied', 'partial'];
  return effects.find((effect) => effect === value) ?? 'unknown';
}

function decodeRefusal(value: JsonObject): SpoolEntry | undefined {
  const [columns, refusal] = [getOwn(value, 'columns'), getOwn(value, 'refusal')];
  if (!isJsonObject(columns) || !isJsonObject(refusal)) return undefined;
  const [status, digest, at] = ['status', 'digest', 'at'].map((name) => getString(refusal, name));
  const texts = ['ts', 'fingerprint', 'root_session_id', 'turn_id', 'tool_call_id'].map((name) =>
    getString(columns, name),
  );
  const [ordinal, more] = [getOwn(columns, 'ordinal'), getOwn(columns, 'more')];
  if (status === undefined || digest === undefined || at === undefined) return undefined;
  if (!texts.every((text) => text !== undefined) || typeof ordinal !== 'number' || !isJsonObject(more))
    return undefined;
  const [ts = '', fingerprint = '', root = '', turn = '', call = ''] = texts;
  const ids = { ts, fingerprint, root_session_id: root, turn_id: turn, tool_call_id: call, ordinal };
  const known = Object.entries(more).filter(
    (pair): pair is [string, string | number | null] => isMoreColumn(pair[0]) && isScalar(pair[1]),
  );
  return {
    type: 'refuse',
    columns: { ...ids, more: Object.fromEntries(known) },
    refusal: { status, digest, at },
  };
}

function isScalar(value: JsonValue): value is string | number | null {
  return value === null || typeof value === 'string' || typeof value === 'number';
}
