import { type Failure, fail } from '../../../kernel/errors/index.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../../kernel/json/index.ts';
import { readJsonFile } from '../../../platform/files/index.ts';
import { displayPath } from '../../../platform/paths/index.ts';
import { type ApprovalRecord, readApprovalRecord } from './approval-record.ts';

/** `corrupt`: no JSON, or not the shape of an allowlist. `unreadable`: it cannot be told what is in it. */
export type UnusableCode = 'corrupt' | 'unreadable';

/** What the file says. */
export interface AllowlistText {
  /** All of it, to be written back; `{}` when there is no file. */
  readonly root: JsonObject;
  readonly entries: readonly JsonValue[];
  readonly records: readonly ApprovalRecord[];
  /** One line per entry that is no approval and counts for nothing. */
  readonly problems: readonly string[];
}

export type ReadAllowlist =
  | { readonly ok: true; readonly value: AllowlistText }
  | (Failure<UnusableCode> & { readonly remedy: string });

/** Reads an allowlist. A file that is not there is an empty one; one that cannot be understood approves nothing, and says so. */
export async function readAllowlist(path: string): Promise<ReadAllowlist> {
  const read = await readJsonFile(path);
  if (!read.ok) {
    if (read.code === 'not_found') return understood({}, [], path);
    if (read.code === 'corrupt') return corrupt(read.message);
    return unusable('unreadable', read.message, read.remedy);
  }
  const root = read.value;
  if (!isJsonObject(root)) return corrupt(wrongShape(path, 'it is no object'));
  const approvals = getOwn(root, 'approvals');
  if (approvals === undefined && Object.keys(root).length === 0) return understood(root, [], path);
  if (!isList(approvals)) return corrupt(wrongShape(path, 'it has no list "approvals"'));
  return understood(root, approvals, path);
}

function understood(root: JsonObject, entries: readonly JsonValue[], path: string): ReadAllowlist {
  const read = entries.map((entry) => readApprovalRecord(entry));
  const problems = read.flatMap((record, index) =>
    record === undefined
      ? [
          `entry ${String(index + 1)} of ${displayPath(path)} needs the texts "event" and "command": it approves nothing`,
        ]
      : [],
  );
  const records = read.filter((record) => record !== undefined);
  return { ok: true, value: { root, entries, records, problems } };
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function wrongShape(path: string, reason: string): string {
  return `${displayPath(path)} is no allowlist of hooks: ${reason}`;
}

function corrupt(message: string): ReadAllowlist {
  return unusable(
    'corrupt',
    message,
    'mend it ({"approvals": [{"event": …, "command": …}]}), or approve anew with `herma hooks approve`: the old file is then kept aside',
  );
}

function unusable(code: UnusableCode, message: string, remedy: string): ReadAllowlist {
  return { ...fail(code, message), remedy };
}
