import { Document, isAlias, isCollection, isMap, isNode, isScalar, type Pair, type YAMLMap } from 'yaml';
import { fail, type Result } from '../../kernel/errors/index.ts';
import { canonicalJson, isJsonObject, toJsonValue } from '../../kernel/json/index.ts';
import { formatKeyPath, type KeyPath } from './key-path.ts';
import { readYaml, YAML_OPTIONS, type YamlDocument } from './yaml-document.ts';

const INDENT = 2;

/** A change to make: `value` (plain JSON) at `path`. */
interface Edit {
  readonly yaml: YamlDocument;
  readonly path: KeyPath;
  readonly value: unknown;
}

/**
 * The text with `value` at `path`. As little of it changes as possible: the characters of the old value, or lines added
 * at the end of the mapping; comments and the order of keys always stay. Only where neither works (a key inside `{…}`)
 * is the document written anew, which may change its spacing. Whatever was done is read again and compared with what
 * was meant.
 */
export function editYaml(edit: Edit): Result<string, 'not_editable'> {
  const alias = aliasOnTheWay(edit);
  if (alias !== undefined) {
    const name = formatKeyPath(alias);
    return fail(
      'not_editable',
      `${name} is a reference (*) to a value elsewhere in the file`,
      'edit the file by hand',
    );
  }
  const meant = canonicalJson(toJsonValue(withValueAt(edit.yaml.value, edit.path, edit.value)));
  for (const attempt of [replaceInPlace, insertLines, writeAnew]) {
    const text = attempt(edit);
    if (text !== undefined && meaningOf(text) === meant) return { ok: true, value: text };
  }
  return fail(
    'not_editable',
    `${formatKeyPath(edit.path)} cannot be set in this file`,
    'edit the file by hand',
  );
}

function meaningOf(text: string): string | undefined {
  const reading = readYaml(text);
  return reading.ok ? canonicalJson(toJsonValue(reading.yaml.value)) : undefined;
}

/** The shortest part of the path whose value is an alias; changing it would change the value elsewhere too. */
function aliasOnTheWay({ yaml, path }: Edit): KeyPath | undefined {
  for (let length = 1; length <= path.length; length += 1) {
    if (isAlias(yaml.document.getIn(path.slice(0, length), true))) return path.slice(0, length);
  }
  return undefined;
}

function withValueAt(current: unknown, [step, ...rest]: KeyPath, value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const items: readonly unknown[] = Array.isArray(current) ? current : [];
    return Array.from({ length: Math.max(items.length, step + 1) }, (_, index) =>
      index === step ? withValueAt(items[index], rest, value) : items[index],
    );
  }
  const members = new Map(isJsonObject(current) ? Object.entries(current) : []);
  members.set(step, toJsonValue(withValueAt(members.get(step), rest, value)));
  return Object.fromEntries(members);
}

function replaceInPlace({ yaml, path, value }: Edit): string | undefined {
  const node = yaml.document.getIn(path, true);
  if (!isNode(node) || !node.range || node.anchor !== undefined || node.tag?.startsWith('!') === true)
    return undefined;
  const [start, end] = node.range;
  if (isCollection(node) && node.flow !== true) return replaceBlock(yaml, path, value);
  const space = yaml.text[start - 1] === ':' ? ' ' : '';
  return yaml.text.slice(0, start) + space + render(value) + yaml.text.slice(end);
}

/** The lines of a block below its key, replaced by a value beside the key. A comment beside the key stays there. */
function replaceBlock({ text, document }: YamlDocument, path: KeyPath, value: unknown): string | undefined {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent) ? findPair(parent, path.at(-1)) : undefined;
  const keyEnd = isNode(pair?.key) ? pair.key.range?.[1] : undefined;
  const range = isNode(pair?.value) ? pair.value.range : undefined;
  if (keyEnd === undefined || !range) return undefined;
  const [start, end] = range;
  const comment = /^[ \t]*:([ \t]*#[^\r\n]*)?\s*$/.exec(text.slice(keyEnd, start));
  if (comment === null) return undefined;
  const length = text.slice(start, end).trimEnd().length;
  return `${text.slice(0, keyEnd)}: ${render(value)}${comment[1] ?? ''}${text.slice(start + length)}`;
}

