import { messageOf } from '../../../kernel/errors/index.ts';
import { COMMAND_CLASSES, type CommandFinding } from '../../../shell/index.ts';
import type { CompiledRule, RuleSource } from '../conditions/compile-rule.ts';
import type { LoadedPolicy } from '../conditions/load-policy.ts';
import type { CallFacts, Problem } from '../facts/call-facts.ts';
import type { CallMarks, SessionView } from '../memory/session-taint.ts';
import { DECISIONS, type PolicyDecision, type PolicySeverity, SEVERITIES } from '../rules/policy-rule.ts';
import { foldMatches } from './fold-matches.ts';
import type { PolicyCandidate, PolicyMode, PolicyVerdict } from './policy-verdict.ts';
import { messageFor } from './verdict-message.ts';

export interface JudgeOptions {
  readonly policy: LoadedPolicy;
  readonly floors: readonly CompiledRule[];
  readonly mode: PolicyMode;
  readonly unattended: boolean;
  /** Milliseconds that are left; asked before each rule of the file. All others take next to no time, and are never left out. */
  readonly msLeft: () => number;
}

/** A verdict, with what the session is to remember of the call should it run. */
export interface Judgement {
  readonly verdict: PolicyVerdict;
  readonly marks: CallMarks;
  /** Whether time ran out before every rule had been looked at. */
  readonly isLate: boolean;
}

interface Match {
  readonly id: string;
  readonly source: RuleSource | 'engine';
  readonly decision: PolicyDecision;
  readonly severity: PolicySeverity;
  readonly why: string;
  readonly message: string;
  readonly finding: CommandFinding | undefined;
}

/** Judges a call by its facts. Never throws for what a rule does; the floors are looked at first and in every mode. */
export function judgeCall(facts: CallFacts, session: SessionView, options: JudgeOptions): Judgement {
  const { policy, floors, mode } = options;
  const ofFile = policy.rules.filter(({ source }) => source === 'file');
  const others = policy.rules.filter(({ source }) => source !== 'file');
  const rules = mode === 'off' ? floors : [...floors, ...others, ...ofFile];
  const matches: Match[] = [];
  const near: PolicyCandidate[] = [];
  const after: string[] = [];
  const counted: string[] = [];
  let isLate = false;
  for (const compiled of rules) {
    isLate = compiled.source === 'file' && options.msLeft() <= 0;
    if (isLate) break;
    try {
      const answer = compiled.look(facts, session);
      if (answer.state === 'match') matches.push(matchOf(compiled, answer));
      if (answer.state === 'near') near.push(candidateOf(matchOf(compiled, answer), 'near'));
      if (compiled.isFirstHalf(facts)) after.push(compiled.rule.id);
      if (compiled.isCounted(facts, session)) counted.push(compiled.rule.id);
    } catch (error) {
      matches.push(engineMatch(`rule ${compiled.rule.id} failed: ${messageOf(error)}`));
    }
  }
  if (mode !== 'off') {
    if (facts.problem !== undefined) matches.push(engineMatch(PROBLEMS[facts.problem]));
    if (isLate) matches.push(engineMatch('judging it takes too long'));
  }
  return {
    verdict: verdictOf({ matches, near, facts, fallback: policy.default }, options),
    marks: { after, counted },
    isLate,
  };
}

const PROBLEMS: Readonly<Record<Problem, string>> = {
  syntax: 'the command is no valid shell code',
  too_long: 'the command is too long to be judged',
  too_deep: 'the command is nested too deep to be judged',
  hidden_characters: 'the command has characters in it that cannot be seen',
  no_command: 'the command is neither a text nor a list of words',
};

const CANNOT_JUDGE = 'cannot-judge';

function engineMatch(why: string): Match {
  const message = 'Write it simpler, in several calls, or save it as a script in the workspace and run that.';
  return {
    id: CANNOT_JUDGE,
    source: 'engine',
    decision: 'ask',
    severity: 'medium',
    why,
    message,
    finding: undefined,
  };
}

function matchOf(
  { rule, source }: CompiledRule,
  { why, finding }: { readonly why: string; readonly finding: CommandFinding | undefined },
): Match {
  const { id, decision, severity, message } = rule;
  return { id, source, decision, severity, why, message, finding };
}

function candidateOf(match: Match, state: PolicyCandidate['state']): PolicyCandidate {
  const { id, source, decision, severity, why } = match;
  return { rule: id, source, decision, severity, state, why };
}

interface Found {
  readonly matches: readonly Match[];
  readonly near: readonly PolicyCandidate[];
  readonly facts: CallFacts;
  readonly fallback: PolicyDecision;
}

function verdictOf(
  { matches, near, facts, fallback }: Found,
  { mode, unattended }: JudgeOptions,
): PolicyVerdict {
  const ordered = matches.toSorted(byWeight);
  const allows = ordered.some(({ decision }) => decision === 'allow');
  const decided = foldMatches(
    ordered.map(({ decision, source }) => ({
      decision,
      isLiftable: source !== 'engine',
      isOwn: source === 'file',
    })),
    mode === 'off' ? 'allow' : fallback,
  );
  const isLifted = ({ decision, source }: Match): boolean =>
    decision === 'ask' && source !== 'engine' && allows;
  const winner = ordered.find((match) => match.decision === decided && !isLifted(match));
  const raw: PolicyDecision = decided === 'ask' && unattended ? 'block' : decided;
  const finding = winner?.finding ?? facts.findings[0];
  return {
    mode,
    raw,
    effective: mode === 'enforce' || winner?.source === 'floor' ? raw : 'allow',
    rule: winner?.id,
    source: winner?.source,
    severity: winner?.severity,
    class: finding?.class,
    resolved: winner?.finding?.evidence ?? resolvedOf(facts),
    message: messageFor({ decided, raw, winner, finding: winner?.finding }),
    candidates: [
      ...ordered.map((match) => candidateOf(match, isLifted(match) ? 'lifted' : 'match')),
      ...near,
    ],
    unattended,
  };
}

/** Strictest first, then severest, floors in front, then by danger; the id decides last, so that no order of rules does. */
function byWeight(one: Match, other: Match): number {
  return (
    DECISIONS.indexOf(other.decision) - DECISIONS.indexOf(one.decision) ||
    Number(other.source === 'floor') - Number(one.source === 'floor') ||
    SEVERITIES.indexOf(other.severity) - SEVERITIES.indexOf(one.severity) ||
    classIndex(one) - classIndex(other) ||
    (one.id < other.id ? -1 : 1)
  );
}

function classIndex({ finding }: Match): number {
  return finding === undefined ? COMMAND_CLASSES.length : COMMAND_CLASSES.indexOf(finding.class);
}

/** The programs a command would start, as they would run. */
function resolvedOf({ programs, command }: CallFacts): string | undefined {
  if (command === undefined) return undefined;
  const text = programs.map(({ argv }) => argv.map((word) => word ?? '…').join(' ')).join('; ');
  return (text === '' ? command : text).slice(0, 200).toWellFormed();
}
