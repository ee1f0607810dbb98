import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import { getOwn, getString, isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json/index.ts';
import type { ToolCall } from '../../kernel/tool-call/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import { readJsonFile, writeFileAtomic } from '../../platform/files/index.ts';
import { acquireLock } from '../../platform/locks/index.ts';
import { type ApprovalRecord, covers } from './approval-record.ts';

/** Version of the file format. */
const FORMAT = 1;

export interface ApprovalStoreParts {
  /** `approvals.json`. */
  readonly path: string;
  readonly lockPath: string;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Runs a write of the file, after telling whoever looks after it that it is ours. */
  readonly announce?: <Value>(path: string, write: () => Promise<Value>) => Promise<Value>;
}

export interface RememberedAnswer {
  readonly call: ToolCall;
  readonly rule: string;
  readonly project: string;
  readonly scope: 'session' | 'always';
  /** Redacted and cut already. */
  readonly shown: string;
}

/**
 * The answers that hold for longer than once, in `approvals.json`.
 *
 * Fails closed: a file that cannot be read, or is not of this format, approves nothing and is never overwritten.
 */
export class ApprovalStore {
  readonly #parts: ApprovalStoreParts;

  constructor(parts: ApprovalStoreParts) {
    this.#parts = parts;
  }

  /** All records, oldest first. */
  async list(): Promise<Result<readonly ApprovalRecord[]>> {
    const { path } = this.#parts;
    const read = await readJsonFile(path);
    if (!read.ok) return read.code === 'not_found' ? succeed([]) : unusable(path, read.message);
    return decode(read.value, path);
  }

  /** The record that answers for a call, if there is one. */
  async find(call: ToolCall, rule: string, project: string): Promise<Result<ApprovalRecord | undefined>> {
    const records = await this.list();
    return records.ok
      ? succeed(records.value.find((record) => covers(record, call, rule, project)))
      : records;
  }

  async remember({ call, rule, project, scope, shown }: RememberedAnswer): Promise<Result<ApprovalRecord>> {
    const { clock, newId } = this.#parts;
    const record: ApprovalRecord = {
      id: newId(),
      tool: call.tool,
      rule,
      project,
      ...(scope === 'session' ? { sessionId: call.rootSessionId } : {}),
      approvedAt: new Date(clock.now()).toISOString(),
      shown,
    };
    const changed = await this.#change((records) => [...records, record]);
    return changed.ok ? succeed(record) : changed;
  }

  /** Takes back the record of that id, at once. Fails with `not_found` when there is none. */
  async revoke(id: string): Promise<Result<ApprovalRecord>> {
    let revoked: ApprovalRecord | undefined;
    const changed = await this.#change((records) => {
      revoked = records.find((record) => record.id === id);
      return records.filter((record) => record !== revoked);
    });
    if (!changed.ok) return changed;
    if (revoked === undefined)
      return fail('not_found', `There is no approval "${id}".`, 'See `herma approvals list`.');
    return succeed(revoked);
  }

  /** Takes back all records. */
  async clear(): Promise<Result<number>> {
    let count = 0;
    const changed = await this.#change((records) => {
      count = records.length;
      return [];
    });
    return changed.ok ? succeed(count) : changed;
  }

  async #change(
    edit: (records: readonly ApprovalRecord[]) => readonly ApprovalRecord[],
  ): Promise<Result<undefined>> {
    const { path, lockPath, clock } = this.#parts;
    const lock = await acquireLock(lockPath, { waitMs: 5_000, clock });
    if (!lock.ok) return lock;
    try {
      const records = await this.list();
      if (!records.ok) return records;
      const { announce = async (_path, write) => write() } = this.#parts;
      const text = `${JSON.stringify(encode(edit(records.value)), null, 2)}\n`;
      const written = await announce(path, async () => writeFileAtomic(path, text));
      return written.ok ? succeed(undefined) : written;
    } finally {
      await lock.value.release();
    }
  }
}

function encode(records: readonly ApprovalRecord[]): JsonObject {
  return {
    version: FORMAT,
    approvals: records.map(({ sessionId, approvedAt, ...rest }) => ({
      ...rest,
      ...(sessionId === undefined ? {} : { session_id: sessionId }),
      approved_at: approvedAt,
    })),
  };
}

function decode(value: JsonValue, path: string): Result<readonly ApprovalRecord[]> {
  if (!isJsonObject(value) || getOwn(value, 'version') !== FORMAT)
    return unusable(path, `it is not of version ${String(FORMAT)}`);
  const listed = getOwn(value, 'approvals');
  if (!Array.isArray(listed)) return unusable(path, 'it has no list "approvals"');
  const records: ApprovalRecord[] = [];
  for (const [index, entry] of listed.entries()) {
    const record = isJsonObject(entry) ? recordOf(entry) : undefined;
    if (record === undefined) return unusable(path, `entry ${String(index + 1)} is no approval`);
    records.push(record);
  }
  return succeed(records);
}

function recordOf(entry: JsonObject): ApprovalRecord | undefined {
  const [id, tool, rule] = [getString(entry, 'id'), getString(entry, 'tool'), getString(entry, 'rule')];
  const [project, approvedAt] = [getString(entry, 'project'), getString(entry, 'approved_at')];
  if (id === undefined || tool === undefined || rule === undefined) return undefined;
  if (project === undefined || approvedAt === undefined) return undefined;
  const hasSession = getOwn(entry, 'session_id') !== undefined;
  const sessionId = getString(entry, 'session_id');
  if (hasSession && sessionId === undefined) return undefined;
  const shown = getString(entry, 'shown') ?? '';
  return { id, tool, rule, project, approvedAt, shown, ...(sessionId === undefined ? {} : { sessionId }) };
}

function unusable(path: string, why: string): Result<never> {
  return fail(
    'unusable_approvals',
    `No earlier approval counts: ${path} cannot be used (${why}).`,
    'Mend or remove the file.',
  );
}
