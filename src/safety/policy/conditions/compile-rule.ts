import { type Result, succeed } from '../../../kernel/errors/index.ts';
import type { RegexCompiler } from '../../../kernel/regex/index.ts';
import type { CommandClass, CommandFinding } from '../../../shell/index.ts';
import type { CallFacts } from '../facts/call-facts.ts';
import type { SessionView } from '../memory/session-taint.ts';
import { compileNamePatterns } from '../patterns/name-pattern.ts';
import type {
  CallCondition,
  PolicyCondition,
  PolicyRule,
  RateCondition,
  SequenceCondition,
} from '../rules/policy-rule.ts';
import { type ConditionMatcher, compileCondition } from './compile-condition.ts';

/** Whose word a rule is. */
export type RuleSource = 'floor' | 'builtin' | 'file';

/** What a rule makes of a call: it fits, or comes near: some of its conditions hold. */
export interface RuleAnswer {
  readonly state: 'match' | 'near' | 'none';
  /** In a few words. */
  readonly why: string;
  /** The danger it is about, when it is about one. */
  readonly finding: CommandFinding | undefined;
}

export interface CompiledRule {
  readonly rule: PolicyRule;
  readonly source: RuleSource;
  look(facts: CallFacts, session: SessionView): RuleAnswer;
  /** Whether the call is one that the rule's `sequence` waits for. */
  isFirstHalf(facts: CallFacts): boolean;
  /** Whether the rule's `rate` counts the call. */
  isCounted(facts: CallFacts, session: SessionView): boolean;
}

/** Names by which rules written for our own tools find those of other agents too. */
const ALIASES = new Map([
  ['Read', 'read_file'],
  ['Write', 'write_file'],
  ['Edit', 'patch'],
  ['MultiEdit', 'patch'],
  ['replace', 'patch'],
]);

const NONE: RuleAnswer = { state: 'none', why: '', finding: undefined };

/** Fails for a regular expression that is none. */
export function compileRule(
  rule: PolicyRule,
  source: RuleSource,
  patterns: RegexCompiler | undefined,
): Result<CompiledRule, 'invalid_pattern'> {
  const own = compileAll(rule.when.filter(isCallCondition), rule, patterns);
  if (!own.ok) return own;
  const timed: TimedMatcher[] = [];
  const firstHalves: ((facts: CallFacts) => boolean)[] = [];
  for (const condition of rule.when) {
    if (condition.kind === 'rate') timed.push(rateMatcher(rule.id, condition));
    if (condition.kind !== 'sequence') continue;
    timed.push(sequenceMatcher(rule.id, condition));
    const firstHalf = compileFirstHalf(condition, rule, patterns);
    if (!firstHalf.ok) return firstHalf;
    firstHalves.push(firstHalf.value);
  }
  const isNamed = toolMatcher(rule.tools);
  const sequences = timed.filter(({ kind }) => kind === 'sequence');
  const holdAll = (facts: CallFacts): boolean =>
    isNamed(facts) && own.value.every((holds) => holds(facts, 'any') !== undefined);
  return succeed({
    rule,
    source,
    look: (facts, session) => (isNamed(facts) ? look(rule, facts, { own: own.value, timed, session }) : NONE),
    isFirstHalf: (facts) => firstHalves.some((fits) => fits(facts)),
    isCounted: (facts, session) =>
      timed.length > sequences.length &&
      holdAll(facts) &&
      sequences.every(({ holds }) => holds(facts, session) !== undefined),
  });
}

interface TimedMatcher {
  readonly kind: 'rate' | 'sequence';
  readonly holds: (facts: CallFacts, session: SessionView) => string | undefined;
}

function isCallCondition(condition: PolicyCondition): condition is CallCondition {
  return condition.kind !== 'rate' && condition.kind !== 'sequence';
}

function compileAll(
  conditions: readonly CallCondition[],
  { where }: PolicyRule,
  patterns: RegexCompiler | undefined,
): Result<readonly ConditionMatcher[], 'invalid_pattern'> {
  const matchers: ConditionMatcher[] = [];
  for (const condition of conditions) {
    const compiled = compileCondition(condition, { where, patterns });
    if (!compiled.ok) return compiled;
    matchers.push(compiled.value);
  }
  return succeed(matchers);
}

