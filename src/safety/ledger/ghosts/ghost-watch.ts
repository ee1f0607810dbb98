import { messageOf, type Result, succeed } from '../../../kernel/errors/index.ts';
import { type Clock, within } from '../../../platform/clock/index.ts';
import { numberColumn, type SqlParameter } from '../../../platform/sqlite/index.ts';
import type { Ledger } from '../ledger.ts';
import type { EffectKnown, LedgerRow } from '../model/ledger-row.ts';
import type { ProbeResult, ProbeVerdict } from '../model/probe.ts';
import { nextTurn } from '../next-turn.ts';
import type { ProbePort } from '../probes/prober.ts';
import type { Outcome } from '../recording/intent.ts';
import type { RowChange } from '../store/change-row.ts';
import { OPEN } from '../store/write-row.ts';
import type { Ghost } from './ghost.ts';
import { correctionText, ghostText } from './ghost-text.ts';
import { ageOf, type Judgement, judgeRow, type Moment } from './judge-row.ts';
import { REVIVED, rootsBelow } from './lineage.ts';
import { momentNow } from './moment.ts';

export interface GhostWatchParts {
  readonly ledger: Ledger;
  readonly probes: ProbePort;
  readonly clock: Clock;
  /** What the records of another agent say of a call that never came back to us; undefined when they do not tell. */
  readonly transcript?: (row: LedgerRow) => Promise<Outcome | undefined>;
  /** How the calls of one row are told to a model: one line. */
  readonly describe: (row: LedgerRow) => string;
}

/** What a model is to be told before its next turn. */
export interface Briefing {
  /** Empty when there is nothing to tell. */
  readonly text: string;
  readonly warnings: readonly string[];
}

/** Ghosts one briefing names, at most. */
const MAX_TOLD = 10;
/** How often a model is told of the same ghost, at most. */
const MAX_TELLINGS = 2;
/** Looks at the world that are taken at once. */
const LOOKS_AT_ONCE = 4;
/** How long a turn, or the start of the program, waits for what other agents and the world say, in milliseconds. */
const LOOK_LIMIT_MS = 5000;
/** Rows that are read, or changed, in one go. */
const PAGE = 200;

/** Finds calls that are lost, looks what became of them, and tells of them: the model of their lineage, and the person. */
export class GhostWatch {
  readonly #parts: GhostWatchParts;

  constructor(parts: GhostWatchParts) {
    this.#parts = parts;
  }

  /** All ghosts, newest first; with `probe`, the world is looked at for each, and what is seen is noted. */
  async ghosts({ probe = false }: { readonly probe?: boolean } = {}): Promise<Result<readonly Ghost[]>> {
    const found = await this.#allGhosts();
    if (!found.ok || !probe) return found;
    const seen = await this.#look(found.value, null);
    const noted = await this.#change(seen.flatMap(probeChanges));
    return noted.ok ? succeed(seen) : noted;
  }

  /**
   * What the model of a lineage is to be told of its own ghosts and those of its children, and of earlier ones that came back since.
   * Each is told once, and once more only when `isStillTold` says that the model cannot read it any more. Never rejects; what cannot be looked
   * at within 5 s is told as not checked.
   */
  async briefing(rootSessionId: string, isStillTold?: (mark: string) => boolean): Promise<Briefing> {
    try {
      const roots = await rootsBelow(this.#parts.ledger, rootSessionId);
      if (!roots.ok) return notAsked(roots.message);
      const untold = await this.#untold(roots.value, isStillTold);
      if (!untold.ok) return notAsked(untold.message);
      const { told, warnings } = await this.#tell(await this.#look(untold.value, LOOK_LIMIT_MS));
      const corrections = await this.#corrections(roots.value);
      const { describe } = this.#parts;
      const texts = [ghostText(told, describe), correctionText(corrections, describe)];
      return { text: texts.filter((text) => text !== '').join('\n\n'), warnings };
    } catch (error) {
      return notAsked(messageOf(error));
    }
  }

  /**
   * Probes and reports what processes have left that died; nothing is repeated. The value is all ghosts, of whatever session. Those that
   * cannot be looked at within 5 s are reported as they are.
   */
  async recover(): Promise<Result<readonly Ghost[]>> {
    const found = await this.#allGhosts();
    if (!found.ok) return found;
    const isNew = ({ row }: Ghost): boolean => row.status === 'PENDING';
    const seen = await this.#look(found.value.filter(isNew), LOOK_LIMIT_MS);
    const noted = await this.#change(seen.flatMap((ghost) => reportChanges(ghost, 0, this.#now())));
    if (!noted.ok) return noted;
    const looked = new Map(seen.map((ghost) => [ghost.row.id, ghost]));
    return succeed(
      found.value
        .filter((ghost) => !isNew(ghost) || noted.value.has(ghost.row.id))
        .map((ghost) => looked.get(ghost.row.id) ?? ghost),
    );
  }

  /**
   * Takes ghosts off the list, for good, and what ended without anybody knowing its effect: a person has looked. They do not count
   * towards the retry limit any more. The value is the ids that were neither.
   */
  async acknowledge(ids: readonly number[]): Promise<Result<readonly number[]>> {
    const { ledger } = this.#parts;
    const not: number[] = [];
    const moment = this.#moment();
    for (const id of ids) {
      const read = await ledger.row(id);
      if (!read.ok) return read;
      const row = read.value;
      const set = row === undefined ? undefined : this.#acknowledgement(row, judgeRow(row, moment));
      if (row === undefined || set === undefined) {
        not.push(id);
        continue;
      }
      const changed = await ledger.change([{ row, kind: 'acked', set }]);
      if (!changed.ok) return changed;
      if (!changed.value.has(id)) not.push(id);
    }
    return succeed(not);
  }

  #acknowledgement(row: LedgerRow, judgement: Judgement): Readonly<Record<string, string>> | undefined {
    const at = this.#now();
    if (judgement === 'ghost')
      return { status: 'GHOST_REPORTED', reported_at: row.reportedAt ?? at, acked_at: at };
    const isOpenQuestion = judgement === 'settled' && row.effect === 'unknown' && row.ackedAt === null;
    return isOpenQuestion ? { acked_at: at } : undefined;
  }

