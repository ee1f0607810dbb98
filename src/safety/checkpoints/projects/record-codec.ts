import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../../kernel/json/index.ts';
import type { HoleReason, Oid, PathChange, PathEntry, PathState } from '../model/path-state.ts';
import type { CallOwner, CheckpointRecord, CloseRecord, Footprint, OpenRecord } from '../model/record.ts';
import type { Snapshot } from '../model/snapshot.ts';
import {
  countOf,
  encodeProcess,
  FieldProblem,
  flagOf,
  isProjectPath,
  listOf,
  numberOf,
  objectOf,
  oidOf,
  oneOf,
  processOf,
  projectPathOf,
  textOf,
  textsOf,
} from './json-fields.ts';
import { parseJsonObject } from './read-json-object.ts';
import type { Reservation } from './reservation.ts';

/** Version of the files of a journal. */
const VERSION = 1;

const HOLE_REASONS: readonly HoleReason[] = [
  'ignored',
  'too_large',
  'special',
  'unreadable',
  'budget',
  'unstable',
];

export type JournalFile =
  | { readonly type: 'record'; readonly record: CheckpointRecord; readonly changesBlob?: Oid }
  | { readonly type: 'reservation'; readonly reservation: Reservation };

export type DecodedFile =
  | { readonly ok: true; readonly value: JournalFile }
  | { readonly ok: false; readonly problem: string };

/** Where the changes of a close record are when they are not in its file. Undefined when they are not there. */
export type ReadBlob = (oid: Oid) => Buffer | undefined;

export function encodeRecord(record: CheckpointRecord, changesBlob?: Oid): string {
  const document = record.type === 'open' ? encodeOpen(record) : encodeClose(record, changesBlob);
  return `${JSON.stringify({ version: VERSION, ...document })}\n`;
}

export function encodeReservation({ seq, process, at }: Reservation): string {
  return `${JSON.stringify({ version: VERSION, type: 'opening', seq, process: encodeProcess(process), at })}\n`;
}

/** The content of the blob that holds the changes of a close record. */
export function encodeChanges(changes: readonly PathChange[]): Buffer {
  return Buffer.from(JSON.stringify({ version: VERSION, changes: changes.map(encodeChange) }));
}

/** What a file of the journal says; `seq` is what its name says. Nothing of it is believed unchecked. */
export function decodeJournalFile(value: JsonObject, seq: number, readBlob: ReadBlob): DecodedFile {
  try {
    return { ok: true, value: decode(value, seq, readBlob) };
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    return { ok: false, problem: error.message };
  }
}

function decode(value: JsonObject, seq: number, readBlob: ReadBlob): JournalFile {
  if (getOwn(value, 'version') !== VERSION) throw new FieldProblem(`"version" is not ${String(VERSION)}`);
  const type = oneOf(value, 'type', ['open', 'close', 'opening']);
  // A reservation is written before its number is known.
  if (type === 'opening')
    return {
      type: 'reservation',
      reservation: { seq, process: processOf(value, 'process'), at: numberOf(value, 'at') },
    };
  if (countOf(value, 'seq', 1) !== seq) throw new FieldProblem('"seq" is not the number of the file');
  if (type === 'open') return { type: 'record', record: decodeOpen(value, seq) };
  return decodeClose(value, seq, readBlob);
}

function encodeOpen(record: OpenRecord): JsonObject {
  const { type, seq, id, at, kind, reason, owner, process, named, isPrivate, before, footprint, bytes } =
    record;
  const { tentativeRoot } = record;
  return {
    type,
    seq,
    id,
    at,
    kind,
    reason,
    ...(owner === undefined ? {} : { owner: encodeOwner(owner) }),
    process: encodeProcess(process),
    named: named.map(encodeEntry),
    private: isPrivate,
    ...(before === undefined ? {} : { before: encodeSnapshot(before) }),
    ...(footprint === undefined ? {} : { footprint: encodeFootprint(footprint) }),
    ...(tentativeRoot === undefined ? {} : { tentative_root: tentativeRoot }),
    bytes,
  };
}

function decodeOpen(value: JsonObject, seq: number): OpenRecord {
  const [owner, before, footprint] = [
    optional(value, 'owner'),
    optional(value, 'before'),
    optional(value, 'footprint'),
  ];
  return {
    type: 'open',
    seq,
    id: oidOf(value, 'id'),
    at: numberOf(value, 'at'),
    kind: oneOf(value, 'kind', ['call', 'manual', 'rollback']),
    reason: textOf(value, 'reason'),
    ...(owner === undefined ? {} : { owner: decodeOwner(owner) }),
    process: processOf(value, 'process'),
    named: decodeEntries(value, 'named'),
    isPrivate: decodePaths(value, 'private'),
    ...(before === undefined ? {} : { before: decodeSnapshot(before) }),
    ...(footprint === undefined ? {} : { footprint: decodeFootprint(footprint) }),
    ...(getOwn(value, 'tentative_root') === undefined
      ? {}
      : { tentativeRoot: textOf(value, 'tentative_root') }),
    bytes: countOf(value, 'bytes'),
  };
}

function encodeClose(record: CloseRecord, changesBlob: Oid | undefined): JsonObject {
  const { type, seq, opens, at, named, after, changes, isLate, bytes } = record;
  return {
    type,
    seq,
    opens,
    at,
    named: named.map(encodeEntry),
    ...(after === undefined ? {} : { after: encodeSnapshot(after) }),
    ...(changesBlob === undefined ? { changes: changes.map(encodeChange) } : { changes_blob: changesBlob }),
    is_late: isLate,
    bytes,
  };
}

