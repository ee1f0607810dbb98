import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import type { Redactor } from '../../kernel/redact/index.ts';
import type { ToolCall } from '../../kernel/tool-call/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import type { SqlParameter } from '../../platform/sqlite/index.ts';
import { judgeRow } from './ghosts/judge-row.ts';
import { momentNow } from './ghosts/moment.ts';
import type { LedgerRow } from './model/ledger-row.ts';
import { columnsOf, keyOf, type Recorder } from './recording/columns-of.ts';
import type { Intent, Outcome } from './recording/intent.ts';
import { recordedId } from './recording/recorded-id.ts';
import { blockedStatus, resultDigest } from './recording/result-digest.ts';
import { RunningCalls } from './running-calls.ts';
import { applySpooled } from './store/apply-spooled.ts';
import { appendEvent, type ChainHead, chainHead, type EventKind } from './store/chain.ts';
import { changeRow, type RowChange } from './store/change-row.ts';
import type { LedgerAccess, LedgerFile } from './store/ledger-file.ts';
import { type Match, matchOf } from './store/match-call.ts';
import { decodeRow } from './store/row-codec.ts';
import { isRowOf, KEY_COLUMNS, keyIn, type RowKey } from './store/row-key.ts';
import { selectRows } from './store/select-rows.ts';
import type { Spool, SpooledEntry } from './store/spool.ts';
import type { Refusal, SpoolEntry } from './store/spool-entry.ts';
import {
  insertRow,
  markRefused,
  noteState,
  OPEN,
  type Settled,
  settleRow,
  withdrawRow,
} from './store/write-row.ts';

export type { Match } from './store/match-call.ts';

export interface LedgerParts {
  readonly file: LedgerFile;
  /** Keeps what could not be written in time. */
  readonly spool: Spool;
  readonly clock: Clock;
  readonly redactor: Redactor;
}

/** What became of the end of a call. `spooled`: the journal could not be written; it will be, by the next who can. */
export type Settlement = Settled | { readonly type: 'spooled'; readonly message: string };

/** Why a call did not run. `by`: who stopped it; absent when it was cancelled. */
interface Stop {
  readonly by?: string;
  readonly message: string;
}

/** Entries of the spool that are taken in with one transaction: others wait for it. */
const SPOOL_BATCH = 200;

/**
 * The journal: a durable row before every call that may have an effect, settled in the same row after it.
 *
 * A row is changed only together with an entry of the chain, in one transaction. Nothing here decides whether a call runs.
 */
export class Ledger {
  readonly #parts: LedgerParts;
  readonly #running: RunningCalls;
  #written: { readonly first: number; readonly last: number } | undefined;

  constructor(parts: LedgerParts) {
    this.#parts = parts;
    this.#running = new RunningCalls(parts.file, parts.clock);
  }

