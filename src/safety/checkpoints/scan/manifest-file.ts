import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { getOwn, getString, isJsonObject, type JsonObject, parseJson } from '../../../kernel/json/index.ts';
import { errnoOf } from '../../../platform/paths/index.ts';
import { randomBytes } from '../../../platform/random/index.ts';
import {
  createRawFile,
  ensureRawFolder,
  rawContent,
  renameRaw,
  unlinkRaw,
} from '../../../platform/raw-files/index.ts';
import { countUp, emptyRecord, type FolderRecord, KIND, NUMBERS } from './folder-record.ts';
import type { Manifest } from './manifest.ts';

/*
 * A file of one machine, by one version of this program: "HMF2", the checksum of all that follows, the length of the head
 * in bytes; the head, JSON, filled up with spaces to a multiple of 8; then, for all folders in the order they are walked in,
 * the numbers of all entries (doubles), the counts and text lengths of all folders, the kinds, the marks, the object
 * names (20 bytes each, of files, links and trees), and the names of each folder, separated by NUL.
 */
const MAGIC = 'HMF2';
const FIXED = 16;
const OID_BYTES = 20;
const NO_TREE = '0'.repeat(2 * OID_BYTES);
/** What there is for a folder: entries, bytes of names, 1 when these are UTF-16. */
const COUNTS = 3;

/** Writes a manifest in place of the last one. Throws what the system does. */
export function saveManifest(folder: string, h16: string, manifest: Manifest): void {
  const chunks = encodeManifest(manifest);
  const temporary = join(folder, `tmp_${Buffer.from(randomBytes(8)).toString('hex')}`);
  ensureRawFolder(folder);
  createRawFile(temporary, chunks, { mode: 0o600 });
  try {
    renameRaw(temporary, join(folder, `${h16}.bin`));
  } catch (error) {
    unlinkRaw(temporary);
    throw error;
  }
}

