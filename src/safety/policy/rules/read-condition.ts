import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../../kernel/json/index.ts';
import { COMMAND_CLASSES, type CommandClass } from '../../../shell/index.ts';
import { hint, type Place, readCount, readObject, readTexts, readWord, shown } from './fields.ts';
import {
  type ArgumentTest,
  type ArgvToken,
  type CallCondition,
  type PolicyCondition,
  type SequenceCondition,
  TAINTS,
  type Taint,
} from './policy-rule.ts';

const CALL_KINDS = [
  'shell.class',
  'text.contains',
  'text.regex',
  'argv.prefix',
  'path.read',
  'path.write',
  'path.glob',
  'url.host',
  'session.unattended',
] as const;
const KINDS = [...CALL_KINDS, 'rate', 'sequence'] as const;
const ARGUMENT = 'arg.';
const KNOWN = [...KINDS, 'arg./<pointer>'];
const HOST = /^(?:\*|(?:\*\.)?[\w.:[\]-]+)$/;
const MAX_WITHIN = 100;
const MAX_RATE = 1000;

/** The conditions below `when`; those that are wrong are told and left out. */
export function readConditions(
  value: JsonValue | undefined,
  { where, problems }: Place,
): readonly PolicyCondition[] {
  if (value === undefined) return [];
  if (!isJsonObject(value)) {
    problems.add(where, `must be an object of conditions, not ${shown(value)}`);
    return [];
  }
  return Object.entries(value).flatMap(([key, given]) => {
    const condition = readCondition(key, given, { where: `${where}.${key}`, problems });
    return condition === undefined ? [] : [condition];
  });
}

function readCondition(key: string, value: JsonValue, place: Place): PolicyCondition | undefined {
  if (key === 'rate') return readRate(value, place);
  if (key === 'sequence') return readSequence(value, place);
  return readCallCondition(key, value, place);
}

function readCallCondition(key: string, value: JsonValue, place: Place): CallCondition | undefined {
  if (key.startsWith(ARGUMENT)) return readArgument(key.slice(ARGUMENT.length), value, place);
  const kind = CALL_KINDS.find((known) => known === key);
  if (kind === undefined)
    return place.problems.add(place.where, `unknown condition ${shown(key)}${hint(key, KNOWN)}`);
  switch (kind) {
    case 'shell.class':
      return readClasses(value, place);
    case 'argv.prefix':
      return readPrefixes(value, place);
    case 'session.unattended':
      if (typeof value === 'boolean') return { kind, is: value };
      return place.problems.add(place.where, `must be true or false, not ${shown(value)}`);
    case 'text.contains':
    case 'text.regex':
    case 'path.read':
    case 'path.write':
    case 'path.glob':
    case 'url.host':
      return withTexts(kind, readTexts(value, place), place);
  }
}

function withTexts(
  kind: Exclude<(typeof CALL_KINDS)[number], 'shell.class' | 'argv.prefix' | 'session.unattended'>,
  texts: readonly string[] | undefined,
  { where, problems }: Place,
): CallCondition | undefined {
  if (texts === undefined) return undefined;
  const odd = kind === 'url.host' ? texts.find((text) => !HOST.test(text)) : undefined;
  if (odd !== undefined)
    return problems.add(where, `${shown(odd)} is no host; write "example.com", "*.example.com" or "*"`);
  if (kind === 'text.contains') return { kind, texts };
  if (kind === 'text.regex') return { kind, sources: texts };
  if (kind === 'url.host') return { kind, hosts: texts.map((host) => host.toLowerCase()) };
  return { kind, globs: texts };
}

function readClasses(value: JsonValue, place: Place): CallCondition | undefined {
  const texts = readTexts(value, place);
  const classes = texts?.map((text): CommandClass | undefined =>
    readWord(text, COMMAND_CLASSES, undefined, place),
  );
  if (classes === undefined || !classes.every((each) => each !== undefined)) return undefined;
  return { kind: 'shell.class', classes };
}

/** One prefix (a list of tokens, a token being a text or a list of alternatives), or a list of objects `{argv: prefix}`. */
function readPrefixes(value: JsonValue, { where, problems }: Place): CallCondition | undefined {
  const prefix = readPrefix(value);
  if (prefix !== undefined) return { kind: 'argv.prefix', prefixes: [prefix] };
  const several = Array.isArray(value)
    ? value.map((item: JsonValue) =>
        isJsonObject(item) && Object.keys(item).length === 1 ? readPrefix(getOwn(item, 'argv')) : undefined,
      )
    : [];
  if (several.length > 0 && several.every((each) => each !== undefined))
    return { kind: 'argv.prefix', prefixes: several };
  return problems.add(
    where,
    `must be a list of words such as ["git", ["push", "fetch"]], or several as [{"argv": […]}, …], not ${shown(value)}`,
  );
}

