import type { Liveness, ProcessIdentity } from '../../../platform/process/index.ts';
import type { LedgerRow } from '../model/ledger-row.ts';

/** What is known of the world when a row is judged. */
export interface Moment {
  /** Of the machine's clock, milliseconds since 1970-01-01 UTC. */
  readonly nowMs: number;
  /** Monotonic time of this boot, in milliseconds. */
  readonly uptimeMs: number;
  readonly bootId: string;
  readonly isAlive: (owner: ProcessIdentity) => Liveness;
  /** Whether the call of a row runs in this process. */
  readonly isRunning: (id: number) => boolean;
}

/** `running`: somebody may still settle it. `ghost`: nobody will, as far as can be known. */
export type Judgement = 'settled' | 'running' | 'ghost';

/** How often rows of running calls are given a sign of life, in milliseconds. */
export const BEAT_MS = 30_000;
/** A process that gave no sign of life for so long has lost its calls. */
const SILENT_MS = 3 * BEAT_MS;

/**
 * Whether a call is lost. A fact where there is one: its owner is dead, or it runs in this very process. Else its time is over: that is
 * measured on the clock of the boot, which nobody can set, where the call is of this boot.
 */
export function judgeRow(row: LedgerRow, moment: Moment): Judgement {
  if (row.status === 'GHOST_REPORTED') return row.ackedAt === null ? 'ghost' : 'settled';
  if (row.status !== 'PENDING') return 'settled';
  if (moment.isRunning(row.id)) return 'running';
  const liveness = row.owner === undefined ? 'unknown' : moment.isAlive(row.owner);
  if (liveness === 'dead') return 'ghost';
  if (row.awaitsApproval) return 'running';
  if (liveness === 'alive' && row.isOwn && isBeating(row, moment)) return 'running';
  return ageOf(row, moment) > row.graceMs ? 'ghost' : 'running';
}

/** How long ago a call was issued, in milliseconds; never negative. */
export function ageOf(row: LedgerRow, { nowMs, uptimeMs, bootId }: Moment): number {
  const isOfThisBoot = row.owner !== undefined && row.owner.bootId !== '' && row.owner.bootId === bootId;
  const age = isOfThisBoot ? uptimeMs - row.issuedUptimeMs : nowMs - Date.parse(row.ts);
  return Math.max(0, age);
}

function isBeating({ issuedUptimeMs, beatUptimeMs }: LedgerRow, { uptimeMs }: Moment): boolean {
  return uptimeMs - (beatUptimeMs ?? issuedUptimeMs) <= SILENT_MS;
}
