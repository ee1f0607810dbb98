import {
  AGENTIC_RISKS,
  type PostureFinding,
  type PostureReport,
  SEVERITIES,
} from '../../../safety/posture/index.ts';
import { counted } from '../rollback/text-style.ts';

/** One category of the report, with what it takes from the score. */
export interface PostureCategory {
  readonly id: string;
  readonly title: string;
  readonly lost: number;
  readonly findings: number;
}

/** Every category that is judged, the worst first. */
export function categoriesOf({ coverage, findings }: PostureReport): readonly PostureCategory[] {
  const ids = [...coverage.covered, ...coverage.extension];
  return ids
    .map((id) => {
      const own = findings.filter(({ asi }) => asi === id);
      const lost = own.reduce((sum, { weight }) => sum + weight, 0);
      return { id, title: AGENTIC_RISKS[id], lost, findings: own.length };
    })
    .sort((a, b) => b.lost - a.lost || (a.id < b.id ? -1 : 1));
}

/** `Score 60 of 100`, or that there is none. */
export function scoreLine({ score }: PostureReport): string {
  return score === null ? 'No score: no call is recorded' : `Score ${String(score)} of 100`;
}

/** What was looked at. */
export function extentLine({ ledger, window }: PostureReport): string {
  const since = window.since ?? ledger.first;
  const span = since === null ? '' : `${minute(since)} to ${minute(window.until)} UTC, `;
  return `${span}${counted(ledger.rows, 'call')} in ${counted(ledger.sessions, 'session')}, chain ${ledger.chain}`;
}

/** The sum, written out so that anyone can do it again; undefined without a score. */
export function sumLine({ score, totals, weights }: PostureReport): string | undefined {
  if (score === null) return undefined;
  const terms = SEVERITIES.map((name) => `${String(totals[name])} × ${String(weights[name])}`);
  const lost = SEVERITIES.reduce((sum, name) => sum + totals[name] * weights[name], 0);
  return `max(0, 100 − (${terms.join(' + ')})) = max(0, 100 − ${String(lost)}) = ${String(score)}`;
}

/** The weights by name. */
export function weightsLine({ weights }: PostureReport): string {
  return SEVERITIES.map((name) => `${name} ${String(weights[name])}`).join(', ');
}

/** Findings in 100 calls, and how both compare with the window before; undefined where nothing was called. */
export function rateLine({ rate, trend }: PostureReport): string | undefined {
  if (rate.per_100_calls === null) return undefined;
  const now = `${String(rate.per_100_calls)} findings in 100 calls`;
  if (trend === null) return now;
  if (trend.previous.score === null) return `${now}; nothing was recorded in the window before`;
  const before = `${String(trend.previous.score)} and ${String(trend.previous.per_100_calls)} in the window before`;
  return `${now}; ${before} (score ${signed(trend.score_change ?? 0)}, findings ${signed(trend.per_100_calls_change ?? 0)})`;
}

/** Rules that found something: id, count and rate, the most frequent first. */
export function ruleLines({ by_rule: byRule, rate }: PostureReport): readonly string[] {
  return Object.entries(byRule)
    .filter(([, count]) => count > 0)
    .toSorted(([, a], [, b]) => b - a)
    .map(([rule, count]) => `${rule} ${String(count)} (${String(rate.by_rule[rule] ?? 0)} in 100 calls)`);
}

/** What is judged, what is not, and what is no category of OWASP. */
export function coverageLines({ coverage }: PostureReport): readonly string[] {
  return [
    `Covered: ${coverage.covered.map(titled).join('; ')}`,
    `Not covered: ${coverage.not_covered.map(titled).join('; ')}`,
    `Extension: ${coverage.extension.map(titled).join('; ')}`,
  ];
}

/** `ASI11 (community extension)`, the others as they are. */
export function categoryText({ asi, extension }: PostureFinding): string {
  return extension === true ? `${asi} (community extension)` : asi;
}

/** `#3 #5 #8`, of many the first and how many more. */
export function rowsText(ids: readonly number[], most: number): string {
  const shown = ids.slice(0, most).map((id) => `#${String(id)}`);
  return [...shown, ...(ids.length > most ? [`+${String(ids.length - most)}`] : [])].join(' ');
}

function titled(id: keyof typeof AGENTIC_RISKS): string {
  return `${id} ${AGENTIC_RISKS[id]}`;
}

function signed(value: number): string {
  return value > 0 ? `+${String(value)}` : String(value);
}

function minute(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ');
}
