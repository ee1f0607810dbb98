import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import type { Redactor } from '../../kernel/redact/index.ts';
import type { ToolCall } from '../../kernel/tool-call/index.ts';
import type { CancelTimer, Clock } from '../../platform/clock/index.ts';
import { numberColumn, type Row, type SqlParameter } from '../../platform/sqlite/index.ts';
import { BEAT_MS, judgeRow } from './ghosts/judge-row.ts';
import { momentNow } from './ghosts/moment.ts';
import type { LedgerRow } from './model/ledger-row.ts';
import type { Intent, Outcome } from './recording/intent.ts';
import { recordedArgs } from './recording/recorded-args.ts';
import { blockedStatus, resultDigest } from './recording/result-digest.ts';
import { appendEvent, type ChainHead, chainHead, type EventKind } from './store/chain.ts';
import type { IssueColumns } from './store/issue-columns.ts';
import type { LedgerAccess, LedgerFile } from './store/ledger-file.ts';
import { decodeRow } from './store/row-codec.ts';
import type { Spool, SpoolEntry, TakenSpool } from './store/spool.ts';
import { insertRow, markRefused, noteState, OPEN, type Settled, settleRow } from './store/write-row.ts';

export interface LedgerParts {
  readonly file: LedgerFile;
  /** Keeps what could not be written in time. */
  readonly spool: Spool;
  readonly clock: Clock;
  readonly redactor: Redactor;
}

/** What became of the end of a call. `spooled`: the journal could not be written; it will be, by the next who can. */
export type Settlement = Settled | { readonly type: 'spooled'; readonly message: string };

/** A row that a call was matched with. */
export interface Match {
  readonly id: number;
  /** `name-fifo`: several were open, and the oldest was taken. */
  readonly pairing?: 'name' | 'name-fifo';
}

/**
 * The journal: a durable row before every call that may have an effect, settled in the same row after it.
 *
 * A row is changed only together with an entry of the chain, in one transaction. Nothing here decides whether a call runs.
 */
export class Ledger {
  readonly #parts: LedgerParts;
  readonly #running = new Set<number>();
  #stopBeating: CancelTimer | undefined;
  #written: { readonly first: number; readonly last: number } | undefined;

  constructor(parts: LedgerParts) {
    this.#parts = parts;
  }

  /** Writes the row of a call that is about to run; on the disk when it resolves. The value is its id. */
  async issue(intent: Intent): Promise<Result<number>> {
    const written = await this.#write((access) => this.#insert(access, intent));
    if (written.ok) this.#written = { first: this.#written?.first ?? written.value, last: written.value };
    if (written.ok && intent.isOwn) this.#keepAlive(written.value);
    return written;
  }

