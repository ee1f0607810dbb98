import { getOwn, isJsonObject, type JsonValue, parseJson } from '../../../kernel/json/index.ts';
import {
  type Place,
  type PolicyProblem,
  ProblemList,
  readObject,
  readText,
  readTexts,
  readWord,
  shown,
} from './fields.ts';
import {
  DECISIONS,
  type ExampleCall,
  type PolicyDocument,
  type PolicyRule,
  type RuleExample,
  SEVERITIES,
  TEXT_PARTS,
} from './policy-rule.ts';
import { readConditions } from './read-condition.ts';

export type ReadPolicy =
  | { readonly ok: true; readonly policy: PolicyDocument }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] };

const POLICY_KEYS = ['version', 'default', 'builtin', 'rules'];
const RULE_KEYS = ['id', 'severity', 'decision', 'tool', 'when', 'where', 'message', 'tests'];
const MAX_RULES = 1000;
const ID = /^[a-zA-Z0-9][\w.-]{0,79}$/;

/** Ids that nobody else may give a rule. */
export const FLOOR_PREFIX = 'floor-';

/** The policy in the text of a file, or everything that is wrong with it. Patterns are not compiled, tests are not run. */
export function readPolicy(text: string): ReadPolicy {
  const parsed = parseJson(text);
  if (!parsed.ok)
    return { ok: false, problems: [{ where: 'policy', message: `not valid JSON: ${parsed.message}` }] };
  const problems = new ProblemList();
  const policy = readDocument(parsed.value, problems);
  if (policy === undefined || problems.all.length > 0) return { ok: false, problems: problems.all };
  return { ok: true, policy };
}

function readDocument(value: JsonValue, problems: ProblemList): PolicyDocument | undefined {
  const object = readObject(value, POLICY_KEYS, { where: 'policy', problems });
  if (object === undefined) return undefined;
  const version = getOwn(object, 'version');
  if (version !== 1) problems.add('version', `must be 1, not ${shown(version)}`);
  const fallback = readWord(getOwn(object, 'default'), DECISIONS, 'allow', { where: 'default', problems });
  const builtin = getOwn(object, 'builtin') ?? true;
  if (typeof builtin !== 'boolean') problems.add('builtin', `must be true or false, not ${shown(builtin)}`);
  const rules = readRules(getOwn(object, 'rules'), problems);
  return fallback === undefined ? undefined : { default: fallback, builtin: builtin !== false, rules };
}

function readRules(value: JsonValue | undefined, problems: ProblemList): readonly PolicyRule[] {
  if (!Array.isArray(value)) {
    problems.add('rules', `must be a list of rules, not ${shown(value)}`);
    return [];
  }
  if (value.length > MAX_RULES) problems.add('rules', `there are more than ${String(MAX_RULES)} of them`);
  const ids = new Set<string>();
  return value.slice(0, MAX_RULES).flatMap((item: JsonValue, index) => {
    const rule = readRule(item, index, problems);
    if (rule === undefined) return [];
    if (ids.has(rule.id)) problems.add(rule.id, 'two rules have this id; give one of them another');
    ids.add(rule.id);
    return [rule];
  });
}

function readRule(value: JsonValue, index: number, problems: ProblemList): PolicyRule | undefined {
  const id = isJsonObject(value) ? getOwn(value, 'id') : undefined;
  const where = typeof id === 'string' && ID.test(id) ? id : `rules[${String(index)}]`;
  const place: Place = { where, problems };
  const object = readObject(value, RULE_KEYS, place);
  if (object === undefined) return undefined;
  if (where !== id) {
    return problems.add(
      where,
      `id must be letters, digits, "-", "_" and ".", at most 80 of them, not ${shown(id)}`,
    );
  }
  if (where.startsWith(FLOOR_PREFIX))
    problems.add(where, `ids that begin with "${FLOOR_PREFIX}" are Herma's own`);
  const decision = readWord(getOwn(object, 'decision'), DECISIONS, undefined, at(place, 'decision'));
  const severity = readWord(getOwn(object, 'severity'), SEVERITIES, 'medium', at(place, 'severity'));
  const tools = readTexts(getOwn(object, 'tool') ?? '*', at(place, 'tool'));
  const when = readConditions(getOwn(object, 'when'), at(place, 'when'));
  const part = getOwn(object, 'where');
  const textPart = part === undefined ? undefined : readWord(part, TEXT_PARTS, undefined, at(place, 'where'));
  const message = readText(object, 'message', place) ?? '';
  const tests = readTests(getOwn(object, 'tests'), tools ?? [], at(place, 'tests'));
  if (decision === undefined || severity === undefined || tools === undefined) return undefined;
  if (decision === 'allow' && when.some(({ kind }) => kind === 'rate' || kind === 'sequence'))
    problems.add(where, 'an allow rule can have neither rate nor sequence: they only make a policy stricter');
  return { id: where, severity, decision, tools, when, where: textPart, message, tests };
}

function at({ where, problems }: Place, key: string): Place {
  return { where: `${where}.${key}`, problems };
}

function readTests(
  value: JsonValue | undefined,
  tools: readonly string[],
  place: Place,
): PolicyRule['tests'] {
  if (value === undefined) return { hit: [], miss: [] };
  const object = readObject(value, ['hit', 'miss'], place);
  if (object === undefined) return { hit: [], miss: [] };
  return {
    hit: readExamples(getOwn(object, 'hit'), tools, at(place, 'hit')),
    miss: readExamples(getOwn(object, 'miss'), tools, at(place, 'miss')),
  };
}

function readExamples(
  value: JsonValue | undefined,
  tools: readonly string[],
  place: Place,
): readonly RuleExample[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    place.problems.add(place.where, `must be a list of calls, not ${shown(value)}`);
    return [];
  }
  return value.flatMap((item: JsonValue) => {
    const items: readonly JsonValue[] = Array.isArray(item) ? item : [item];
    const calls = items.map((each) => readExampleCall(each, tools, place));
    if (calls.length === 0) place.problems.add(place.where, 'a series of calls must not be empty');
    if (calls.length === 0 || !calls.every((call) => call !== undefined)) return [];
    return [{ text: typeof item === 'string' ? item : JSON.stringify(item), calls }];
  });
}

function readExampleCall(value: JsonValue, tools: readonly string[], place: Place): ExampleCall | undefined {
  if (typeof value === 'string')
    return { tool: commandToolOf(tools), args: { command: value }, unattended: false };
  const object = readObject(value, ['tool', 'args', 'unattended'], place);
  if (object === undefined) return undefined;
  const [tool, args] = [getOwn(object, 'tool'), getOwn(object, 'args')];
  const unattended = getOwn(object, 'unattended') ?? false;
  if (typeof tool !== 'string' || tool === '' || !isJsonObject(args) || typeof unattended !== 'boolean')
    return place.problems.add(place.where, `${shown(value)} must be a command, or {"tool": …, "args": {…}}`);
  return { tool, args, unattended };
}

/** A text stands for a command of the terminal; where a rule is only about other shells, of the first of them. */
function commandToolOf(tools: readonly string[]): string {
  const [first] = tools;
  const plain = first !== undefined && !first.includes('*') ? first : 'terminal';
  return tools.includes('terminal') ? 'terminal' : plain;
}

/** One line for each problem. */
export function describeProblems(problems: readonly PolicyProblem[]): readonly string[] {
  return problems.map(({ where, message }) => `${where}: ${message}`);
}