function decodeClose(value: JsonObject, seq: number, readBlob: ReadBlob): JournalFile {
  const after = optional(value, 'after');
  const changesBlob = getOwn(value, 'changes_blob') === undefined ? undefined : oidOf(value, 'changes_blob');
  const record: CloseRecord = {
    type: 'close',
    seq,
    opens: countOf(value, 'opens', 1),
    at: numberOf(value, 'at'),
    named: decodeEntries(value, 'named'),
    ...(after === undefined ? {} : { after: decodeSnapshot(after) }),
    changes: changesBlob === undefined ? decodeChanges(value) : changesIn(changesBlob, readBlob),
    isLate: flagOf(value, 'is_late'),
    bytes: countOf(value, 'bytes'),
  };
  return changesBlob === undefined ? { type: 'record', record } : { type: 'record', record, changesBlob };
}

function changesIn(oid: Oid, readBlob: ReadBlob): readonly PathChange[] {
  const bytes = readBlob(oid);
  if (bytes === undefined) throw new FieldProblem(`the changes are not in the store (${oid})`);
  const parsed = parseJsonObject(bytes);
  if (parsed.type === 'damaged') throw new FieldProblem(`the changes in ${oid}: ${parsed.problem}`);
  return decodeChanges(parsed.value);
}

function encodeEntry({ path, state }: PathEntry): JsonObject {
  return { path, state: encodeState(state) };
}

function decodeEntries(value: JsonObject, name: string): readonly PathEntry[] {
  return objectsOf(value, name).map((entry) => ({
    path: projectPathOf(entry, 'path'),
    state: decodeState(objectOf(entry, 'state')),
  }));
}

function encodeChange({ path, before, after }: PathChange): JsonObject {
  return { path, before: encodeState(before), after: encodeState(after) };
}

function decodeChanges(value: JsonObject): readonly PathChange[] {
  return objectsOf(value, 'changes').map((change) => ({
    path: projectPathOf(change, 'path'),
    before: decodeState(objectOf(change, 'before')),
    after: decodeState(objectOf(change, 'after')),
  }));
}

function encodeState(state: PathState): JsonObject {
  switch (state.kind) {
    case 'absent':
      return { kind: 'absent' };
    case 'file':
      return { kind: 'file', mode: state.mode, oid: state.oid, size: state.size };
    case 'link':
      return { kind: 'link', oid: state.oid };
    case 'directory':
      return { kind: 'directory', mode: state.mode };
    case 'hole':
      return { kind: 'hole', reason: state.reason };
  }
}

function decodeState(value: JsonObject): PathState {
  const kind = oneOf(value, 'kind', ['absent', 'file', 'link', 'directory', 'hole']);
  switch (kind) {
    case 'absent':
      return { kind };
    case 'file':
      return { kind, mode: modeOf(value), oid: oidOf(value, 'oid'), size: countOf(value, 'size') };
    case 'link':
      return { kind, oid: oidOf(value, 'oid') };
    case 'directory':
      return { kind, mode: modeOf(value) };
    case 'hole':
      return { kind, reason: oneOf(value, 'reason', HOLE_REASONS) };
  }
}

function modeOf(value: JsonObject): number {
  const mode = countOf(value, 'mode');
  if (mode > 0o7777) throw new FieldProblem('"mode" is more than permission bits');
  return mode;
}

function encodeSnapshot({ root, coverage, files, holes }: Snapshot): JsonObject {
  return { root, coverage, files, holes };
}

function decodeSnapshot(value: JsonObject): Snapshot {
  return {
    root: oidOf(value, 'root'),
    coverage: oneOf(value, 'coverage', ['whole', 'tracked']),
    files: countOf(value, 'files'),
    holes: countOf(value, 'holes'),
  };
}

function encodeOwner({ sessionId, rootSessionId, turnId, callId }: CallOwner): JsonObject {
  return { session_id: sessionId, root_session_id: rootSessionId, turn_id: turnId, call_id: callId };
}

function decodeOwner(value: JsonObject): CallOwner {
  return {
    sessionId: textOf(value, 'session_id'),
    rootSessionId: textOf(value, 'root_session_id'),
    turnId: textOf(value, 'turn_id'),
    callId: textOf(value, 'call_id'),
  };
}

function encodeFootprint({ words, isComplete, isDetached, cwd }: Footprint): JsonObject {
  return { words, is_complete: isComplete, is_detached: isDetached, cwd };
}

function decodeFootprint(value: JsonObject): Footprint {
  return {
    words: textsOf(value, 'words'),
    isComplete: flagOf(value, 'is_complete'),
    isDetached: flagOf(value, 'is_detached'),
    cwd: textOf(value, 'cwd'),
  };
}

function decodePaths(value: JsonObject, name: string): readonly string[] {
  const paths = textsOf(value, name);
  if (!paths.every(isProjectPath)) throw new FieldProblem(`"${name}" has a path outside the project`);
  return paths;
}

function objectsOf(value: JsonObject, name: string): readonly JsonObject[] {
  const isObjects = (items: readonly JsonValue[]): items is readonly JsonObject[] =>
    items.every(isJsonObject);
  const items = listOf(value, name);
  if (!isObjects(items)) throw new FieldProblem(`"${name}" is not a list of objects`);
  return items;
}

function optional(value: JsonObject, name: string): JsonObject | undefined {
  return getOwn(value, name) === undefined ? undefined : objectOf(value, name);
}