function insertLines({ yaml, path, value }: Edit): string | undefined {
  const { contents } = yaml.document;
  let map = isMap(contents) ? contents : undefined;
  let depth = 0;
  for (; map !== undefined && depth < path.length; depth += 1) {
    const pair = findPair(map, path[depth]);
    if (pair === undefined) return addTo(yaml.text, map, nested(path.slice(depth), value));
    if (isEmpty(pair.value)) return addBelow(yaml.text, pair, nested(path.slice(depth + 1), value));
    map = isMap(pair.value) ? pair.value : undefined;
  }
  const isBlank = contents === null || isEmpty(contents);
  return isBlank ? appendLines(yaml.text, yaml.text.length, nested(path, value)) : undefined;
}

/** The lines of a value under the keys of `path`; undefined where the path leads into a list. */
function nested(path: KeyPath, value: unknown): readonly string[] | undefined {
  if (path.length === 0 || path.some((step) => typeof step === 'number')) return undefined;
  return path.map((step, depth) => {
    const key = `${' '.repeat(INDENT * depth)}${render(String(step))}:`;
    return depth === path.length - 1 ? `${key} ${render(value)}` : key;
  });
}

function addTo(text: string, map: YAMLMap, lines: readonly string[] | undefined): string | undefined {
  const first = map.items[0]?.key;
  const last = map.items.at(-1);
  const end = isNode(last?.value)
    ? last.value.range?.[1]
    : isNode(last?.key)
      ? last.key.range?.[1]
      : undefined;
  if (map.flow === true || !isNode(first) || !first.range || end === undefined) return undefined;
  return appendLines(text, end, indent(lines, columnOf(text, first.range[0])));
}

function addBelow(text: string, pair: Pair, lines: readonly string[] | undefined): string | undefined {
  if (!isNode(pair.key) || !pair.key.range) return undefined;
  const [start, end] = pair.key.range;
  return appendLines(text, end, indent(lines, columnOf(text, start) + INDENT));
}

function indent(lines: readonly string[] | undefined, columns: number): readonly string[] | undefined {
  return lines?.map((line) => ' '.repeat(columns) + line);
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

/** Puts lines below the line that holds the last visible character before `offset`. */
function appendLines(text: string, offset: number, lines: readonly string[] | undefined): string | undefined {
  if (lines === undefined) return undefined;
  const visible = text.slice(0, offset).trimEnd().length;
  const lineEnd = text.indexOf('\n', visible);
  const newline = lineBreakOf(text);
  const block = lines.map((line) => line + newline).join('');
  if (lineEnd < 0) return text + (text === '' || text.endsWith('\n') ? '' : newline) + block;
  return text.slice(0, lineEnd + 1) + block + text.slice(lineEnd + 1);
}

function writeAnew({ yaml, path, value }: Edit): string | undefined {
  const document = yaml.document.clone();
  const depth = path.findIndex((_, index) => isEmpty(document.getIn(path.slice(0, index + 1), true) ?? null));
  const known = depth < 0 ? path : path.slice(0, depth + 1);
  const parent = known.length === 1 ? document.contents : document.getIn(known.slice(0, -1), true);
  if (!isCollection(parent)) return undefined;
  document.setIn(known, document.createNode(withValueAt(undefined, path.slice(known.length), value)));
  const text = document.toString({ lineWidth: 0 });
  return lineBreakOf(yaml.text) === '\n' ? text : text.replaceAll('\n', '\r\n');
}

function lineBreakOf(text: string): string {
  return /\r\n/.test(text) ? '\r\n' : '\n';
}

/** The value on one line, quoted where YAML 1.1 would read it as something else. */
function render(value: unknown): string {
  if (JSON.stringify(value).includes('\\n')) return JSON.stringify(value);
  const options = {
    collectionStyle: 'flow',
    flowCollectionPadding: false,
    blockQuote: false,
    lineWidth: 0,
  } as const;
  return new Document(value, YAML_OPTIONS).toString(options).trimEnd();
}

function findPair(map: YAMLMap, name: unknown): Pair | undefined {
  return map.items.find(({ key }) => isScalar(key) && key.value === name);
}

function isEmpty(node: unknown): boolean {
  return node === null || (isScalar(node) && node.value === null && (node.source ?? '') === '');
}
