import {
  getOwn,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../../kernel/json/index.ts';
import type { Hole, HoleReason, Oid } from '../model/path-state.ts';
import type { SnapshotMeta } from '../model/snapshot.ts';
import { CorruptObjectError } from '../objects/corrupt-object-error.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { decodeTree } from '../objects/tree-object.ts';

/** Names of the two entries of the root of a snapshot. */
export const META_NAME = 'meta.json';
export const TREE_NAME = 'tree';

const VERSION = 1;
const REASONS: ReadonlySet<string> = new Set<HoleReason>([
  'ignored',
  'too_large',
  'special',
  'unreadable',
  'budget',
  'unstable',
]);

/**
 * The content of `meta.json`: JSON with names as in {@link SnapshotMeta}, lists of pairs where that has maps. One text for
 * the same data.
 */
export function encodeMeta(meta: SnapshotMeta): Buffer {
  const modes = [...meta.modes].sort(([one], [other]) => compareText(one, other));
  return Buffer.from(
    `${JSON.stringify({
      version: VERSION,
      file_mode: meta.fileMode,
      executable_mode: meta.executableMode,
      directory_mode: meta.directoryMode,
      modes,
      empty_directories: [...meta.emptyDirectories].sort(compareText),
      holes: meta.holes
        .map(({ path, reason }) => [path, reason] as const)
        .sort(([one], [other]) => compareText(one, other)),
      coverage: meta.coverage,
      touched: [...meta.touched].sort(compareText),
      missing: [...meta.missing].sort(compareText),
    })}\n`,
  );
}

/** @throws CorruptObjectError when the text is no such data. */
function decodeMeta(bytes: Uint8Array): SnapshotMeta {
  const parsed = parseJson(Buffer.from(bytes).toString('utf8'));
  if (!parsed.ok) throw malformed(parsed.message);
  const fields = parsed.value;
  if (!isJsonObject(fields) || getOwn(fields, 'version') !== VERSION)
    throw malformed('it is of another version');
  const coverage = getOwn(fields, 'coverage');
  if (coverage !== 'whole' && coverage !== 'tracked') throw malformed('it does not say what was covered');
  return {
    version: VERSION,
    fileMode: modeField(fields, 'file_mode'),
    executableMode: modeField(fields, 'executable_mode'),
    directoryMode: modeField(fields, 'directory_mode'),
    modes: new Map(list(fields, 'modes').map(modeEntry)),
    emptyDirectories: list(fields, 'empty_directories').map(text),
    holes: list(fields, 'holes').map(hole),
    coverage,
    touched: list(fields, 'touched').map(text),
    missing: list(fields, 'missing').map(text),
  };
}

/**
 * What git has no place for in a snapshot. The root is the name of a tree with the entries `tree` and `meta.json`.
 *
 * @throws CorruptObjectError when it is missing, or is something else.
 */
export function readMeta(objects: ObjectStore, root: Oid): SnapshotMeta {
  return readSnapshotRoot(objects, root).meta;
}

export interface SnapshotRoot {
  /** Of the files of the project. */
  readonly tree: Oid;
  readonly meta: SnapshotMeta;
}

export function readSnapshotRoot(objects: ObjectStore, root: Oid): SnapshotRoot {
  const items = decodeTree(readKind(objects, root, 'tree'));
  const tree = items.find(({ name }) => name === TREE_NAME)?.oid;
  const meta = items.find(({ name }) => name === META_NAME)?.oid;
  if (tree === undefined || meta === undefined) throw malformed(`${root} is no snapshot`);
  return { tree, meta: decodeMeta(readKind(objects, meta, 'blob')) };
}

/** The content of an object that must be there. @throws CorruptObjectError when it is not, or is of another kind. */
export function readKind(objects: ObjectStore, oid: Oid, kind: 'blob' | 'tree'): Uint8Array {
  const object = objects.read(oid);
  if (object?.kind !== kind) throw malformed(`the ${kind} ${oid} is missing`);
  return object.bytes;
}

/** By UTF-16 code units: the order of the paths of a snapshot. */
export function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function malformed(reason: string): CorruptObjectError {
  return new CorruptObjectError({ reason });
}

function list(fields: JsonObject, name: string): readonly JsonValue[] {
  const value = getOwn(fields, name);
  if (!isList(value)) throw malformed(`${name} of a snapshot is no list`);
  return value;
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function text(value: JsonValue | undefined): string {
  if (typeof value !== 'string') throw malformed('a path of a snapshot is no text');
  return value;
}

function modeField(fields: JsonObject, name: string): number {
  return mode(getOwn(fields, name));
}

function mode(value: JsonValue | undefined): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 0o7777)
    throw malformed('permission bits of a snapshot are none');
  return value;
}

function modeEntry(value: JsonValue): readonly [string, number] {
  if (!isList(value)) throw malformed('an entry of modes is no pair');
  return [text(value[0]), mode(value[1])];
}

function hole(value: JsonValue): Hole {
  if (!isList(value)) throw malformed('a hole is no pair');
  const reason = text(value[1]);
  if (!isReason(reason)) throw malformed(`${JSON.stringify(reason)} is no reason of a hole`);
  return { path: text(value[0]), reason };
}

function isReason(reason: string): reason is HoleReason {
  return REASONS.has(reason);
}
