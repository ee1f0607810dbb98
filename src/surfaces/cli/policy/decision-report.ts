import type { Result } from '../../../kernel/errors/index.ts';
import { succeed } from '../../../kernel/errors/index.ts';
import type { JsonObject } from '../../../kernel/json/index.ts';
import { decisionsSince, type Ledger, type RecordedLedgerDecision } from '../../../safety/ledger/index.ts';
import {
  type PolicyDecision,
  type PolicyReport,
  type PolicySeverity,
  policyReport,
  type RecordedDecision,
  type ReportedRule,
  type ReportedText,
} from '../../../safety/policy/index.ts';
import { printableLine } from '../output/printable.ts';
import { relativeTime } from '../output/relative-time.ts';
import { counted } from '../rollback/text-style.ts';
import type { VerbContext } from '../verb.ts';

const DECISIONS: readonly PolicyDecision[] = ['allow', 'ask', 'block'];
const SEVERITIES: readonly PolicySeverity[] = ['low', 'medium', 'high', 'critical'];
/** Calls that are shown of each rule. */
const MAX_TEXTS = 10;

/** What the journal holds of decisions since `sinceMs`, or of all; nothing where there is no journal yet. */
export async function reportOf(ledger: Ledger, sinceMs: number | undefined): Promise<Result<PolicyReport>> {
  if (!ledger.file.exists) return succeed(policyReport([]));
  const since = sinceMs === undefined ? '' : new Date(sinceMs).toISOString();
  const decisions = await decisionsSince(ledger, since);
  return decisions.ok ? succeed(policyReport(decisions.value.map(recordedDecision))) : decisions;
}

/** A word that is not known is taken as the strict one: the report leaves nothing out for it. */
function recordedDecision(decision: RecordedLedgerDecision): RecordedDecision {
  const { atMs, call, subject, rule, severity, raw, effective } = decision;
  const decided = (word: string): PolicyDecision => DECISIONS.find((known) => known === word) ?? 'block';
  return {
    atMs,
    tool: call.tool,
    text: subject,
    rule: rule === '' ? 'policy default' : rule,
    severity: SEVERITIES.find((known) => known === severity) ?? 'medium',
    raw: decided(raw),
    effective: decided(effective),
  };
}

export function reportDocument({ total, passed, rules }: PolicyReport): JsonObject {
  return { total, held: total - passed, passed, rules: rules.map(ruleDocument) };
}

function ruleDocument({ rule, severity, blocks, asks, passed, texts }: ReportedRule): JsonObject {
  return {
    rule,
    severity,
    raw: { block: blocks, ask: asks },
    effective: { held: blocks + asks - passed, passed },
    calls: texts.map(({ tool, text, count, lastMs }) => ({
      tool,
      text,
      count,
      last: new Date(lastMs).toISOString(),
    })),
  };
}

/** The report for a person: each rule with the calls it is about. */
export function reportLines(
  { total, passed, rules }: PolicyReport,
  { colours, clock }: Pick<VerbContext, 'colours' | 'clock'>,
): readonly string[] {
  if (total === 0) return ['No call was refused, asked about or would have been.'];
  const head = `${counted(total, 'decision')}: ${String(total - passed)} held, ${String(passed)} passed because of the mode`;
  return [head, ...rules.flatMap((rule) => ['', ...ruleLines(rule, { colours, clock })])];
}

function ruleLines(
  { rule, severity, blocks, asks, passed, texts }: ReportedRule,
  { colours, clock }: Pick<VerbContext, 'colours' | 'clock'>,
): readonly string[] {
  const nowMs = clock.now();
  const shown = texts.slice(0, MAX_TEXTS);
  const more = texts.length - shown.length;
  const raw = `enforced: ${String(blocks)} block, ${String(asks)} ask`;
  const effective = `in effect: ${String(blocks + asks - passed)} held, ${String(passed)} passed`;
  return [
    `${colours.strong(printableLine(rule))}  ${severity}  ${raw}  ${effective}`,
    ...shown.map((text) => textLine(text, nowMs)),
    ...(more > 0 ? [`  … and ${counted(more, 'other call')}; --json shows all`] : []),
  ];
}

function textLine({ text, count, lastMs }: ReportedText, nowMs: number): string {
  return `  ${String(count).padStart(4)} ×  ${printableLine(text)}  (${relativeTime(lastMs, nowMs)})`;
}