  /** Notes the end of a call. Fails with `unknown_row` when there is no such row. */
  async settle(id: number, outcome: Outcome): Promise<Result<Settlement>> {
    const { redactor } = this.#parts;
    const at = this.#now();
    const digest = resultDigest(outcome.result, redactor);
    const written = await this.#write((access) => settleRow(access, id, { ...outcome, result: digest, at }));
    this.#running.delete(id);
    if (!written.ok) {
      const spooled = await this.#parts.spool.add({
        type: 'settle',
        id,
        at,
        outcome: { ...outcome, result: digest },
      });
      return spooled.ok ? succeed({ type: 'spooled', message: written.message }) : written;
    }
    return written.value === undefined ? unknownRow(id) : succeed(written.value);
  }

  /**
   * Writes the row of a call that did not run, already settled. When the journal cannot be written, the row is spooled. `by`: who stopped
   * it; absent when it was cancelled.
   */
  async refuse(
    intent: Intent,
    why: { readonly by?: string; readonly message: string },
  ): Promise<Result<undefined>> {
    const { redactor } = this.#parts;
    const at = this.#now();
    const refusal = {
      status: why.by === undefined ? 'CANCELLED' : blockedStatus(why.by),
      digest: resultDigest(why.message, redactor),
      at,
    };
    const written = await this.#write((access) => {
      const id = this.#insert(access, intent);
      markRefused(access, id, refusal);
      return undefined;
    });
    if (written.ok) return written;
    const columns = this.#columnsOf(intent, at);
    return this.#parts.spool.add({ type: 'refuse', columns, refusal });
  }

  /** Notes that the call of an open row did not run after all. `by`: who stopped it; absent when it was cancelled. */
  async withdraw(
    id: number,
    why: { readonly by?: string; readonly message: string },
  ): Promise<Result<undefined>> {
    const refusal = {
      status: why.by === undefined ? 'CANCELLED' : blockedStatus(why.by),
      digest: resultDigest(why.message, this.#parts.redactor),
      at: this.#now(),
    };
    const written = await this.#write((access) => {
      const row = access.database.get(`SELECT id FROM ledger WHERE id = ? AND (${OPEN})`, [id]);
      if (row !== undefined) markRefused(access, id, refusal);
      return undefined;
    });
    this.#running.delete(id);
    return written;
  }

  /** Says that another agent's person approved the call, which may run from now on. */
  async approve(id: number): Promise<Result<undefined>> {
    const at = this.#now();
    return this.#write((access) => {
      access.database.run("UPDATE ledger SET awaiting_approval = 0 WHERE id = ? AND status = 'PENDING'", [
        id,
      ]);
      noteState(access, id, { kind: 'approved', at });
      return undefined;
    });
  }

  /**
   * How many equal calls of the same lineage, not acknowledged since, have an effect that is not known: they ended without an answer, or
   * never ended. Calls that may still run, or still wait for a person, do not count.
   */
  async unknownRepeats(call: ToolCall): Promise<Result<number>> {
    const found = await this.#read(({ database, seal }) =>
      database
        .all(
          "SELECT * FROM ledger WHERE effect = 'unknown' AND root_session_id = ? AND args_sha256 = ? AND acked_at IS NULL",
          [call.rootSessionId, seal.text(call.fingerprint)],
        )
        .map(decodeRow),
    );
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
    return this.#read(({ database, seal }) => {
      const rows = database.all(
        `SELECT id, tool_call_id, args_sha256 FROM ledger WHERE root_session_id = ? AND tool_name = ?
         AND (${OPEN}) ORDER BY id`,
        [wanted.rootSessionId, wanted.tool],
      );
      return matchOf(
        rows,
        wanted.callId,
        wanted.fingerprint === undefined ? undefined : seal.text(wanted.fingerprint),
      );
    });
  }

  /** Whether the call of that row runs in this process. */
  isRunning(id: number): boolean {
    return this.#running.has(id);
  }

  /** One row; undefined when there is none. */
  async row(id: number): Promise<Result<LedgerRow | undefined>> {
    return this.#read(({ database }) => {
      const row = database.get('SELECT * FROM ledger WHERE id = ?', [id]);
      return row === undefined ? undefined : decodeRow(row);
    });
  }

  /** Rows that satisfy a condition on the table `ledger`, in SQL. For this house alone. */
  async rowsWhere(
    condition: string,
    parameters: readonly SqlParameter[],
  ): Promise<Result<readonly LedgerRow[]>> {
    return this.#read(({ database }) =>
      database.all(`SELECT * FROM ledger WHERE ${condition}`, parameters).map(decodeRow),
    );
  }

  /** Changes the state of a row together with its entry in the chain. For this house alone. */
  async change(
    id: number,
    { kind, set }: { readonly kind: EventKind; readonly set: Readonly<Record<string, SqlParameter>> },
  ): Promise<Result<undefined>> {
    const at = this.#now();
    return this.#write((access) => {
      const assignments = Object.keys(set).map((column) => `${column} = :${column}`);
      access.database.run(`UPDATE ledger SET ${assignments.join(', ')} WHERE id = :id`, { ...set, id });
      noteState(access, id, { kind, at });
      return undefined;
    });
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

  close(): void {
    this.#stopBeating?.();
    this.#stopBeating = undefined;
    this.#parts.file.close();
  }

  /** One transaction; what was spooled goes in first. */
  async #write<Value>(
    work: (access: LedgerAccess) => Value,
    { isPatient = true }: { readonly isPatient?: boolean } = {},
  ): Promise<Result<Value>> {
    const { file, spool } = this.#parts;
    if (spool.isEmpty()) return file.write(work);
    let taken: TakenSpool | undefined;
    const take = (access: LedgerAccess): Value => {
      taken ??= spool.take();
      for (const entry of taken?.entries ?? []) applySpooled(access, entry);
      return work(access);
    };
    const written = await (isPatient ? file.write(take) : file.writeNow(take));
    if (taken !== undefined) spool.settle(taken, written.ok);
    return written;
  }

  /** What was spooled is part of what is read, unless others keep it from being written just now. */
  async #read<Value>(work: (access: LedgerAccess) => Value): Promise<Result<Value>> {
    const { file, spool } = this.#parts;
    if (spool.isEmpty()) return file.read(work);
    const taken = await this.#write(work, { isPatient: false });
    return taken.ok || taken.code !== 'busy' ? taken : file.read(work);
  }

  #insert(access: LedgerAccess, intent: Intent): number {
    return insertRow(access, this.#columnsOf(intent, this.#now()));
  }

  #columnsOf(intent: Intent, ts: string): IssueColumns {
    const { clock, redactor } = this.#parts;
    const { call, owner } = intent;
    return {
      ts,
      fingerprint: call.fingerprint,
      root_session_id: call.rootSessionId,
      turn_id: call.turnId,
      tool_call_id: call.callId.toWellFormed(),
      ordinal: call.ordinal,
      more: {
        tool_name: call.tool.toWellFormed(),
        args_json: recordedArgs(call, redactor),
        args_len: JSON.stringify(call.args).length,
        session_id: call.sessionId,
        parent_session_id: call.parentSessionId ?? null,
        agent: call.origin.kind === 'foreign' ? call.origin.agent : 'herma',
        cwd: redactor.text(call.cwd).toWellFormed(),
        owner_pid: owner?.pid ?? null,
        owner_start: owner?.startTime ?? null,
        boot_id: owner?.bootId ?? null,
        pid_namespace: owner?.pidNamespace ?? null,
        is_own: intent.isOwn ? 1 : 0,
        issued_uptime_ms: clock.monotonicMs(),
        grace_s: intent.graceMs / 1000,
        effect_class: call.effect,
        command_class: intent.commandClass ?? null,
        awaiting_approval: intent.awaitingApproval === true ? 1 : 0,
        foreseen_json: intent.foreseen === undefined ? null : JSON.stringify(intent.foreseen),
        checkpoint: intent.checkpoint === undefined || intent.checkpoint === '' ? null : intent.checkpoint,
        verdicts_json:
          intent.verdicts === undefined || intent.verdicts.length === 0
            ? null
            : JSON.stringify(intent.verdicts),
        policy_rule: intent.policy?.rule ?? null,
        policy_mode: intent.policy?.mode ?? null,
      },
    };
  }

  #keepAlive(id: number): void {
    this.#running.add(id);
    if (this.#stopBeating === undefined) this.#beatLater();
  }

  #beatLater(): void {
    this.#stopBeating = this.#parts.clock.startTimer(BEAT_MS, () => void this.#beat(), { background: true });
  }

  /** Says of all running calls that somebody is still there. A beat that fails is made up for by the next. */
  async #beat(): Promise<void> {
    this.#stopBeating = undefined;
    const ids = [...this.#running];
    if (ids.length === 0) return;
    this.#beatLater();
    const uptime = this.#parts.clock.monotonicMs();
    await this.#parts.file.write(({ database }) => {
      for (const id of ids) database.run('UPDATE ledger SET beat_uptime_ms = ? WHERE id = ?', [uptime, id]);
    });
  }

  #now(): string {
    return new Date(this.#parts.clock.now()).toISOString();
  }
}

