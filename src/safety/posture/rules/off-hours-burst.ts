import type { ReadCall } from '../reading/read-call.ts';
import type { PostureRule, Sighting } from './posture-rule.ts';

const HOUR_MS = 60 * 60_000;
const MIN_DAYS = 7;
const MAX_DAYS = 60;
const DEVIATIONS = 4;

/**
 * An hour in which an agent did far more than in the same hour (UTC) of the days before: four standard deviations, each at
 * least one call, above the mean. Judged where there are seven days to compare with.
 */
export const offHoursBurst: PostureRule = {
  id: 'off-hours-burst',
  asi: 'ASI10',
  severity: 'LOW',
  find: ({ calls, earlier }) => {
    const all = Map.groupBy([...earlier, ...calls], ({ row }) => row.agent);
    const windowed = new Set(calls);
    return [...all].flatMap(([agent, list]) => burstsOf(agent, list, windowed));
  },
};

function burstsOf(
  agent: string,
  calls: readonly ReadCall[],
  windowed: ReadonlySet<ReadCall>,
): readonly Sighting[] {
  const hours = Map.groupBy(calls, ({ atMs }) => Math.floor(atMs / HOUR_MS));
  const firstDay = Math.floor(Math.min(...hours.keys()) / 24);
  return [...hours].flatMap(([hour, list]) => {
    const inWindow = list.filter((call) => windowed.has(call));
    const days = Math.min(MAX_DAYS, Math.floor(hour / 24) - firstDay);
    if (inWindow.length === 0 || days < MIN_DAYS) return [];
    const before = Array.from({ length: days }, (_, day) => hours.get(hour - 24 * (day + 1))?.length ?? 0);
    const mean = before.reduce((sum, count) => sum + count, 0) / days;
    const variance = before.reduce((sum, count) => sum + (count - mean) ** 2, 0) / days;
    const limit = mean + DEVIATIONS * Math.max(1, Math.sqrt(variance));
    if (list.length < limit) return [];
    const usual = `usually ${mean.toFixed(1)}`;
    const when = new Date(hour * HOUR_MS).toISOString().slice(0, 13);
    return [
      { calls: inWindow, evidence: `${agent}: ${String(list.length)} calls in the hour ${when}Z, ${usual}` },
    ];
  });
}
