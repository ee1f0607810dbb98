import { join } from 'node:path';
import { errnoOf } from '../../../platform/paths/index.ts';
import {
  createRawFile,
  RawReader,
  RawWriter,
  rawContent,
  rawNames,
  rawStat,
  renameRaw,
  syncRawFolder,
  unlinkRaw,
} from '../../../platform/raw-files/index.ts';
import type { Oid } from '../model/path-state.ts';
import { CorruptObjectError } from './corrupt-object-error.ts';
import { canHold, inflate, inflateBeginning, storedSize, writeStored } from './deflate.ts';
import { inFolder } from './in-folder.ts';
import { hashObject, MAX_OBJECT_BYTES, type ObjectKind, objectHeader } from './object-name.ts';
import type { StoredObject } from './stored-object.ts';

/** A file that holds one object. */
export interface LooseObject {
  readonly oid: Oid;
  readonly path: string;
  /** Of the file. */
  readonly bytes: number;
  readonly mtimeMs: number;
}

/** The longest header: a kind, a size, a NUL. */
const MAX_HEADER_BYTES = 32;
/** Enough of a compressed file to see its header. */
const BEGINNING_BYTES = 256;
/** Content up to this is written with one call. */
const MAX_WHOLE_BYTES = 1024 * 1024;

/** The two digits that name a folder of loose objects. */
const FAN_OUT = /^[0-9a-f]{2}$/;
const REST = /^[0-9a-f]{38}$/;

/** Where the file of an object is, or would be. `objects` is the folder of that name in the store. */
function loosePath(objects: string, oid: Oid): string {
  return `${objects}/${oid.slice(0, 2)}/${oid.slice(2)}`;
}

/** The object in a file of its own; undefined when there is none. @throws CorruptObjectError */
export function readLoose(objects: string, oid: Oid): StoredObject | undefined {
  const path = loosePath(objects, oid);
  const file = contentOf(path);
  if (file === undefined) return undefined;
  const damaged = (reason: string): CorruptObjectError => new CorruptObjectError({ oid, path, reason });
  if (file.length === 0) throw damaged('the file is empty');
  const { kind, size, length } = headerOf(file.subarray(0, BEGINNING_BYTES), damaged);
  if (size > MAX_OBJECT_BYTES || !canHold(file.length, size))
    throw damaged(`it claims to hold ${String(size)} bytes`);
  let whole: Buffer;
  try {
    whole = inflate(file, length + size);
  } catch (error) {
    throw damaged(reasonOf(error));
  }
  const bytes = whole.subarray(length);
  if (bytes.length !== size) throw damaged(`it holds ${String(bytes.length)} bytes, not ${String(size)}`);
  if (hashObject(kind, bytes) !== oid) throw damaged('the content has another name');
  return { kind, bytes };
}

/** The bytes in the object that a file of its own holds; undefined when there is none. @throws CorruptObjectError */
export function sizeOfLoose(objects: string, oid: Oid): number | undefined {
  const path = loosePath(objects, oid);
  if (rawStat(path) === undefined) return undefined;
  let beginning: Buffer;
  try {
    const reader = new RawReader(path);
    try {
      beginning = reader.read(0, BEGINNING_BYTES);
    } finally {
      reader.close();
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  return headerOf(beginning, (reason) => new CorruptObjectError({ oid, path, reason })).size;
}

/** Whether a file of its own, that is not empty, has the name of the object. */
export function hasLoose(objects: string, oid: Oid): boolean {
  return (rawStat(loosePath(objects, oid))?.size ?? 0) > 0;
}

/** What {@link writeLoose} writes. */
export interface LooseContent {
  readonly oid: Oid;
  readonly kind: ObjectKind;
  readonly bytes: Uint8Array;
}

export interface LooseWriteOptions {
  /** A name for the temporary file that no other write has. */
  readonly token: string;
  readonly sync: boolean;
}

/** Writes an object into a file of its own, over one that is there. Returns the size of the file. */
export function writeLoose(
  objects: string,
  { oid, kind, bytes }: LooseContent,
  { token, sync }: LooseWriteOptions,
): number {
  const folder = `${objects}/${oid.slice(0, 2)}`;
  const temporary = `${folder}/tmp_obj_${token}`;
  const parts = [objectHeader(kind, bytes.length), bytes];
  const write = (): void => {
    if (bytes.length <= MAX_WHOLE_BYTES) createRawFile(temporary, storedBytes(parts), { mode: 0o600, sync });
    else writeInParts(temporary, parts, sync);
  };
  inFolder(folder, write);
  try {
    renameRaw(temporary, loosePath(objects, oid));
  } catch (error) {
    unlinkRaw(temporary);
    throw error;
  }
  if (sync) syncRawFolder(folder);
  return storedSize(parts);
}

/** Every object in a file of its own. A file that vanishes meanwhile is left out. */
export function* listLoose(objects: string): Generator<LooseObject> {
  for (const folder of fanOutFolders(objects)) {
    for (const name of namesIn(join(objects, folder))) {
      if (!REST.test(name)) continue;
      const path = `${objects}/${folder}/${name}`;
      const stat = rawStat(path);
      if (stat !== undefined) yield { oid: folder + name, path, bytes: stat.size, mtimeMs: stat.mtimeMs };
    }
  }
}

/** The paths of files in the folders of loose objects that are none. */
export function* listLooseLeftovers(objects: string): Generator<string> {
  for (const folder of fanOutFolders(objects)) {
    for (const name of namesIn(join(objects, folder)))
      if (!REST.test(name)) yield join(objects, folder, name);
  }
}

/** The names in a folder; none when it is not there. */
export function namesIn(folder: string): readonly string[] {
  try {
    return rawNames(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return [];
    throw error;
  }
}

function fanOutFolders(objects: string): readonly string[] {
  return namesIn(objects)
    .filter((name) => FAN_OUT.test(name))
    .toSorted();
}

function contentOf(path: string): Buffer | undefined {
  // Asked for first, because an exception for each object that is not there costs more.
  if (rawStat(path) === undefined) return undefined;
  try {
    return rawContent(path)?.bytes;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

interface LooseHeader {
  readonly kind: ObjectKind;
  readonly size: number;
  /** Of the header, its NUL included. */
  readonly length: number;
}

function headerOf(beginning: Buffer, damaged: (reason: string) => CorruptObjectError): LooseHeader {
  let text: string;
  try {
    text = inflateBeginning(beginning).toString('latin1', 0, MAX_HEADER_BYTES);
  } catch (error) {
    throw damaged(reasonOf(error));
  }
  const [whole, kind, size] = /^([a-z]+) (0|[1-9][0-9]*)\0/.exec(text) ?? [];
  if (whole === undefined || !isObjectKind(kind)) throw damaged('it does not begin as an object does');
  return { kind, size: Number(size), length: whole.length };
}

function isObjectKind(text: string | undefined): text is ObjectKind {
  return text === 'blob' || text === 'tree' || text === 'commit';
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function storedBytes(parts: readonly Uint8Array[]): Buffer {
  const buffer = Buffer.allocUnsafe(storedSize(parts));
  let length = 0;
  writeStored(
    {
      write(bytes) {
        buffer.set(bytes, length);
        length += bytes.length;
      },
    },
    parts,
  );
  return buffer;
}

function writeInParts(path: string, parts: readonly Uint8Array[], sync: boolean): void {
  const file = new RawWriter(path, 0o600);
  try {
    writeStored(file, parts);
    if (sync) file.sync();
  } catch (error) {
    unlinkRaw(path);
    throw error;
  } finally {
    file.close();
  }
}
