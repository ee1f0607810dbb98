import { decodeFileName, fileSystemPath } from '../../../platform/paths/index.ts';

const HEADER = 12;
const EXTENDED = 0x4000;
const NAME_LENGTH = 0x0fff;
/** Length of the fixed part of an entry without the object name: ten numbers of 32 bits, then 16 bits of flags. */
const NUMBERS_LENGTH = 40;
const GITLINK = 0o160_000;
const TYPE_BITS = 0o170_000;

/** The paths that git tracks in one repository. Order is that of their bytes. */
export class GitIndex {
  readonly #names: readonly Buffer[];

  private constructor(names: readonly Buffer[]) {
    this.#names = names;
  }

  /**
   * Reads the file `index` of a repository, versions 2 to 4, of SHA-1 and SHA-256 repositories; undefined when it is none,
   * or damaged. See gitformat-index(5).
   *
   * @param shared the content of `sharedindex.<oid>`, which a split index refers to. Paths that the split index takes
   * away count as tracked then: that captures more, never less.
   */
  static parse(
    bytes: Buffer,
    shared: (oid: string) => Buffer | undefined = () => undefined,
  ): GitIndex | undefined {
    const own = readEntries(bytes, 20) ?? readEntries(bytes, 32);
    if (own === undefined) return undefined;
    const base = own.link === undefined ? undefined : shared(own.link);
    const more = base === undefined ? [] : (readEntries(base, own.hashLength)?.names ?? []);
    const names = [...own.names.filter(({ length }) => length > 0), ...more];
    if (more.length > 0) names.sort((one, other) => one.compare(other));
    return new GitIndex(names);
  }

  /** Whether git tracks the file (relative to the top of the repository). */
  has(path: string): boolean {
    const wanted = bytesOf(path);
    return this.#names[this.#firstFrom(wanted)]?.equals(wanted) === true;
  }

  /** Whether git tracks anything below the folder. */
  hasBelow(folder: string): boolean {
    const prefix = bytesOf(`${folder}/`);
    const found = this.#names[this.#firstFrom(prefix)];
    return found !== undefined && found.subarray(0, prefix.length).equals(prefix);
  }

  /** All paths, in the order of their bytes. */
  paths(): readonly string[] {
    return this.#names.map((name) => decodeFileName(name));
  }

  #firstFrom(wanted: Buffer): number {
    let low = 0;
    let high = this.#names.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const name = this.#names[middle];
      if (name !== undefined && name.compare(wanted) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function bytesOf(path: string): Buffer {
  const bytes = fileSystemPath(path);
  return typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
}

interface Entries {
  readonly names: readonly Buffer[];
  readonly hashLength: number;
  /** Name of the shared index that this one is a change of. */
  readonly link: string | undefined;
}

function readEntries(bytes: Buffer, hashLength: number): Entries | undefined {
  if (bytes.length < HEADER + hashLength || bytes.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const count = bytes.readUInt32BE(8);
  const end = bytes.length - hashLength;
  const names: Buffer[] = [];
  let offset = HEADER;
  let previous: Buffer = Buffer.alloc(0);
  for (let entry = 0; entry < count; entry += 1) {
    const flagsAt = offset + NUMBERS_LENGTH + hashLength;
    if (flagsAt + 2 > end) return undefined;
    const flags = bytes.readUInt16BE(flagsAt);
    const nameAt = flagsAt + (version > 2 && (flags & EXTENDED) !== 0 ? 4 : 2);
    const read =
      version === 4
        ? readCompressed(bytes, nameAt, previous)
        : readPadded(bytes, offset, { nameAt, length: flags & NAME_LENGTH });
    if (read === undefined || read.next > end) return undefined;
    previous = read.name;
    offset = read.next;
    const mode = bytes.readUInt32BE(flagsAt - hashLength - 16);
    if ((mode & TYPE_BITS) !== GITLINK) names.push(read.name);
  }
  const extensions = readExtensions(bytes, offset, end, hashLength);
  return extensions === undefined ? undefined : { names, hashLength, link: extensions.link };
}

interface ReadName {
  readonly name: Buffer;
  readonly next: number;
}

/** Entries before version 4 end in one to eight NULs, so that their length is a multiple of eight. */
function readPadded(
  bytes: Buffer,
  start: number,
  { nameAt, length }: { readonly nameAt: number; readonly length: number },
): ReadName | undefined {
  const end = length < NAME_LENGTH ? nameAt + length : bytes.indexOf(0, nameAt);
  if (end < nameAt || bytes[end] !== 0) return undefined;
  return { name: bytes.subarray(nameAt, end), next: start + ((end - start + 8) & ~7) };
}

/** Names of version 4 say how much of the end of the previous name they replace, and by what. */
function readCompressed(bytes: Buffer, start: number, previous: Buffer): ReadName | undefined {
  let at = start;
  let byte = bytes[at] ?? 0;
  let dropped = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    at += 1;
    byte = bytes[at] ?? 0;
    dropped = (dropped + 1) * 128 + (byte & 0x7f);
  }
  const end = bytes.indexOf(0, at + 1);
  if (end < 0 || dropped > previous.length) return undefined;
  const kept = previous.subarray(0, previous.length - dropped);
  return { name: Buffer.concat([kept, bytes.subarray(at + 1, end)]), next: end + 1 };
}

/** What follows the entries: four letters, a length, the data. Undefined when it is anything else. */
function readExtensions(
  bytes: Buffer,
  start: number,
  end: number,
  hashLength: number,
): { readonly link: string | undefined } | undefined {
  let link: string | undefined;
  let offset = start;
  while (offset < end) {
    if (offset + 8 > end) return undefined;
    const signature = bytes.toString('latin1', offset, offset + 4);
    if (!/^[A-Za-z]{4}$/.test(signature)) return undefined;
    const length = bytes.readUInt32BE(offset + 4);
    if (signature === 'link') link = bytes.toString('hex', offset + 8, offset + 8 + hashLength);
    offset += 8 + length;
  }
  return offset === end ? { link } : undefined;
}
