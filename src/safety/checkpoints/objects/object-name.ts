import { createHash, hash } from 'node:crypto';
import type { Oid } from '../model/path-state.ts';

export type ObjectKind = 'blob' | 'tree' | 'commit';

/** The largest object that is written or read, in bytes. */
export const MAX_OBJECT_BYTES = 0x7fff_ffff;

/** What git hashes, and loose files hold, before the content of an object. */
export function objectHeader(kind: ObjectKind, size: number): Buffer {
  return Buffer.from(`${kind} ${String(size)}\0`, 'latin1');
}

const HEADER_ROOM = 32;
/** Content up to this is copied behind its header: one call then hashes both, which takes half the time. */
const MAX_JOINED_BYTES = 16 * 1024;
const joined = Buffer.allocUnsafeSlow(HEADER_ROOM + MAX_JOINED_BYTES);

/** The name of an object: the SHA-1 of its header and its content. */
export function hashObject(kind: ObjectKind, bytes: Uint8Array): Oid {
  if (bytes.length <= MAX_JOINED_BYTES) {
    const length = joined.write(`${kind} ${String(bytes.length)}\0`, 'latin1');
    joined.set(bytes, length);
    return hash('sha1', joined.subarray(0, length + bytes.length), 'hex');
  }
  return createHash('sha1').update(objectHeader(kind, bytes.length)).update(bytes).digest('hex');
}
