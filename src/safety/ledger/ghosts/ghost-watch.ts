import { type Result, succeed } from '../../../kernel/errors/index.ts';
import type { Clock } from '../../../platform/clock/index.ts';
import type { Ledger } from '../ledger.ts';
import type { EffectKnown, LedgerRow } from '../model/ledger-row.ts';
import type { ProbeVerdict } from '../model/probe.ts';
import type { ProbePort } from '../probes/prober.ts';
import type { Outcome } from '../recording/intent.ts';
import { OPEN } from '../store/write-row.ts';
import type { Ghost } from './ghost.ts';
import { correctionText, ghostText } from './ghost-text.ts';
import { ageOf, judgeRow, type Moment } from './judge-row.ts';
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
/** Above it a walk from child to parent has lost its way. */
const MAX_DEPTH = 8;

/** Finds calls that are lost, looks what became of them, and tells of them: the model of their lineage, and the person. */
export class GhostWatch {
  readonly #parts: GhostWatchParts;

  constructor(parts: GhostWatchParts) {
    this.#parts = parts;
  }

  /** All ghosts, newest first; with `probe`, the world is looked at for each, and what is seen is noted. */
  async ghosts({ probe = false }: { readonly probe?: boolean } = {}): Promise<Result<readonly Ghost[]>> {
    const open = await this.#parts.ledger.rowsWhere(`${OPEN} ORDER BY id DESC`, []);
    if (!open.ok) return open;
    return succeed(await this.#ghostsAmong(open.value, probe));
  }

  /**
   * What the model of a lineage is to be told of its own ghosts and those of its children, and of earlier ones that came back since.
   * Each is told once, and once more only when `isStillTold` says that the model cannot read it any more.
   */
  async briefing(rootSessionId: string, isStillTold?: (mark: string) => boolean): Promise<Briefing> {
    const open = await this.#parts.ledger.rowsWhere(`(${OPEN}) ORDER BY id DESC`, []);
    if (!open.ok)
      return { text: '', warnings: [`The journal could not be asked for lost calls: ${open.message}`] };
    const own: LedgerRow[] = [];
    for (const row of open.value) if (await this.#isOfLineage(row, rootSessionId)) own.push(row);
    const ghosts = await this.#ghostsAmong(own, false);
    const untold = ghosts.filter(({ row }) => mayBeTold(row, isStillTold)).slice(0, MAX_TOLD);
    const probed: Ghost[] = [];
    for (const ghost of untold) probed.push(await this.#withProbe(ghost));
    const warnings: string[] = [];
    for (const { row } of probed) {
      const noted = await this.#noteReported(row, { isTold: true });
      if (!noted.ok)
        warnings.push(
          `The journal could not note that call #${String(row.id)} was reported: ${noted.message}`,
        );
    }
    const corrections = await this.#corrections(rootSessionId);
    const { describe } = this.#parts;
    const texts = [ghostText(probed, describe), correctionText(corrections, describe)].filter(
      (text) => text !== '',
    );
    return { text: texts.join('\n\n'), warnings };
  }

  /**
   * Probes and reports what processes have left that died; nothing is repeated. The value is one line for the person when there are lost
   * calls, of whatever session.
   */
  async recover(): Promise<Result<readonly Ghost[]>> {
    const found = await this.ghosts();
    if (!found.ok) return found;
    const ghosts: Ghost[] = [];
    for (const ghost of found.value) {
      if (ghost.row.status !== 'PENDING') {
        ghosts.push(ghost);
        continue;
      }
      ghosts.push(await this.#withProbe(ghost));
      const noted = await this.#noteReported(ghost.row, { isTold: false });
      if (!noted.ok) return noted;
    }
    return succeed(ghosts);
  }

  /** Takes ghosts off the list, for good. The value is the ids that were no ghosts. */
  async acknowledge(ids: readonly number[]): Promise<Result<readonly number[]>> {
    const { ledger, clock } = this.#parts;
    const not: number[] = [];
    const moment = this.#moment();
    for (const id of ids) {
      const row = await ledger.row(id);
      if (!row.ok) return row;
      if (row.value === undefined || judgeRow(row.value, moment) !== 'ghost') {
        not.push(id);
        continue;
      }
      const at = new Date(clock.now()).toISOString();
      const reported = row.value.reportedAt ?? at;
      const changed = await ledger.change(id, {
        kind: 'acked',
        set: { status: 'GHOST_REPORTED', reported_at: reported, acked_at: at },
      });
      if (!changed.ok) return changed;
    }
    return succeed(not);
  }

  #moment(): Moment {
    const { clock, ledger } = this.#parts;
    return momentNow(clock, (id) => ledger.isRunning(id));
  }

  async #ghostsAmong(rows: readonly LedgerRow[], probe: boolean): Promise<readonly Ghost[]> {
    const moment = this.#moment();
    const ghosts: Ghost[] = [];
    for (const row of rows) {
      if (judgeRow(row, moment) !== 'ghost' || (await this.#isToldByTranscript(row))) continue;
      const ghost = {
        row,
        ageMs: ageOf(row, moment),
        ...(row.probe === undefined ? {} : { probe: row.probe }),
      };
      ghosts.push(probe ? await this.#withProbe(ghost) : ghost);
    }
    return ghosts;
  }

  /** Another agent's own records may say how its call ended: then it is no ghost, and is settled. */
  async #isToldByTranscript(row: LedgerRow): Promise<boolean> {
    const outcome = await this.#parts.transcript?.(row);
    if (outcome === undefined) return false;
    const settled = await this.#parts.ledger.settle(row.id, outcome);
    return settled.ok;
  }

  async #withProbe(ghost: Ghost): Promise<Ghost> {
    const { row } = ghost;
    const probe = await this.#parts.probes.probe(row);
    if (row.probe?.verdict !== probe.verdict || row.probe.evidence !== probe.evidence)
      await this.#parts.ledger.change(row.id, {
        kind: 'probed',
        set: { probe_json: JSON.stringify(probe), effect: EFFECTS_SEEN[probe.verdict] },
      });
    return { ...ghost, probe };
  }

  async #noteReported(row: LedgerRow, { isTold }: { readonly isTold: boolean }): Promise<Result<undefined>> {
    return this.#parts.ledger.change(row.id, {
      kind: 'reported',
      set: {
        status: 'GHOST_REPORTED',
        reported_at: new Date(this.#parts.clock.now()).toISOString(),
        report_count: row.reportCount + (isTold ? 1 : 0),
      },
    });
  }

  /** Calls that came back after the model was told that they were lost. */
  async #corrections(rootSessionId: string): Promise<readonly LedgerRow[]> {
    const { ledger, clock } = this.#parts;
    const revived = await ledger.rowsWhere(
      'revived_at IS NOT NULL AND corrected_at IS NULL AND report_count > 0 ORDER BY id',
      [],
    );
    if (!revived.ok) return [];
    const told: LedgerRow[] = [];
    for (const row of revived.value) {
      if (!(await this.#isOfLineage(row, rootSessionId))) continue;
      const at = new Date(clock.now()).toISOString();
      const noted = await ledger.change(row.id, { kind: 'corrected', set: { corrected_at: at } });
      if (noted.ok) told.push(row);
    }
    return told;
  }

  /** Whether a row belongs to a lineage, or to a child it delegated to, at whatever depth. */
  async #isOfLineage(row: LedgerRow, rootSessionId: string): Promise<boolean> {
    if (row.rootSessionId === rootSessionId) return true;
    let parent = row.parentSessionId;
    for (let depth = 0; parent !== null && depth < MAX_DEPTH; depth += 1) {
      const session = parent;
      if (session === rootSessionId) return true;
      const rows = await this.#parts.ledger.rowsWhere('root_session_id = ? AND session_id = ? LIMIT 1', [
        rootSessionId,
        session,
      ]);
      if (rows.ok && rows.value.length > 0) return true;
      const above = await this.#parts.ledger.rowsWhere('root_session_id = ? LIMIT 1', [session]);
      parent = above.ok ? (above.value[0]?.parentSessionId ?? null) : null;
    }
    return false;
  }
}

const EFFECTS_SEEN: Readonly<Record<ProbeVerdict, EffectKnown>> = {
  LANDED: 'applied',
  NOT_LANDED: 'not_applied',
  PARTIAL: 'partial',
  UNKNOWN: 'unknown',
};

function mayBeTold(row: LedgerRow, isStillTold: ((mark: string) => boolean) | undefined): boolean {
  if (row.reportCount === 0) return true;
  if (isStillTold === undefined || row.reportCount >= MAX_TELLINGS) return false;
  return !isStillTold(markOf(row));
}

/** What a model that was told of a row can still read. */
export function markOf({ id }: LedgerRow): string {
  return `call #${String(id)} `;
}
