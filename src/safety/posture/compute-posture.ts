import { redactAndCut } from '../../kernel/redact/index.ts';
import type { RecordedLedgerDecision } from '../ledger/index.ts';
import { AGENTIC_RISKS, COVERED, EXTENSION, NOT_COVERED } from './model/agentic-risks.ts';
import type { PostureFinding, PostureRate, PostureReport, PostureTrend } from './model/posture-report.ts';
import { hasVerdict, type PostureRow } from './model/posture-row.ts';
import { SEVERITIES, type Severity, WEIGHTS } from './model/severity.ts';
import { type PosturePlace, type ReadCall, readCall } from './reading/read-call.ts';
import type { PostureRule, PostureScene, Sighting } from './rules/posture-rule.ts';
import { POSTURE_RULES } from './rules/posture-rules.ts';

export interface PostureOptions {
  readonly nowMs: number;
  /** Beginning of the window, in milliseconds since 1970-01-01 UTC; everything when absent. */
  readonly sinceMs?: number | undefined;
  /** Where the agent ran: what is home, and what is Herma's own. */
  readonly place: PosturePlace;
  /** What a check of the chain said; see {@link PostureReport}. */
  readonly chain: string;
  /** Whether nobody was there in the session of a row, besides what the journal says of it. */
  readonly isUnattended?: ((row: PostureRow) => boolean) | undefined;
}

/** So that nobody takes the score for more than it is. */
const CAVEAT =
  'The journal is written by the agent it scores: 100 means that nothing suspicious is among the recorded calls, not that nothing happened.';
const FORMULA = 'score = max(0, 100 - sum of the weights of all findings)';

const EVIDENCE_CHARS = 240;

/**
 * How an agent behaved, as far as its journal tells: every finding takes its weight from 100, and equal ones count each time. Pure.
 *
 * `rows` are those of the whole journal: what is before the window is what hosts and hours are compared with, and the trend. They need
 * not be in order.
 */
export function computePosture(
  rows: readonly PostureRow[],
  decisions: readonly RecordedLedgerDecision[],
  options: PostureOptions,
): PostureReport {
  const { nowMs, sinceMs, place, chain } = options;
  const calls = rows.toSorted((a, b) => a.id - b.id).map((row) => readCall(row, place));
  const judge = (fromMs: number, beforeMs: number): Judged =>
    judgeWindow({ calls, decisions, fromMs, beforeMs, options });
  const now = judge(sinceMs ?? Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
  const { findings } = now;
  return {
    schema: 'herma.posture/1',
    generated_at: isoOf(nowMs),
    window: { since: sinceMs === undefined ? null : isoOf(sinceMs), until: isoOf(nowMs) },
    ledger: { ...extentOf(now.calls), chain },
    coverage: {
      covered: COVERED,
      not_covered: NOT_COVERED,
      extension: [EXTENSION],
      titles: AGENTIC_RISKS,
    },
    score: now.score,
    formula: FORMULA,
    weights: WEIGHTS,
    totals: totalsOf(findings),
    by_rule: countsOf(findings),
    rate: now.rate,
    trend: sinceMs === undefined ? null : trendOf(now, judge(2 * sinceMs - nowMs, sinceMs), options),
    findings,
    caveat: CAVEAT,
  };
}

interface Judged {
  readonly calls: readonly ReadCall[];
  readonly findings: readonly PostureFinding[];
  readonly score: number | null;
  readonly rate: PostureRate;
}

function judgeWindow({
  calls,
  decisions,
  fromMs,
  beforeMs,
  options,
}: {
  readonly calls: readonly ReadCall[];
  readonly decisions: readonly RecordedLedgerDecision[];
  readonly fromMs: number;
  readonly beforeMs: number;
  readonly options: PostureOptions;
}): Judged {
  const { nowMs, isUnattended = () => false } = options;
  const within = calls.filter(({ atMs }) => atMs >= fromMs && atMs < beforeMs);
  const scene: PostureScene = {
    calls: within,
    earlier: calls.filter(({ atMs }) => atMs < fromMs),
    decisions,
    nowMs,
    isUnattended: ({ row }) => isUnattended(row) || hasVerdict(row, 'session', 'unattended'),
  };
  const findings = POSTURE_RULES.flatMap((rule) =>
    rule.find(scene).map((sighting) => findingOf(rule, sighting)),
  );
  const lost = findings.reduce((sum, { weight }) => sum + weight, 0);
  return {
    calls: within,
    findings,
    score: within.length === 0 ? null : Math.max(0, 100 - lost),
    rate: rateOf(within.length, findings),
  };
}

function findingOf({ id, asi, severity }: PostureRule, { calls, evidence }: Sighting): PostureFinding {
  const times = calls.map(({ row }) => row.ts).toSorted();
  return {
    rule: id,
    asi,
    ...(asi === EXTENSION ? { extension: true } : {}),
    severity,
    weight: WEIGHTS[severity],
    ledger_ids: calls.map(({ row }) => row.id),
    count: calls.length,
    evidence: redactAndCut(evidence, EVIDENCE_CHARS, { note: true }).toWellFormed(),
    since: times[0] ?? '',
    until: times.at(-1) ?? '',
  };
}

function rateOf(calls: number, findings: readonly PostureFinding[]): PostureRate {
  const rate = (count: number): number => Math.round((count / calls) * 10_000) / 100;
  const byRule = Object.entries(countsOf(findings)).filter(([, count]) => count > 0);
  return {
    calls,
    findings: findings.length,
    per_100_calls: calls === 0 ? null : rate(findings.length),
    by_rule: calls === 0 ? {} : Object.fromEntries(byRule.map(([rule, count]) => [rule, rate(count)])),
  };
}

function trendOf(now: Judged, before: Judged, { nowMs, sinceMs = nowMs }: PostureOptions): PostureTrend {
  const rateChange = difference(now.rate.per_100_calls, before.rate.per_100_calls);
  return {
    previous: {
      since: isoOf(2 * sinceMs - nowMs),
      until: isoOf(sinceMs),
      score: before.score,
      ...before.rate,
    },
    score_change: difference(now.score, before.score),
    per_100_calls_change: rateChange === null ? null : Math.round(rateChange * 100) / 100,
  };
}

function difference(now: number | null, before: number | null): number | null {
  return now === null || before === null ? null : now - before;
}

function totalsOf(findings: readonly PostureFinding[]): Readonly<Record<Severity, number>> {
  const of = (severity: Severity): number => findings.filter((each) => each.severity === severity).length;
  const [CRITICAL, HIGH, MEDIUM, LOW] = SEVERITIES.map(of);
  return { CRITICAL: CRITICAL ?? 0, HIGH: HIGH ?? 0, MEDIUM: MEDIUM ?? 0, LOW: LOW ?? 0 };
}

function countsOf(findings: readonly PostureFinding[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    POSTURE_RULES.map(({ id }) => [id, findings.filter(({ rule }) => rule === id).length]),
  );
}

function extentOf(calls: readonly ReadCall[]): Omit<PostureReport['ledger'], 'chain'> {
  const times = calls.map(({ row }) => row.ts).toSorted();
  return {
    rows: calls.length,
    sessions: new Set(calls.map(({ row }) => row.sessionId)).size,
    first: times[0] ?? null,
    last: times.at(-1) ?? null,
  };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