  /** Writes the row of a call that is about to run; on the disk when it resolves. The value is its id. */
  async issue(intent: Intent): Promise<Result<number>> {
    const written = await this.#write((access) => {
      const columns = this.#columnsOf(intent, access, this.#now());
      return { id: insertRow(access, columns), key: keyIn({ ...columns }) };
    });
    if (!written.ok) return written;
    const { id, key } = written.value;
    this.#written = { first: this.#written?.first ?? id, last: id };
    if (intent.isOwn && key !== undefined) this.#running.add(id, key);
    return succeed(id);
  }

  /**
   * Notes the end of a call. Fails with `unknown_row` when there is no such row, or it is that of another call: the journal may have been
   * replaced since. `call`: the one that ended, for a process that did not issue it.
   */
  async settle(id: number, outcome: Outcome, call?: ToolCall): Promise<Result<Settlement>> {
    const { redactor } = this.#parts;
    const at = this.#now();
    const safe: Outcome = {
      ...outcome,
      result: resultDigest(outcome.result, redactor),
      errorType: outcome.errorType === undefined ? undefined : redactor.text(outcome.errorType),
    };
    try {
      const written = await this.#write((access) =>
        settleRow(access, { id, key: this.#keyOf(id, call, access) }, { ...safe, at }),
      );
      if (written.ok) return written.value === undefined ? unknownRow(id) : succeed(written.value);
      const spooled = await this.#spool(id, call, (key) => ({ type: 'settle', id, key, at, outcome: safe }));
      return spooled.ok ? succeed({ type: 'spooled', message: written.message }) : written;
    } finally {
      this.#running.delete(id);
    }
  }

  /** Writes the row of a call that did not run, already settled. When the journal cannot be written, the row is spooled. */
  async refuse(intent: Intent, why: Stop): Promise<Result<undefined>> {
    const refusal = this.#refusalOf(why);
    const written = await this.#write((access) => {
      const id = insertRow(access, this.#columnsOf(intent, access, refusal.at));
      markRefused(access, id, refusal);
      return undefined;
    });
    if (written.ok) return written;
    const { file, spool, clock } = this.#parts;
    const seal = file.seal();
    if (!seal.ok) return written;
    const columns = this.#columnsOf(intent, { seal: seal.value }, refusal.at);
    return spool.add({ type: 'refuse', columns, refusal }, clock.now());
  }

  /**
   * Notes that the call of an open row did not run after all. When the journal cannot be written, that is spooled. `call`: the one that was
   * stopped, for a process that did not issue it.
   */
  async withdraw(id: number, why: Stop, call?: ToolCall): Promise<Result<undefined>> {
    const refusal = this.#refusalOf(why);
    try {
      const written = await this.#write((access) =>
        withdrawRow(access, { id, key: this.#keyOf(id, call, access) }, refusal),
      );
      if (written.ok) return written.value ? succeed(undefined) : unknownRow(id);
      const spooled = await this.#spool(id, call, (key) => ({ type: 'withdraw', id, key, refusal }));
      return spooled.ok ? succeed(undefined) : written;
    } finally {
      this.#running.delete(id);
    }
  }

  /** Says that another agent's person approved the call, which may run from now on. */
  async approve(id: number, call?: ToolCall): Promise<Result<undefined>> {
    const at = this.#now();
    return this.#write((access) => {
      const found = access.database.get(`SELECT ${KEY_COLUMNS} FROM ledger WHERE id = ?`, [id]);
      const key = this.#keyOf(id, call, access);
      if (found === undefined || (key !== undefined && !isRowOf(found, key))) return undefined;
      const { changes } = access.database.run(
        "UPDATE ledger SET awaiting_approval = 0 WHERE id = ? AND status = 'PENDING' AND awaiting_approval <> 0",
        [id],
      );
      if (changes > 0) noteState(access, id, { kind: 'approved', at });
      return undefined;
    });
  }

  /**
   * How many equal calls of the same lineage, not acknowledged since, have an effect that is not known: they ended without an answer, or
   * never ended. Calls that may still run, or still wait for a person, do not count.
   */
  async unknownRepeats(call: ToolCall): Promise<Result<number>> {
    const found = await this.#read((access) => {
      const { args_sha256, root_session_id } = keyOf(call, this.#recorder(access));
      return selectRows(
        access.database,
        "ledger WHERE effect = 'unknown' AND root_session_id = ? AND args_sha256 = ? AND acked_at IS NULL",
        [root_session_id, args_sha256],
      ).map(decodeRow);
    });
    if (!found.ok) return found;
    const moment = momentNow(this.#parts.clock, (id) => this.isRunning(id));
    return succeed(found.value.filter((row) => judgeRow(row, moment) !== 'running').length);
  }

  /**
   * The open row of a call that comes back without the id of its row: by the call's own id, else by the name of its tool, of which it
   * prefers the row with the same arguments, then the only one, then the oldest. Undefined when none is open.
   */
  async find(wanted: {
    readonly rootSessionId: string;
    readonly tool: string;
    readonly callId?: string;
    readonly fingerprint?: string;
  }): Promise<Result<Match | undefined>> {
    return this.#read((access) => {
      const { redactor } = this.#parts;
      const { callId, fingerprint } = wanted;
      const rows = access.database.all(
        `SELECT id, tool_call_id, args_sha256 FROM ledger WHERE root_session_id = ? AND tool_name = ?
         AND (${OPEN}) ORDER BY +id`,
        [this.idIn(access, wanted.rootSessionId), redactor.text(wanted.tool).toWellFormed()],
      );
      return matchOf(
        rows,
        callId === undefined ? undefined : this.idIn(access, callId),
        fingerprint === undefined ? undefined : access.seal.text(fingerprint),
      );
    });
  }

  /** A name of a session or a call as it stands in the journal. For this house alone. */
  idIn({ seal }: Pick<LedgerAccess, 'seal'>, id: string): string {
    return recordedId(id, this.#parts.redactor, seal);
  }

  /** Whether the call of that row runs in this process. */
  isRunning(id: number): boolean {
    return this.#running.has(id);
  }

  /** One row; undefined when there is none. */
  async row(id: number): Promise<Result<LedgerRow | undefined>> {
    return this.#read(({ database }) => {
      const [row] = selectRows(database, 'ledger WHERE id = ?', [id]);
      return row === undefined ? undefined : decodeRow(row);
    });
  }

  /** Rows that satisfy a condition on the table `ledger`, in SQL. For this house alone. */
  async rowsWhere(
    condition: string,
    parameters: readonly SqlParameter[],
  ): Promise<Result<readonly LedgerRow[]>> {
    return this.#read(({ database }) =>
      selectRows(database, `ledger WHERE ${condition}`, parameters).map(decodeRow),
    );
  }

  /**
   * Changes the states of rows together with their entries in the chain, in one transaction. A row that somebody else changed since it was
   * read stays as it is. The value is the ids of those that were changed. For this house alone.
   */
  async change(changes: readonly RowChange[]): Promise<Result<ReadonlySet<number>>> {
    if (changes.length === 0) return succeed(new Set());
    const at = this.#now();
    return this.#write(
      (access) => new Set(changes.filter((change) => changeRow(access, change, at)).map(({ row }) => row.id)),
    );
  }

  /** Adds an entry about the journal itself. `detail`: without secrets. */
  async note(kind: EventKind, detail: Readonly<Record<string, string | number>>): Promise<Result<undefined>> {
    const at = this.#now();
    return this.#write(({ database }) => {
      appendEvent(database, { kind, at, detail: JSON.stringify(detail) });
      return undefined;
    });
  }

  /** Runs work on the open file, in one transaction. For this house alone. */
  async work<Value>(run: (access: LedgerAccess) => Value): Promise<Result<Value>> {
    return this.#write(run);
  }

  /** Runs work that only reads on the open file, on the state of one moment. For this house alone. */
  async look<Value>(run: (access: LedgerAccess) => Value): Promise<Result<Value>> {
    return this.#read(run);
  }

  /** The last entry of the chain; undefined when nothing was ever written. */
  async head(): Promise<Result<ChainHead | undefined>> {
    return this.#read(({ database }) => chainHead(database));
  }

  /** Gives the space of what was deleted back to the disk. */
  async reclaim(): Promise<Result<undefined>> {
    return this.#parts.file.reclaim();
  }

  /** Rows this process has written: the first and the last of their ids; undefined when there are none. */
  get written(): { readonly first: number; readonly last: number } | undefined {
    return this.#written;
  }

  get file(): LedgerFile {
    return this.#parts.file;
  }

  /** Ends the signs of life and closes the file. What is asked of it afterwards is still done, and leaves nothing open. */
  close(): void {
    this.#running.close();
    this.#parts.file.close();
  }

  /** One transaction; what was spooled goes in first. */
  async #write<Value>(work: (access: LedgerAccess) => Value): Promise<Result<Value>> {
    const { file, spool } = this.#parts;
    if (spool.isEmpty()) return file.write(work);
    const taken = spool.read(SPOOL_BATCH);
    let homeless: ReadonlySet<string> = new Set();
    const written = await file.write((access) => {
      homeless = takeIn(access, taken);
      return work(access);
    });
    if (written.ok) this.#endSpooled(taken, homeless);
    return written;
  }

  /** What was spooled is part of what is read, unless others keep it from being written just now. */
  async #read<Value>(work: (access: LedgerAccess) => Value): Promise<Result<Value>> {
    const { file, spool } = this.#parts;
    if (!spool.isEmpty()) {
      const taken = spool.read(SPOOL_BATCH);
      const written = await file.writeNow((access) => takeIn(access, taken));
      if (written.ok) this.#endSpooled(taken, written.value);
    }
    return file.read(work);
  }

  #endSpooled(taken: readonly SpooledEntry[], homeless: ReadonlySet<string>): void {
    const { spool } = this.#parts;
    for (const name of homeless) spool.setAside(name);
    spool.remove(taken.map(({ name }) => name).filter((name) => !homeless.has(name)));
  }

  /** Keeps what is to be said of a row for later. Fails when nobody knows which call the row is of. */
  async #spool(
    id: number,
    call: ToolCall | undefined,
    entry: (key: RowKey) => SpoolEntry,
  ): Promise<Result<undefined>> {
    const { file, spool, clock } = this.#parts;
    const seal = file.seal();
    const known = seal.ok ? this.#keyOf(id, call, { seal: seal.value }) : undefined;
    const found = known === undefined ? await this.#keyInFile(id) : succeed(known);
    if (!found.ok) return found;
    return found.value === undefined ? unknownRow(id) : spool.add(entry(found.value), clock.now());
  }

  async #keyInFile(id: number): Promise<Result<RowKey | undefined>> {
    return this.#parts.file.read(({ database }) => {
      const row = database.get(`SELECT ${KEY_COLUMNS} FROM ledger WHERE id = ?`, [id]);
      return row === undefined ? undefined : keyIn(row);
    });
  }

  #keyOf(id: number, call: ToolCall | undefined, access: Pick<LedgerAccess, 'seal'>): RowKey | undefined {
    return this.#running.keyOf(id) ?? (call === undefined ? undefined : keyOf(call, this.#recorder(access)));
  }

  #refusalOf({ by, message }: Stop): Refusal {
    const { redactor } = this.#parts;
    return {
      status: by === undefined ? 'CANCELLED' : blockedStatus(redactor.text(by)),
      digest: resultDigest(message, redactor),
      at: this.#now(),
    };
  }

  #recorder({ seal }: Pick<LedgerAccess, 'seal'>): Recorder {
    return { seal, redactor: this.#parts.redactor };
  }

  #columnsOf(intent: Intent, access: Pick<LedgerAccess, 'seal'>, ts: string): ReturnType<typeof columnsOf> {
    const uptimeMs = this.#parts.clock.monotonicMs();
    return columnsOf(intent, this.#recorder(access), { ts, uptimeMs });
  }

  #now(): string {
    return new Date(this.#parts.clock.now()).toISOString();
  }
}

/** The value is the names of entries the journal has no place for. */
function takeIn(access: LedgerAccess, taken: readonly SpooledEntry[]): ReadonlySet<string> {
  return new Set(taken.filter(({ entry }) => !applySpooled(access, entry)).map(({ name }) => name));
}

function unknownRow(id: number): Result<never> {
  return fail(
    'unknown_row',
    `There is no row ${String(id)} of that call in the journal.`,
    '`herma ledger list` shows those there are.',
  );
}
