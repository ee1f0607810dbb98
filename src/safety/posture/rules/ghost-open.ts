import type { ReadCall } from '../reading/read-call.ts';
import type { PostureRule } from './posture-rule.ts';

/** A call of which neither a probe nor a person has said what became of it. */
export const ghostOpen: PostureRule = {
  id: 'ghost-open',
  asi: 'ASI08',
  severity: 'HIGH',
  find: ({ calls, nowMs }) =>
    calls
      .filter((call) => isOpen(call, nowMs))
      .map((call) => ({ calls: [call], evidence: `never ended as far as is known: ${call.title}` })),
};

function isOpen({ row, atMs }: ReadCall, nowMs: number): boolean {
  const { status, ackedAt, probe, awaitsApproval, beatUptimeMs, issuedUptimeMs, graceMs } = row;
  if (ackedAt !== null) return false;
  if (probe !== undefined && probe.verdict !== 'UNKNOWN') return false;
  if (status === 'GHOST_REPORTED') return true;
  if (status !== 'PENDING' || awaitsApproval) return false;
  const aliveMs = beatUptimeMs === null ? 0 : Math.max(0, beatUptimeMs - issuedUptimeMs);
  return nowMs - (atMs + aliveMs) > graceMs;
}
