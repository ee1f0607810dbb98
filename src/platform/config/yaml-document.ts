import {
  type Document,
  type DocumentOptions,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  type SchemaOptions,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { messageOf } from '../../kernel/errors/index.ts';
import { formatKeyPath, type KeyPath } from './key-path.ts';
import { isMergeKey, locateKey, locateValue } from './locate.ts';

/** Where something stands in the text; both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** What is wrong with the text as YAML, whatever it means. */
export interface YamlProblem extends Position {
  readonly message: string;
  readonly remedy: string;
}

/** A readable document: one mapping (or nothing), text keys that occur once, aliases that stay small. */
export interface YamlDocument {
  /** Without a byte-order mark. */
  readonly text: string;
  readonly document: Document;
  /** The plain value; null for an empty document. */
  readonly value: unknown;
  positionOf(path: KeyPath, part: 'key' | 'value'): Position | undefined;
  /** The value as it is written, when it is a plain or quoted scalar. */
  sourceOf(path: KeyPath): string | undefined;
}

export type YamlReading =
  | { readonly ok: true; readonly yaml: YamlDocument }
  | { readonly ok: false; readonly problems: readonly YamlProblem[] };

/** Refused beyond: errors of a broken document repeat themselves. */
const MAX_SYNTAX_PROBLEMS = 3;
const MAX_ALIASES = 100;
const PLAIN_TAGS = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((tag) => `tag:yaml.org,2002:${tag}`),
);

/**
 * YAML 1.1, whatever the document's own directive says: `no` is false and `012` is ten, as Hermes Agent reads it. Dates
 * stay text, because no setting is a date.
 */
export const YAML_OPTIONS: DocumentOptions & SchemaOptions = {
  version: '1.1',
  schema: 'yaml-1.1',
  customTags: (tags) =>
    tags.filter((tag) => typeof tag === 'string' || tag.tag !== 'tag:yaml.org,2002:timestamp'),
};

/**
 * Reads one YAML 1.1 document. Refused, each with its place: everything that is no YAML, more than one document, tags,
 * keys that are no text or occur twice, `__proto__` as a key, unknown aliases, and aliases that multiply (a bomb).
 */
export function readYaml(text: string): YamlReading {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    ...YAML_OPTIONS,
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
    // The check of the package compares every key with every other one.
    uniqueKeys: false,
  });
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const broken = [...syntaxProblems(document, at), ...structureProblems(document, at)];
  if (broken.length > 0) return { ok: false, problems: broken };
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return { ok: true, yaml: createYamlDocument({ text, document, value, at }) };
  } catch (error) {
    return { ok: false, problems: [{ ...at(0), ...expansionProblem(messageOf(error)) }] };
  }
}

function createYamlDocument(parts: {
  readonly text: string;
  readonly document: Document;
  readonly value: unknown;
  readonly at: (offset: number) => Position;
}): YamlDocument {
  const { text, document, value, at } = parts;
  return {
    text,
    document,
    value,
    positionOf: (path, part) => {
      const node = part === 'key' ? locateKey(document, path) : locateValue(document, path);
      const offset = node?.range?.[0];
      return offset === undefined ? undefined : at(offset);
    },
    sourceOf: (path) => {
      const node = locateValue(document, path);
      return isScalar(node) ? node.source : undefined;
    },
  };
}

type Locator = (offset: number) => Position;

function syntaxProblems({ errors }: Document, at: Locator): readonly YamlProblem[] {
  const seen = new Set<number>();
  const problems: YamlProblem[] = [];
  for (const { code, message, pos } of errors) {
    const position = at(pos[0]);
    if (seen.has(position.line) || problems.length >= MAX_SYNTAX_PROBLEMS) continue;
    seen.add(position.line);
    const sentence = message.split('\n', 1).join('');
    problems.push({
      ...position,
      message: `not valid YAML: ${lowerFirst(sentence)}`,
      remedy: syntaxRemedy(code),
    });
  }
  return problems;
}

function syntaxRemedy(code: string): string {
  switch (code) {
    case 'TAB_AS_INDENT':
      return 'indent with spaces';
    case 'MULTIPLE_DOCS':
      return 'keep one document in the file: remove the second ---';
    case 'BLOCK_AS_IMPLICIT_KEY':
      return 'put text that contains ": " in quotes';
    case 'BAD_SCALAR_START':
      return 'put the text in quotes';
    case 'RESOURCE_EXHAUSTION':
      return 'nest less deeply';
    default:
      return 'correct that line: `key: value`, indented with spaces, brackets and quotes closed';
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function structureProblems(document: Document, at: Locator): readonly YamlProblem[] {
  if (document.errors.length > 0) return [];
  const problems: YamlProblem[] = [];
  const add = (node: unknown, message: string, remedy: string): void => {
    const offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
    problems.push({ ...at(offset), message, remedy });
  };
  const { contents } = document;
  if (contents !== null && !isMap(contents) && !(isScalar(contents) && contents.value === null)) {
    add(
      contents,
      'the configuration must be a mapping, not ' + kindOf(contents),
      'write lines of the form `key: value`',
    );
    return problems;
  }
  visit(document, (_, node) => {
    if (isMap(node)) checkKeys(node.items, add);
    if (isAlias(node) && node.resolve(document) === undefined) {
      const remedy = `define it above with &${node.source}, or put the text in quotes`;
      add(node, `*${node.source} refers to nothing`, remedy);
    }
    if (isScalar(node) || isCollection(node)) checkTag(node, add);
  });
  return problems;
}

type Complain = (node: unknown, message: string, remedy: string) => void;

function checkKeys(items: readonly Pair[], complain: Complain): void {
  const seen = new Set<string>();
  for (const { key } of items) {
    if (isMergeKey(key)) continue;
    const name = isScalar(key) ? key.value : undefined;
    if (typeof name !== 'string') {
      const shown = isScalar(key) ? JSON.stringify(key.source ?? '') : 'this key';
      complain(
        key,
        `${shown} is read as ${isScalar(key) ? describeScalar(key.value) : 'a collection'}, and keys must be text`,
        'put the key in quotes',
      );
    } else if (name === '__proto__') {
      complain(key, '__proto__ cannot be a key', 'choose another name');
    } else if (seen.has(name)) {
      complain(key, `the key ${formatKeyPath([name])} occurs twice`, 'keep one of the two');
    } else {
      seen.add(name);
    }
  }
}

function checkTag(node: Scalar | YAMLMap | YAMLSeq, complain: Complain): void {
  const { tag } = node;
  if (tag === undefined || PLAIN_TAGS.has(tag) || isMergeKey(node)) return;
  complain(node, `the tag ${tag.replace('tag:yaml.org,2002:', '!!')} is not supported`, 'remove the tag');
}

function describeScalar(value: unknown): string {
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return `the number ${value}`;
  return value === null ? 'nothing' : 'something else';
}

function kindOf(node: Node): string {
  if (isAlias(node)) return 'a reference';
  return isScalar(node) ? 'a single value' : 'a list';
}

function expansionProblem(reason: string): { readonly message: string; readonly remedy: string } {
  return reason.startsWith('Excessive alias count')
    ? {
        message: 'its aliases multiply without bound',
        remedy: 'write the values out instead of using *aliases',
      }
    : { message: `cannot be read: ${reason}`, remedy: 'write the values out instead of using *aliases' };
}