  #moment(): Moment {
    const { clock, ledger } = this.#parts;
    return momentNow(clock, (id) => ledger.isRunning(id));
  }

  #now(): string {
    return new Date(this.#parts.clock.now()).toISOString();
  }

  async #allGhosts(): Promise<Result<readonly Ghost[]>> {
    const ids = await this.#openIds('1');
    if (!ids.ok) return ids;
    const ghosts: Ghost[] = [];
    for (let start = 0; start < ids.value.length; start += PAGE) {
      const page = await this.#ghostsOf(ids.value.slice(start, start + PAGE));
      if (!page.ok) return page;
      ghosts.push(...page.value);
      await nextTurn();
    }
    return succeed(ghosts);
  }

  /** The newest ghosts of those lineages that are still to be told, read in portions: there may be thousands. */
  async #untold(
    roots: readonly string[],
    isStillTold: ((mark: string) => boolean) | undefined,
  ): Promise<Result<readonly Ghost[]>> {
    const ids = await this.#openIds('root_session_id IN (SELECT value FROM json_each(?))', [
      JSON.stringify(roots),
    ]);
    if (!ids.ok) return ids;
    const untold: Ghost[] = [];
    for (let start = 0; start < ids.value.length && untold.length < MAX_TOLD; start += PAGE) {
      const page = await this.#ghostsOf(ids.value.slice(start, start + PAGE), (row) =>
        mayBeTold(row, isStillTold),
      );
      if (!page.ok) return page;
      untold.push(...page.value);
    }
    return succeed(untold.slice(0, MAX_TOLD));
  }

  /** Of all rows that are open, the newest first. Found by their index alone, however many rows there are besides. */
  async #openIds(
    condition: string,
    parameters: readonly SqlParameter[] = [],
  ): Promise<Result<readonly number[]>> {
    const found = await this.#parts.ledger.look(({ database }) =>
      database.all(`SELECT id FROM ledger WHERE (${OPEN}) AND ${condition}`, parameters),
    );
    if (!found.ok) return found;
    return succeed(found.value.map((row) => numberColumn(row, 'id')).toSorted((a, b) => b - a));
  }

  async #ghostsOf(
    ids: readonly number[],
    isWanted: (row: LedgerRow) => boolean = () => true,
  ): Promise<Result<readonly Ghost[]>> {
    const rows = await this.#parts.ledger.rowsWhere(
      'id IN (SELECT value FROM json_each(?)) ORDER BY id DESC',
      [JSON.stringify(ids)],
    );
    return rows.ok ? succeed(await this.#ghostsAmong(rows.value.filter(isWanted))) : rows;
  }

  /** Notes what is about to be told. What ended in the meantime, or is told by another process, is not told. */
  async #tell(ghosts: readonly Ghost[]): Promise<{
    readonly told: readonly Ghost[];
    readonly warnings: readonly string[];
  }> {
    const at = this.#now();
    const noted = await this.#change(
      ghosts.flatMap((ghost) => reportChanges(ghost, ghost.row.reportCount + 1, at)),
    );
    if (noted.ok) return { told: ghosts.filter(({ row }) => noted.value.has(row.id)), warnings: [] };
    const calls = ghosts.map(({ row }) => `#${String(row.id)}`).join(', ');
    return {
      told: ghosts,
      warnings: [`The journal could not note that calls were reported (${calls}): ${noted.message}`],
    };
  }

  async #ghostsAmong(rows: readonly LedgerRow[]): Promise<readonly Ghost[]> {
    const moment = this.#moment();
    const lost = rows.filter((row) => judgeRow(row, moment) === 'ghost');
    const told = await this.#toldByTranscripts(lost);
    return lost
      .filter(({ id }) => !told.has(id))
      .map((row) => ({
        row,
        ageMs: ageOf(row, moment),
        ...(row.probe === undefined ? {} : { probe: row.probe }),
      }));
  }

  /** Another agent's own records may say how its call ended: then it is no ghost, and is settled. */
  async #toldByTranscripts(rows: readonly LedgerRow[]): Promise<ReadonlySet<number>> {
    const { transcript, ledger, clock } = this.#parts;
    const told = new Set<number>();
    if (transcript === undefined) return told;
    await within(clock, LOOK_LIMIT_MS, new AbortController().signal, async (signal) => {
      for (const row of rows) {
        const outcome = await transcript(row).catch(() => undefined);
        if (signal.aborted) return;
        if (outcome !== undefined && (await ledger.settle(row.id, outcome)).ok) told.add(row.id);
      }
    });
    return told;
  }

  /** The ghosts with what the world says of them, as far as it does in that time; null for no limit. */
  async #look(ghosts: readonly Ghost[], limitMs: number | null): Promise<readonly Ghost[]> {
    const seen = new Map<number, ProbeResult>();
    const waiting = [...ghosts];
    const lookOn = async (signal: AbortSignal): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift())
        seen.set(next.row.id, await this.#probe(next.row));
    };
    await within(this.#parts.clock, limitMs, new AbortController().signal, async (signal) =>
      Promise.all(Array.from({ length: LOOKS_AT_ONCE }, async () => lookOn(signal))),
    );
    return ghosts.map((ghost) => {
      const probe = seen.get(ghost.row.id);
      return probe === undefined ? ghost : { ...ghost, probe };
    });
  }

  async #probe(row: LedgerRow): Promise<ProbeResult> {
    try {
      return await this.#parts.probes.probe(row);
    } catch (error) {
      return { verdict: 'UNKNOWN', evidence: `looking failed: ${messageOf(error).slice(0, 200)}` };
    }
  }

  /** In portions: others wait for each. */
  async #change(changes: readonly RowChange[]): Promise<Result<ReadonlySet<number>>> {
    const changed = new Set<number>();
    for (let start = 0; start < changes.length; start += PAGE) {
      const done = await this.#parts.ledger.change(changes.slice(start, start + PAGE));
      if (!done.ok) return done;
      for (const id of done.value) changed.add(id);
      await nextTurn();
    }
    return succeed(changed);
  }

  /** Calls that came back after the model was told that they were lost. */
  async #corrections(roots: readonly string[]): Promise<readonly LedgerRow[]> {
    const { ledger } = this.#parts;
    const revived = await ledger.rowsWhere(
      `${REVIVED} AND root_session_id IN (SELECT value FROM json_each(?)) ORDER BY +id LIMIT ${String(PAGE)}`,
      [JSON.stringify(roots)],
    );
    if (!revived.ok) return [];
    const set = { corrected_at: this.#now() };
    const noted = await ledger.change(revived.value.map((row) => ({ row, kind: 'corrected', set })));
    return noted.ok ? revived.value.filter(({ id }) => noted.value.has(id)) : [];
  }
}

