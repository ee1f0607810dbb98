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
  // A sign of life is one also of a process that cannot be seen: a container shares the clock of the boot, and not the pids.
  const isSeen = liveness === 'alive' || isOfThisBoot(row, moment);
  if (isSeen && row.isOwn && isBeating(row, moment)) return 'running';
  return ageOf(row, moment) > row.graceMs ? 'ghost' : 'running';
}

/** How long ago a call was issued, in milliseconds; never negative. Infinite when the row does not tell, because somebody edited it. */
export function ageOf(row: LedgerRow, moment: Moment): number {
  const { nowMs, uptimeMs } = moment;
  if (isOfThisBoot(row, moment) && row.issuedUptimeMs <= uptimeMs) return uptimeMs - row.issuedUptimeMs;
  const issuedAt = Date.parse(row.ts);
  return Number.isNaN(issuedAt) ? Number.POSITIVE_INFINITY : Math.max(0, nowMs - issuedAt);
}

function isOfThisBoot({ owner }: LedgerRow, { bootId }: Moment): boolean {
  return owner !== undefined && owner.bootId !== '' && owner.bootId === bootId;
}

function isBeating({ issuedUptimeMs, beatUptimeMs }: LedgerRow, { uptimeMs }: Moment): boolean {
  const silence = uptimeMs - (beatUptimeMs ?? issuedUptimeMs);
  // What lies ahead was not written by a process of this boot.
  return silence >= 0 && silence <= SILENT_MS;
}