/** Undefined when there is none that can be used: of another version, of another machine, damaged. */
export function loadManifest(folder: string, h16: string): Manifest | undefined {
  let bytes: Buffer | undefined;
  try {
    bytes = rawContent(join(folder, `${h16}.bin`))?.bytes;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
  return bytes === undefined ? undefined : decodeManifest(bytes);
}

function encodeManifest(manifest: Manifest): readonly Uint8Array[] {
  const folders = foldersOf(manifest.root);
  const entries = folders.reduce((sum, { names }) => sum + names.length, 0);
  const numbers = new Float64Array(entries * NUMBERS);
  const counts = new Uint32Array(folders.length * COUNTS);
  const flags = Buffer.alloc(entries * 2);
  const texts: Buffer[] = [];
  const oids: string[] = [];
  const stamps: [number, string, string][] = [];
  let at = 0;
  folders.forEach((record, index) => {
    const joined = record.names.join('\0');
    const text = Buffer.from(joined, joined.isWellFormed() ? 'utf8' : 'utf16le');
    counts.set([record.names.length, text.length, joined.isWellFormed() ? 0 : 1], index * COUNTS);
    numbers.set(record.numbers, at * NUMBERS);
    flags.set(record.kinds, at);
    flags.set(record.marks, entries + at);
    texts.push(text);
    oids.push(record.tree === '' ? NO_TREE : record.tree);
    for (const oid of record.oids) if (oid !== '') oids.push(oid);
    if (record.isRepository) stamps.push([index, record.excludeStamp, record.indexStamp]);
    at += record.names.length;
  });
  const { root: _root, ...facts } = manifest;
  const head = Buffer.from(
    JSON.stringify({ ...facts, folders: folders.length, entries, oids: oids.length, stamps }),
  );
  const padded = Buffer.concat([head, Buffer.alloc((8 - (head.length % 8)) % 8, ' ')]);
  const body = [
    padded,
    new Uint8Array(numbers.buffer),
    new Uint8Array(counts.buffer),
    flags,
    Buffer.from(oids.join(''), 'hex'),
    Buffer.concat(texts),
  ];
  const fixed = Buffer.alloc(FIXED);
  fixed.write(MAGIC, 'latin1');
  fixed.writeUInt32LE(padded.length, 8);
  fixed.writeUInt32LE(
    body.reduce((sum, chunk) => crc32(chunk, sum), 0),
    4,
  );
  return [fixed, ...body];
}

/** Every folder, outer ones first. */
function foldersOf(root: FolderRecord): readonly FolderRecord[] {
  const folders = [root];
  for (let next = 0; next < folders.length; next += 1)
    for (const inner of folders[next]?.folders ?? []) if (inner !== undefined) folders.push(inner);
  return folders;
}

function decodeManifest(bytes: Buffer): Manifest | undefined {
  if (bytes.length < FIXED || bytes.toString('latin1', 0, 4) !== MAGIC) return undefined;
  if (crc32(bytes.subarray(FIXED)) !== bytes.readUInt32LE(4)) return undefined;
  const headEnd = FIXED + bytes.readUInt32LE(8);
  const parsed = parseJson(bytes.toString('utf8', FIXED, headEnd));
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const facts = factsOf(parsed.value);
  if (facts === undefined) return undefined;
  const root = new RecordReader(bytes, headEnd, facts).read();
  return { ...facts.manifest, root };
}

interface Facts {
  readonly manifest: Omit<Manifest, 'root'>;
  readonly folders: number;
  readonly entries: number;
  readonly oids: number;
  readonly stamps: ReadonlyMap<number, readonly [string, string]>;
}

/** The checksum is right, so it is as it was written; this is about versions, and about types. */
function factsOf(head: JsonObject): Facts | undefined {
  const number = (name: string): number => Number(getOwn(head, name));
  const texts = (name: string): readonly string[] => {
    const value = getOwn(head, name);
    return Array.isArray(value) ? value.map(String) : [];
  };
  const snapshot = getOwn(head, 'snapshot');
  const coverage = getString(head, 'coverage');
  if (!isJsonObject(snapshot) || (coverage !== 'whole' && coverage !== 'tracked')) return undefined;
  const stamps = getOwn(head, 'stamps');
  const rows = Array.isArray(stamps)
    ? stamps.map((row: unknown): readonly unknown[] => (Array.isArray(row) ? row : []))
    : [];
  return {
    manifest: {
      path: getString(head, 'path') ?? '',
      snapshot: {
        root: getString(snapshot, 'root') ?? '',
        coverage,
        files: Number(getOwn(snapshot, 'files')),
        holes: Number(getOwn(snapshot, 'holes')),
      },
      metaOid: getString(head, 'metaOid') ?? '',
      rootNumbers: texts('rootNumbers').map(Number),
      isRootRacy: getOwn(head, 'isRootRacy') !== false,
      outerRulesStamp: getString(head, 'outerRulesStamp') ?? '',
      outerIndexStamp: getString(head, 'outerIndexStamp') ?? '',
      maxFileBytes: number('maxFileBytes'),
      skip: texts('skip'),
      coverage,
    },
    folders: number('folders'),
    entries: number('entries'),
    oids: number('oids'),
    stamps: new Map(rows.map(([index, exclude, own]) => [Number(index), [String(exclude), String(own)]])),
  };
}

class RecordReader {
  readonly #facts: Facts;
  readonly #numbers: Float64Array;
  readonly #counts: Uint32Array;
  readonly #flags: Uint8Array;
  readonly #oids: string;
  readonly #texts: Buffer;

  constructor(bytes: Buffer, start: number, facts: Facts) {
    // A copy, because the arrays below need an aligned beginning.
    const body = new Uint8Array(bytes.subarray(start)).buffer;
    const { folders, entries, oids } = facts;
    const countsAt = entries * NUMBERS * Float64Array.BYTES_PER_ELEMENT;
    const flagsAt = countsAt + folders * COUNTS * Uint32Array.BYTES_PER_ELEMENT;
    const oidsAt = flagsAt + entries * 2;
    const textsAt = oidsAt + oids * OID_BYTES;
    this.#facts = facts;
    this.#numbers = new Float64Array(body, 0, entries * NUMBERS);
    this.#counts = new Uint32Array(body, countsAt, folders * COUNTS);
    this.#flags = new Uint8Array(body, flagsAt, entries * 2);
    this.#oids = Buffer.from(body, oidsAt, oids * OID_BYTES).toString('hex');
    this.#texts = Buffer.from(body, textsAt);
  }

  read(): FolderRecord {
    const records = this.#readRecords();
    let next = 1;
    for (const record of records) {
      record.kinds.forEach((kind, at) => {
        if (kind !== KIND.folder) return;
        record.folders[at] = records[next];
        next += 1;
      });
    }
    for (const record of records.toReversed()) countUp(record);
    return records[0] ?? emptyRecord([]);
  }

  #readRecords(): readonly FolderRecord[] {
    const { folders, entries, stamps } = this.#facts;
    const records: FolderRecord[] = [];
    let at = 0;
    let textAt = 0;
    let oidAt = 0;
    const nextOid = (): string => {
      oidAt += 2 * OID_BYTES;
      return this.#oids.slice(oidAt - 2 * OID_BYTES, oidAt);
    };
    for (let index = 0; index < folders; index += 1) {
      const [count = 0, length = 0, isWide] = this.#counts.subarray(index * COUNTS, (index + 1) * COUNTS);
      const text = this.#texts.toString(isWide === 1 ? 'utf16le' : 'utf8', textAt, textAt + length);
      const names = count === 0 ? [] : text.split('\0');
      const tree = nextOid();
      const kinds = this.#flags.subarray(at, at + count);
      const [excludeStamp, indexStamp] = stamps.get(index) ?? ['', ''];
      const oids = Array.from<string>({ length: count });
      for (let entry = 0; entry < count; entry += 1)
        oids[entry] = kinds[entry] === KIND.file || kinds[entry] === KIND.link ? nextOid() : '';
      records.push({
        names,
        numbers: this.#numbers.subarray(at * NUMBERS, (at + count) * NUMBERS),
        kinds,
        marks: this.#flags.subarray(entries + at, entries + at + count),
        oids,
        folders: Array.from<FolderRecord | undefined>({ length: count }).fill(undefined),
        tree: tree === NO_TREE ? '' : tree,
        files: 0,
        holes: 0,
        modes: new Map(),
        excludeStamp,
        indexStamp,
        rules: undefined,
        ignoreAt: names.indexOf('.gitignore'),
        isRepository: names.includes('.git'),
        paths: undefined,
      });
      at += count;
      textAt += length;
    }
    return records;
  }
}