function toolMatcher(tools: readonly string[]): (facts: CallFacts) => boolean {
  const fits = compileNamePatterns(tools);
  return ({ call: { tool }, command }) => {
    if (fits(tool) || (command !== undefined && fits('terminal'))) return true;
    const alias = ALIASES.get(tool);
    return alias !== undefined && fits(alias);
  };
}

function look(
  rule: PolicyRule,
  facts: CallFacts,
  {
    own,
    timed,
    session,
  }: {
    readonly own: readonly ConditionMatcher[];
    readonly timed: readonly TimedMatcher[];
    readonly session: SessionView;
  },
): RuleAnswer {
  const reasons = [
    ...own.map((holds) => holds(facts, 'any')),
    ...timed.map(({ holds }) => holds(facts, session)),
  ];
  const given = reasons.filter((reason) => reason !== undefined);
  const why =
    given.length === 0 && reasons.length === 0 ? `every call of ${facts.call.tool}` : given.join('; ');
  const finding = findingOf(rule, facts);
  if (given.length < reasons.length)
    return given.length === 0
      ? NONE
      : { state: 'near', why: `${why}; the other conditions do not hold`, finding };
  if (rule.decision !== 'allow') return { state: 'match', why, finding };
  const covers = own.every((holds) => holds(facts, 'all') !== undefined) && coversFindings(rule, facts);
  return covers
    ? { state: 'match', why, finding }
    : { state: 'near', why: `${why}; covers only a part of the call`, finding };
}

function findingOf({ when }: PolicyRule, { findings }: CallFacts): CommandFinding | undefined {
  const classes = when.flatMap((condition) => (condition.kind === 'shell.class' ? condition.classes : []));
  return findings.find((finding) => classes.includes(finding.class));
}

/** What a list of programs does not show: where their output goes, and code that is not written out. */
const BESIDE_PROGRAMS: readonly CommandClass[] = [
  'device',
  'power',
  'self-tamper',
  'persistence',
  'startup',
  'delete-unknown',
  'dynamic-exec',
  'unknown-wrapper',
  'decode-exec',
  'download-exec',
  'pipe-to-shell',
  'not-understood',
];
const ABOUT_PATHS: readonly CommandClass[] = [
  'delete-outside',
  'delete-vcs',
  'delete-workspace',
  'startup',
  'persistence',
  'perms',
];
const ABOUT_HOSTS: readonly CommandClass[] = ['exfil', 'remote'];

/** Whether an `allow` rule speaks for every danger in the call: its conditions have to be about what the danger is about. */
function coversFindings({ when }: PolicyRule, { findings }: CallFacts): boolean {
  const kinds = new Set(when.map(({ kind }) => kind));
  if (when.length === 0 || kinds.has('shell.class') || kinds.has('text.regex') || kinds.has('argument'))
    return true;
  if (kinds.size === 1 && kinds.has('session.unattended')) return true;
  if (kinds.has('argv.prefix') || kinds.has('text.contains'))
    return findings.every((finding) => !BESIDE_PROGRAMS.includes(finding.class));
  const about = kinds.has('url.host') ? ABOUT_HOSTS : ABOUT_PATHS;
  return findings.every((finding) => about.includes(finding.class));
}

function rateMatcher(ruleId: string, { count, windowMs }: RateCondition): TimedMatcher {
  return {
    kind: 'rate',
    holds: (_, session) => {
      const calls = session.counted(ruleId, windowMs) + 1;
      return calls > count ? `${String(calls)} calls within ${String(windowMs / 1000)} s` : undefined;
    },
  };
}

function sequenceMatcher(ruleId: string, { within, after }: SequenceCondition): TimedMatcher {
  return {
    kind: 'sequence',
    holds: (facts, session) => {
      if ('taints' in after)
        return after.taints
          .map((taint) => session.taint(taint, facts, within))
          .find((why) => why !== undefined);
      return session.isAfter(ruleId, within)
        ? `one of the last ${String(within)} calls was of the first kind`
        : undefined;
    },
  };
}

function compileFirstHalf(
  { after }: SequenceCondition,
  rule: PolicyRule,
  patterns: RegexCompiler | undefined,
): Result<(facts: CallFacts) => boolean, 'invalid_pattern'> {
  if ('taints' in after) return succeed(() => false);
  const compiled = compileAll(after.conditions, rule, patterns);
  if (!compiled.ok) return compiled;
  const isNamed = toolMatcher(after.tools);
  return succeed(
    (facts) => isNamed(facts) && compiled.value.every((holds) => holds(facts, 'any') !== undefined),
  );
}
