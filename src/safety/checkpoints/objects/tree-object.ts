import { decodeFileName, fileSystemPath } from '../../../platform/paths/index.ts';
import type { Oid } from '../model/path-state.ts';
import { CorruptObjectError } from './corrupt-object-error.ts';

/** An entry of a git tree. */
export interface TreeItem {
  /** One part of a path, as `decodeFileName` writes it. */
  readonly name: string;
  /** `0o100644`, `0o100755`, `0o120000` or `0o040000`. */
  readonly mode: number;
  readonly oid: Oid;
}

const OID_BYTES = 20;
const NUL = 0;
const SPACE = 0x20;
const SLASH = Buffer.from('/');
const TYPE_BITS = 0o170_000;
const DIRECTORY = 0o040_000;

/**
 * The content of a git tree object, sorted as git sorts: by the bytes of the names, those of folders as if they ended
 * in `/`.
 *
 * @throws TypeError for a name that no entry of a folder can have, and for one that comes twice.
 */
export function encodeTree(items: readonly TreeItem[]): Buffer {
  const names = new Set<string>();
  let length = 0;
  const rows = items.map(({ name, mode, oid }) => {
    if (names.has(name)) throw new TypeError(`the name ${JSON.stringify(name)} comes twice in a tree`);
    names.add(name);
    const bytes = nameBytes(name);
    const prefix = prefixOf(mode);
    length += prefix.length + bytes.length + 1 + OID_BYTES;
    return { bytes, prefix, oid, sortKey: isFolder(mode) ? Buffer.concat([bytes, SLASH]) : bytes };
  });
  rows.sort((one, other) => Buffer.compare(one.sortKey, other.sortKey));
  const tree = Buffer.allocUnsafe(length);
  let at = 0;
  for (const { bytes, prefix, oid } of rows) {
    tree.set(prefix, at);
    tree.set(bytes, at + prefix.length);
    at += prefix.length + bytes.length;
    tree[at] = NUL;
    at += 1 + tree.write(oid, at + 1, OID_BYTES, 'hex');
  }
  return tree;
}

/** The entries of a git tree object, in the order they have there. @throws CorruptObjectError when it is none. */
export function decodeTree(bytes: Uint8Array): readonly TreeItem[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const items: TreeItem[] = [];
  for (let offset = 0; offset < buffer.length; ) {
    const space = buffer.indexOf(SPACE, offset);
    const end = buffer.indexOf(NUL, space + 1);
    const next = end + 1 + OID_BYTES;
    if (space < 0 || end <= space + 1 || next > buffer.length)
      throw malformed('an entry of a tree is cut short');
    items.push({
      mode: modeOf(buffer, offset, space),
      name: decodeFileName(buffer.subarray(space + 1, end)),
      oid: buffer.toString('hex', end + 1, next),
    });
    offset = next;
  }
  return items;
}

function nameBytes(name: string): Buffer {
  if (['', '.', '..'].includes(name) || name.includes('/'))
    throw new TypeError(`${JSON.stringify(name)} cannot be the name of an entry of a folder`);
  const path = fileSystemPath(name);
  return typeof path === 'string' ? Buffer.from(path, 'utf8') : path;
}

const PREFIXES: ReadonlyMap<number, Buffer> = new Map(
  [0o100_644, 0o100_755, 0o120_000, DIRECTORY].map((mode) => [mode, textOfMode(mode)]),
);

function prefixOf(mode: number): Buffer {
  return PREFIXES.get(mode) ?? textOfMode(mode);
}

function textOfMode(mode: number): Buffer {
  return Buffer.from(`${mode.toString(8)} `, 'latin1');
}

function isFolder(mode: number): boolean {
  return (mode & TYPE_BITS) === DIRECTORY;
}

function modeOf(buffer: Buffer, start: number, end: number): number {
  let mode = 0;
  for (let index = start; index < end; index += 1) {
    const digit = (buffer[index] ?? 0) - 0x30;
    if (digit < 0 || digit > 7 || index - start > 6)
      throw malformed('the mode of an entry of a tree is no octal number');
    mode = mode * 8 + digit;
  }
  return mode;
}

function malformed(reason: string): CorruptObjectError {
  return new CorruptObjectError({ reason });
}
