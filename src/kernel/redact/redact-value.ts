import { isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts';
import { findArgvPasswords } from './command-passwords.ts';
import { afterScheme } from './header-value.ts';
import { isMasked, maskMarkers, withoutMarkers } from './marker.ts';
import { isFlag, looksGenerated } from './named-value.ts';
import { type RedactionRules, redactText } from './redact-text.ts';
import { readSecretName, type SecretName } from './secret-name.ts';
import type { Span } from './span.ts';
import { isStandIn } from './stand-in.ts';

/** A container that is still to be filled, and the name its contents stand under. */
interface Open {
  readonly source: readonly JsonValue[] | JsonObject;
  readonly target: JsonValue[] | Record<string, JsonValue>;
  readonly meaning: SecretName | undefined;
}

/**
 * A copy of a JSON value without secrets: strings are redacted by what they hold and by the names they stand under, at any
 * depth. Objects keep their keys in order (a key that is a secret becomes its marker), arrays their length. Depth is not
 * limited by the stack.
 */
export function redactValue(value: JsonValue, rules: RedactionRules): JsonValue {
  const open: Open[] = [];
  const redacted = copy(value, undefined, { rules, open });
  for (let next = open.pop(); next !== undefined; next = open.pop()) fill(next, { rules, open });
  return redacted;
}

interface Work {
  readonly rules: RedactionRules;
  readonly open: Open[];
}

function copy(value: JsonValue, meaning: SecretName | undefined, { rules, open }: Work): JsonValue {
  if (typeof value === 'string') {
    return meaning === undefined ? redactText(value, rules).text : redactNamed(value, meaning, rules);
  }
  if (typeof value === 'number') return redactNumber(value, meaning, rules);
  if (typeof value !== 'object' || value === null) return value;
  const inherited = meaning?.certainty === 'sure' && !describes(value) ? meaning : undefined;
  const target = isJsonObject(value) ? {} : [];
  open.push({ source: value, target, meaning: inherited });
  return target;
}

function redactNamed(value: string, meaning: SecretName, rules: RedactionRules): string {
  const { start } = afterScheme(value, 0);
  const secret = value.slice(start);
  const masked = maskMarkers(secret);
  const isHarmless =
    isMasked(masked, 0, masked.length) ||
    isStandIn(secret) ||
    (meaning.certainty === 'look' && !looksGenerated(secret)) ||
    (meaning.certainty === 'data' && /^(?:[/~]|[A-Za-z]:\\)/.test(secret));
  return isHarmless
    ? redactText(value, rules).text
    : value.slice(0, start) + rules.mark(meaning.kind, secret);
}

/** A number is a count or a time, except under the name of a password. */
function redactNumber(value: number, meaning: SecretName | undefined, { mark }: RedactionRules): JsonValue {
  if (meaning?.kind !== 'password' || !Number.isInteger(value) || Math.abs(value) < 1000) return value;
  return mark('password', String(value));
}

const SCHEMA_TYPES = new Set(['string', 'object', 'array', 'number', 'integer', 'boolean', 'null']);

/** JSON Schema, and the entry of a package in a lock file: the name is that of a field or a package, not of a secret. */
function describes(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const type = ownString(value, 'type');
  if (type !== undefined && SCHEMA_TYPES.has(type)) return true;
  return ['version', 'resolved', 'specifier', '$ref'].some((key) => ownString(value, key) !== undefined);
}

function ownString(object: JsonObject, key: string): string | undefined {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function fill({ source, target, meaning }: Open, work: Work): void {
  if (Array.isArray(target)) {
    if (!isJsonObject(source)) fillArray({ source, target, meaning }, work);
  } else if (isJsonObject(source)) {
    fillObject({ source, target, meaning }, work);
  }
}

interface OpenArray {
  readonly source: readonly JsonValue[];
  readonly target: JsonValue[];
  readonly meaning: SecretName | undefined;
}

function fillArray({ source, target, meaning }: OpenArray, work: Work): void {
  const passwords = findArgvPasswords(
    source.map((item) => (typeof item === 'string' ? maskMarkers(item) : '')),
  );
  for (const [index, item] of source.entries()) {
    const span = passwords.get(index);
    const own = meaning ?? namedByPrevious(source, index);
    target.push(
      typeof item === 'string' && span !== undefined && own === undefined
        ? redactSpan(item, span, work.rules)
        : copy(item, own, work),
    );
  }
}

function redactSpan(word: string, { start, end, kind }: Span, { mark }: RedactionRules): string {
  return word.slice(0, start) + mark(kind, word.slice(start, end)) + word.slice(end);
}

/** `["--token", "abc"]`, `["X-Api-Key", "abc123"]`: an element that names the next one. */
function namedByPrevious(source: readonly JsonValue[], index: number): SecretName | undefined {
  const name = source[index - 1];
  const value = source[index];
  if (typeof name !== 'string' || typeof value !== 'string' || name.length > 128) return undefined;
  const flag = /^--?([A-Za-z][\w.-]{1,120})$/.exec(name);
  if (flag !== null) return isFlag(withoutMarkers(value)) ? undefined : readSecretName(flag[1] ?? '');
  const isHeader = /^(?:[A-Za-z]{1,30}(?:-[A-Za-z]{1,30}){1,8}|authorization|cookie)$/i.test(name);
  return (isHeader || source.length === 2) && !/^[A-Za-z_-]{0,64}$/.test(value)
    ? readSecretName(name)
    : undefined;
}

interface OpenObject {
  readonly source: JsonObject;
  readonly target: Record<string, JsonValue>;
  readonly meaning: SecretName | undefined;
}

function fillObject({ source, target, meaning }: OpenObject, work: Work): void {
  const named = namedValueMeaning(source);
  const repeats = new Map<string, number>();
  for (const [key, item] of Object.entries(source)) {
    const own = readSecretName(key) ?? meaning ?? (VALUE_KEYS.has(key) ? named : undefined);
    const name = freeKey(target, redactKey(key, work.rules), repeats);
    const value = copy(item, own, work);
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  }
}

/** Most keys are words; only a longer one, or one with a digit or sign in it, can hold a secret of a known shape. */
function redactKey(key: string, rules: RedactionRules): string {
  const isWord = /^[A-Za-z_]{1,24}$/.test(key) && !rules.literals.some((literal) => key.includes(literal));
  return isWord ? key : redactText(key, rules).text;
}

/** Two keys may have the same marker; the second is numbered. */
function freeKey(
  target: Readonly<Record<string, JsonValue>>,
  key: string,
  repeats: Map<string, number>,
): string {
  let name = key;
  while (Object.hasOwn(target, name)) {
    const count = (repeats.get(key) ?? 1) + 1;
    repeats.set(key, count);
    name = `${key} (${count})`;
  }
  return name;
}

const NAME_KEYS = ['name', 'key', 'header', 'param', 'field', 'variable', 'id'] as const;
const VALUE_KEYS = new Set(['value', 'val', 'stringValue']);

/** `{"name": "API_KEY", "value": …}`, as environments and headers are written in many formats. */
function namedValueMeaning(source: JsonObject): SecretName | undefined {
  for (const key of NAME_KEYS) {
    const name = ownString(source, key);
    const meaning = name === undefined || name.length > 128 ? undefined : readSecretName(name);
    if (meaning !== undefined) return meaning;
  }
  return undefined;
}