function readPrefix(value: JsonValue | undefined): readonly ArgvToken[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const tokens = value.map(readToken);
  return tokens.every((token) => token !== undefined) ? tokens : undefined;
}

function readToken(value: JsonValue): ArgvToken | undefined {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const words = value.filter((word) => typeof word === 'string').map(String);
  return words.length === value.length ? words : undefined;
}

function readArgument(pointer: string, value: JsonValue, place: Place): CallCondition | undefined {
  if (!/^(?:\/(?:[^~/]|~[01])*)+$/.test(pointer)) {
    const meant = `arg./${pointer.replaceAll('.', '/').replace(/^\//, '')}`;
    return place.problems.add(
      place.where,
      `a JSON pointer begins with "/"; did you mean ${JSON.stringify(meant)}?`,
    );
  }
  const object = readObject(value, ['eq', 'regex', 'len'], place);
  if (object === undefined) return undefined;
  const test = readArgumentTest(object, place);
  const path = pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return test === undefined ? undefined : { kind: 'argument', pointer: path, test };
}

function readArgumentTest(object: JsonObject, place: Place): ArgumentTest | undefined {
  const [eq, regex, len] = ['eq', 'regex', 'len'].map((key) => getOwn(object, key));
  if ([eq, regex, len].filter((each) => each !== undefined).length !== 1)
    return place.problems.add(place.where, 'must have exactly one of eq, regex and len');
  if (eq !== undefined) return { type: 'eq', value: eq };
  if (regex !== undefined) {
    if (typeof regex === 'string' && regex !== '') return { type: 'regex', source: regex };
    return place.problems.add(place.where, `regex must be a text, not ${shown(regex)}`);
  }
  const limits = readObject(len, ['min', 'max'], place);
  if (limits === undefined) return undefined;
  const [min, max] = [getOwn(limits, 'min'), getOwn(limits, 'max')];
  if (min === undefined && max === undefined)
    return place.problems.add(place.where, 'len must have min, max or both');
  const least = min === undefined ? 0 : readCount(min, 0, place);
  const most = max === undefined ? Number.POSITIVE_INFINITY : readCount(max, 0, place);
  return least === undefined || most === undefined ? undefined : { type: 'len', min: least, max: most };
}

function readRate(value: JsonValue, place: Place): PolicyCondition | undefined {
  const object = readObject(value, ['n', 'window'], place);
  if (object === undefined) return undefined;
  const count = readCount(getOwn(object, 'n'), 1, { ...place, where: `${place.where}.n` });
  const windowMs = readWindow(getOwn(object, 'window'), place);
  if (count === undefined || windowMs === undefined) return undefined;
  if (count > MAX_RATE) return place.problems.add(place.where, `n may be ${String(MAX_RATE)} at most`);
  return { kind: 'rate', count, windowMs };
}

const UNITS = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

function readWindow(value: JsonValue | undefined, { where, problems }: Place): number | undefined {
  const [, amount, unit] = typeof value === 'string' ? (/^([1-9]\d{0,5})([smh])$/.exec(value) ?? []) : [];
  const unitMs = UNITS.get(unit ?? '');
  if (amount !== undefined && unitMs !== undefined) return Number(amount) * unitMs;
  return problems.add(where, `window must be a time such as "30s", "5m" or "1h", not ${shown(value)}`);
}

function readSequence(value: JsonValue, place: Place): SequenceCondition | undefined {
  const object = readObject(value, ['after', 'within'], place);
  if (object === undefined) return undefined;
  const within = readCount(getOwn(object, 'within'), 1, { ...place, where: `${place.where}.within` });
  const after = readAfter(getOwn(object, 'after'), { ...place, where: `${place.where}.after` });
  if (within === undefined || after === undefined) return undefined;
  if (within > MAX_WITHIN)
    return place.problems.add(place.where, `within may be ${String(MAX_WITHIN)} at most`);
  return { kind: 'sequence', within, after };
}

function readAfter(value: JsonValue | undefined, place: Place): SequenceCondition['after'] | undefined {
  if (isJsonObject(value)) {
    const object = readObject(value, ['tool', 'when'], place) ?? {};
    const tools = readTexts(getOwn(object, 'tool') ?? '*', place);
    const when = getOwn(object, 'when') ?? {};
    if (!isJsonObject(when)) return place.problems.add(place.where, 'when must be an object of conditions');
    const conditions = Object.entries(when).map(([key, given]) =>
      readCallCondition(key, given, { ...place, where: `${place.where}.when.${key}` }),
    );
    return tools === undefined || !conditions.every((each) => each !== undefined)
      ? undefined
      : { tools, conditions };
  }
  const texts = readTexts(value, place);
  const taints = texts?.map((text): Taint | undefined => readWord(text, TAINTS, undefined, place));
  return taints === undefined || !taints.every((each) => each !== undefined) ? undefined : { taints };
}