const EFFECTS_SEEN: Readonly<Record<ProbeVerdict, EffectKnown>> = {
  LANDED: 'applied',
  NOT_LANDED: 'not_applied',
  PARTIAL: 'partial',
  UNKNOWN: 'unknown',
};

/** What a look at the world changes; nothing when it says what it said before. */
function probeChanges({ row, probe }: Ghost): readonly RowChange[] {
  if (probe === undefined) return [];
  if (row.probe?.verdict === probe.verdict && row.probe.evidence === probe.evidence) return [];
  const set = { probe_json: JSON.stringify(probe), effect: EFFECTS_SEEN[probe.verdict] };
  return [{ row, kind: 'probed', set }];
}

function reportChanges(ghost: Ghost, count: number, at: string): readonly RowChange[] {
  const set = { status: 'GHOST_REPORTED', reported_at: at, report_count: count };
  return [...probeChanges(ghost), { row: ghost.row, kind: 'reported', set }];
}

function notAsked(message: string): Briefing {
  return { text: '', warnings: [`The journal could not be asked for lost calls: ${message}`] };
}

function mayBeTold(row: LedgerRow, isStillTold: ((mark: string) => boolean) | undefined): boolean {
  if (row.reportCount === 0) return true;
  if (isStillTold === undefined || row.reportCount >= MAX_TELLINGS) return false;
  return !isStillTold(markOf(row));
}

/** What a model that was told of a row can still read. */
function markOf({ id }: LedgerRow): string {
  return `call #${String(id)} `;
}