/** A crash can leave an entry to be applied a second time: then nothing is changed. */
function applySpooled(access: LedgerAccess, entry: SpoolEntry): void {
  if (entry.type === 'settle') {
    settleRow(access, entry.id, { ...entry.outcome, at: entry.at });
    return;
  }
  const { root_session_id: root, turn_id: turn, tool_call_id: call, ts, fingerprint } = entry.columns;
  const known = access.database.get(
    `SELECT id FROM ledger WHERE root_session_id = ? AND turn_id = ? AND tool_call_id = ? AND ts = ? AND args_sha256 = ?
     AND status = ?`,
    [root, turn, call, ts, access.seal.text(fingerprint), entry.refusal.status],
  );
  if (known === undefined) markRefused(access, insertRow(access, entry.columns), entry.refusal);
}

function matchOf(
  rows: readonly Row[],
  callId: string | undefined,
  sealedArgs: string | undefined,
): Match | undefined {
  const byId = callId === undefined ? undefined : rows.findLast((row) => row['tool_call_id'] === callId);
  if (byId !== undefined) return { id: numberColumn(byId, 'id') };
  if (callId !== undefined && callId !== '') return undefined;
  const byArgs = rows.find((row) => row['args_sha256'] === sealedArgs);
  if (byArgs !== undefined) return { id: numberColumn(byArgs, 'id'), pairing: 'name' };
  const [oldest] = rows;
  if (oldest === undefined) return undefined;
  return { id: numberColumn(oldest, 'id'), pairing: rows.length === 1 ? 'name' : 'name-fifo' };
}

function unknownRow(id: number): Result<never> {
  return fail(
    'unknown_row',
    `There is no row ${String(id)} in the journal.`,
    '`herma ledger list` shows those there are.',
  );
}
