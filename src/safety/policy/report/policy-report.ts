import type { PolicyDecision, PolicySeverity } from '../rules/policy-rule.ts';
import { SEVERITIES } from '../rules/policy-rule.ts';

/** One decision as it was written down. */
export interface RecordedDecision {
  /** Milliseconds since 1970-01-01 UTC. */
  readonly atMs: number;
  readonly tool: string;
  /** The command, or what else tells the call; redacted. */
  readonly text: string;
  readonly rule: string;
  readonly severity: PolicySeverity;
  readonly raw: PolicyDecision;
  readonly effective: PolicyDecision;
}

export interface ReportedText {
  readonly tool: string;
  readonly text: string;
  readonly count: number;
  readonly lastMs: number;
}

export interface ReportedRule {
  readonly rule: string;
  readonly severity: PolicySeverity;
  /** Decisions of the rule, by what `enforce` does. */
  readonly blocks: number;
  readonly asks: number;
  /** Those of them that did not stop the call, because of the mode. */
  readonly passed: number;
  /** The calls, the most frequent first. */
  readonly texts: readonly ReportedText[];
}

export interface PolicyReport {
  readonly total: number;
  readonly passed: number;
  /** The severest first, then the most frequent. */
  readonly rules: readonly ReportedRule[];
}

/** What would have been refused or was, grouped by rule and call. Decisions that allow are left out. */
export function policyReport(decisions: readonly RecordedDecision[]): PolicyReport {
  const held = decisions.filter(({ raw }) => raw !== 'allow');
  const byRule = Map.groupBy(held, ({ rule }) => rule);
  const rules = [...byRule].map(([rule, list]) => reportedRule(rule, list));
  return {
    total: held.length,
    passed: held.filter(isPassed).length,
    rules: rules.sort(
      (a, b) =>
        SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) ||
        b.blocks + b.asks - (a.blocks + a.asks) ||
        (a.rule < b.rule ? -1 : 1),
    ),
  };
}

function isPassed({ effective }: RecordedDecision): boolean {
  return effective === 'allow';
}

function reportedRule(rule: string, list: readonly RecordedDecision[]): ReportedRule {
  const texts = [...Map.groupBy(list, ({ tool, text }) => JSON.stringify([tool, text])).values()].flatMap(
    (same) => {
      const [first] = same;
      if (first === undefined) return [];
      const lastMs = Math.max(...same.map(({ atMs }) => atMs));
      return [{ tool: first.tool, text: first.text, count: same.length, lastMs }];
    },
  );
  const severities = list.map(({ severity }) => severity);
  return {
    rule,
    severity: SEVERITIES.findLast((severity) => severities.includes(severity)) ?? 'low',
    blocks: list.filter(({ raw }) => raw === 'block').length,
    asks: list.filter(({ raw }) => raw === 'ask').length,
    passed: list.filter(isPassed).length,
    texts: texts.sort((a, b) => b.count - a.count || b.lastMs - a.lastMs),
  };
}
