import { messageOf } from '../../../kernel/errors/index.ts';
import { loadRegexCompiler } from '../../../kernel/regex/index.ts';
import { analyseCommand, type CommandPlace } from '../../../shell/index.ts';
import { type CallFacts, factsOf } from '../facts/call-facts.ts';
import { COMMAND_TOOLS } from '../facts/command-of-call.ts';
import type { CommandAnalyser } from '../facts/policy-call.ts';
import { SessionTaint } from '../memory/session-taint.ts';
import { BUILTIN_RULES } from '../rules/builtin-rules.ts';
import type { PolicyProblem } from '../rules/fields.ts';
import type { PolicyCondition, PolicyDecision, PolicyRule, RuleExample } from '../rules/policy-rule.ts';
import { readPolicy } from '../rules/read-policy.ts';
import { type CompiledRule, compileRule, type RuleSource } from './compile-rule.ts';

/** Rules that are ready to judge. */
export interface LoadedPolicy {
  readonly default: PolicyDecision;
  readonly rules: readonly CompiledRule[];
}

export type PolicyLoad =
  | { readonly ok: true; readonly policy: LoadedPolicy }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] };

/** The built-in rules alone. */
export async function loadBuiltinPolicy(): Promise<LoadedPolicy> {
  const { rules } = await compileRules(BUILTIN_RULES, 'builtin');
  return { default: 'allow', rules };
}

/**
 * The policy in the text of a file, with the built-in rules beside it: a rule of the file takes the place of the built-in one with
 * its id. Every rule of the file has to pass its own tests. Everything that is wrong is told at once.
 */
export async function loadPolicy(
  text: string,
  analyse: CommandAnalyser = analyseCommand,
): Promise<PolicyLoad> {
  return load(text, (rule) => runRuleTests(rule, analyse));
}

/** {@link loadPolicy} for a text whose rules are known to pass their tests. */
export async function loadTestedPolicy(text: string): Promise<PolicyLoad> {
  return load(text, () => []);
}

async function load(
  text: string,
  test: (rule: CompiledRule) => readonly RuleTestResult[],
): Promise<PolicyLoad> {
  const read = readPolicy(text);
  if (!read.ok) return read;
  const own = await compileRules(read.policy.rules, 'file');
  const failed = own.rules.flatMap(test).filter(({ ok }) => !ok);
  const problems = [...own.problems, ...failed.map(({ rule, message }) => ({ where: rule, message }))];
  if (problems.length > 0) return { ok: false, problems };
  const ids = new Set(read.policy.rules.map(({ id }) => id));
  const beside = read.policy.builtin ? BUILTIN_RULES.filter(({ id }) => !ids.has(id)) : [];
  const builtin = await compileRules(beside, 'builtin');
  return { ok: true, policy: { default: read.policy.default, rules: [...builtin.rules, ...own.rules] } };
}

/** Rules that cannot be compiled are told and left out. */
export async function compileRules(
  rules: readonly PolicyRule[],
  source: RuleSource,
): Promise<{ readonly rules: readonly CompiledRule[]; readonly problems: readonly PolicyProblem[] }> {
  const patterns = rules.some(hasPattern) ? await loadRegexCompiler() : undefined;
  const compiled: CompiledRule[] = [];
  const problems: PolicyProblem[] = [];
  for (const rule of rules) {
    const result = compileRule(rule, source, patterns);
    if (result.ok) compiled.push(result.value);
    else
      problems.push({
        where: rule.id,
        message: [result.message, result.remedy ?? ''].join('. ').replace(/\. $/, ''),
      });
  }
  return { rules: compiled, problems };
}

function hasPattern({ when }: PolicyRule): boolean {
  return when.some((condition) => {
    if (condition.kind !== 'sequence') return isPattern(condition);
    return 'conditions' in condition.after && condition.after.conditions.some(isPattern);
  });
}

function isPattern(condition: PolicyCondition): boolean {
  return (
    condition.kind === 'text.regex' || (condition.kind === 'argument' && condition.test.type === 'regex')
  );
}

/** The outcome of one of a rule's own tests. */
export interface RuleTestResult {
  readonly rule: string;
  readonly expected: 'hit' | 'miss';
  /** The call, as it is written in the policy. */
  readonly text: string;
  readonly ok: boolean;
  /** One line; empty when it passed. */
  readonly message: string;
}

/** Where the tests of rules play: nothing is looked up on this machine. */
export const TEST_PLACE: CommandPlace = {
  cwd: '/home/u/proj',
  home: '/home/u',
  workspace: '/home/u/proj',
  hermaHome: '/home/u/.herma',
};

/** Runs a rule's own tests: whether the rule by itself fits the call. */
export function runRuleTests(compiled: CompiledRule, analyse: CommandAnalyser): readonly RuleTestResult[] {
  const { id, tests } = compiled.rule;
  const run =
    (expected: 'hit' | 'miss') =>
    (example: RuleExample): RuleTestResult => {
      const { text } = example;
      try {
        const isHit = fitsLast(compiled, example, analyse);
        if (isHit === (expected === 'hit')) return { rule: id, expected, text, ok: true, message: '' };
        const outcome =
          expected === 'hit'
            ? 'its test says it fits, and it does not'
            : 'its test says it does not fit, and it does';
        return { rule: id, expected, text, ok: false, message: `${outcome}: ${text.slice(0, 200)}` };
      } catch (error) {
        return {
          rule: id,
          expected,
          text,
          ok: false,
          message: `its test failed with ${messageOf(error)}: ${text.slice(0, 200)}`,
        };
      }
    };
  return [...tests.hit.map(run('hit')), ...tests.miss.map(run('miss'))];
}

function fitsLast(compiled: CompiledRule, { calls }: RuleExample, analyse: CommandAnalyser): boolean {
  const memory = new SessionTaint();
  let isHit = false;
  for (const [index, { tool, args, unattended }] of calls.entries()) {
    const facts: CallFacts = factsOf(
      { tool, args, cwd: TEST_PLACE.cwd, paths: [], effect: effectOf(tool) },
      { analyse, commandTools: COMMAND_TOOLS, place: TEST_PLACE, unattended },
    );
    const place = { lineage: 'test', key: String(index), nowMs: 0 };
    const session = memory.view(place);
    isHit = compiled.look(facts, session).state === 'match';
    memory.record(place, facts, {
      after: compiled.isFirstHalf(facts) ? [compiled.rule.id] : [],
      counted: compiled.isCounted(facts, session) ? [compiled.rule.id] : [],
    });
  }
  return isHit;
}

const READERS = /^(?:read|Read|search|Grep|Glob|list|web_)/;
const WRITERS = /^(?:write|Write|patch|Edit|MultiEdit|replace)/;

/** What a test does not say of its tool. */
function effectOf(tool: string): CallFacts['call']['effect'] {
  if (READERS.test(tool)) return 'none';
  return WRITERS.test(tool) ? 'write' : 'external';
}
