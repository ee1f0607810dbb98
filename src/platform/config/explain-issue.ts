import type { z } from 'zod';
import { suggest } from '../../kernel/errors/index.ts';
import { getOwn, getString, isJsonObject, type JsonValue } from '../../kernel/json/index.ts';
import { formatKeyPath, type KeyPath } from './key-path.ts';
import { expectedPhrase } from './schema/expected-phrase.ts';
import { branchesOf, expectsText, knownKeys, type SchemaNode, schemaAt } from './schema/schema-tree.ts';
import { isSecret } from './stored-secrets.ts';
import { valueAt } from './value-at.ts';

/** A problem with a value, not yet with its place in the file. */
export interface Complaint {
  /** In our names. */
  readonly path: KeyPath;
  /** Which part of the line it is about. */
  readonly part: 'key' | 'value';
  readonly message: string;
  readonly remedy: string;
}

type Issue = z.core.$ZodIssue;

/** What an issue is explained from. */
export interface Explained {
  /** The configuration under our names. */
  readonly value: unknown;
  /** The name a person reads for a path: as it is written in the file. */
  nameOf(path: KeyPath): string;
  /** How a scalar is written in the file. */
  sourceOf(path: KeyPath): string | undefined;
}

/** Words for what zod found: what stands there, what was expected, what to do. */
export function explainIssue(issue: Issue, explained: Explained): readonly Complaint[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey([...path, key], explained));
    case 'invalid_union':
      return explainUnion(issue, path, explained);
    case 'invalid_key':
      return [badName(path, explained)];
    case 'custom':
      return [
        {
          path,
          part: 'key',
          message: `${explained.nameOf(path)} ${issue.message}`,
          remedy: 'correct the entry, or remove it',
        },
      ];
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_type':
    case 'invalid_value':
    case 'not_multiple_of':
    case 'too_big':
    case 'too_small':
      return [
        valueAt(path, explained.value) === undefined ? missing(path, explained) : wrongValue(path, explained),
      ];
  }
}

/** Only the alternative that has the shape of the value is worth explaining. */
function explainUnion(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  path: KeyPath,
  explained: Explained,
): readonly Complaint[] {
  const near = issue.errors.find((inner) =>
    inner.every((each) => each.path.length > 0 || each.code !== 'invalid_type'),
  );
  if (
    near === undefined ||
    near.every(({ path: inner }) => inner.length === 0 && typeof valueAt(path, explained.value) === 'string')
  ) {
    return [wrongValue(path, explained)];
  }
  return near.flatMap((inner) => explainIssue({ ...inner, path: [...path, ...inner.path] }, explained));
}

/** Keys that people bring along, and what to write instead. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['model.api_key', 'keep the key in the environment and name its variable: `api_key_env: OPENAI_API_KEY`'],
  ['model.provider', 'write the provider before the model: `name: openai:gpt-5`'],
  ['compression.protect_last_n', 'write `keep_last_turns`, which counts turns and not messages'],
  [
    'approvals.mode',
    'remove it: calls are always decided by the gate; `herma chat --yolo` answers every question with yes',
  ],
]);

function unknownKey(path: KeyPath, explained: Explained): Complaint {
  const parent = path.slice(0, -1);
  const key = String(path.at(-1) ?? '');
  const known = knownKeys(schemaAt(parent) ?? {});
  const near = suggest(key, known);
  const remedy =
    ADVICE.get(formatKeyPath(path)) ??
    (near === undefined ? `remove it, or write one of: ${known.join(', ')}` : `did you mean ${near}?`);
  return { path, part: 'key', message: `${explained.nameOf(path)} is not a setting`, remedy };
}

function badName(path: KeyPath, explained: Explained): Complaint {
  const node = schemaAt(path.slice(0, -1));
  const names = branchesOf(node ?? {})
    .map((branch) => getOwn(branch, 'propertyNames'))
    .find(isJsonObject);
  const expected = names === undefined ? 'another name' : expectedPhrase(names);
  return {
    path,
    part: 'key',
    message: `${explained.nameOf(path)} cannot have the name ${JSON.stringify(String(path.at(-1)))}: expected ${expected}`,
    remedy: 'choose another name',
  };
}

function missing(path: KeyPath, explained: Explained): Complaint {
  const parent = path.slice(0, -1);
  const key = String(path.at(-1) ?? '');
  const expected = expectedPhrase(schemaAt(path) ?? {});
  return {
    path: parent,
    part: 'key',
    message: `${explained.nameOf(parent)} lacks ${key}`,
    remedy: `add \`${key}:\` with ${expected}`,
  };
}

function wrongValue(path: KeyPath, explained: Explained): Complaint {
  const node = schemaAt(path) ?? {};
  const value = valueAt(path, explained.value);
  const source = explained.sourceOf(path);
  return {
    path,
    part: 'value',
    message: `${explained.nameOf(path)} is ${foundPhrase(path, value, source)}, expected ${expectedPhrase(node)}`,
    remedy: remedyFor(path, { node, value, source }),
  };
}

function nameIn(path: KeyPath): string {
  return path.findLast((step) => typeof step === 'string') ?? '';
}

const MAX_SHOWN = 60;

function foundPhrase(path: KeyPath, value: unknown, source: string | undefined): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    return 'a mapping';
  if (typeof value === 'string') {
    if (isSecret(nameIn(path), value)) return 'a secret (not shown)';
    return `${JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value)} (text)`;
  }
  const shown = String(value);
  const isRead = source !== undefined && source !== shown;
  return isRead
    ? `${source}, which YAML reads as ${shown}`
    : `${shown} (${typeof value === 'boolean' ? 'true or false' : 'a number'})`;
}

interface Found {
  readonly node: SchemaNode;
  readonly value: unknown;
  readonly source: string | undefined;
}

function remedyFor(path: KeyPath, { node, value, source }: Found): string {
  const key = nameIn(path);
  const type = getString(node, 'type');
  const isFreeText = expectsText(node) && getString(node, 'format') === undefined;
  if (isFreeText && (typeof value === 'number' || typeof value === 'boolean')) {
    return `put it in quotes: "${source ?? String(value)}"`;
  }
  if (type === 'array' && (typeof value === 'string' || typeof value === 'number')) {
    return `write a list: \`${key}: [${JSON.stringify(value)}]\``;
  }
  if ((type === 'integer' || type === 'number') && isNumeric(value))
    return `write it without quotes: \`${key}: ${value}\``;
  if (type === 'boolean') return `write \`${key}: true\` or \`${key}: false\``;
  if (path.some((step) => step === 'api_key_env') && typeof value === 'string') {
    return 'put the key into an environment variable and write the name of that variable here';
  }
  return `correct it${defaultHint(node)}`;
}

function isNumeric(value: unknown): value is string {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value);
}

function defaultHint(node: SchemaNode): string {
  const byDefault: JsonValue | undefined = getOwn(node, 'default');
  const isShown = typeof byDefault === 'number' || typeof byDefault === 'string';
  return isShown ? `, or remove the line: the default is ${byDefault}` : ', or remove the line';
}
