import { createHash } from 'node:crypto';
import type { Oid } from '../model/path-state.ts';

export type ObjectKind = 'blob' | 'tree' | 'commit';

/** The largest object that is written or read, in bytes. */
export const MAX_OBJECT_BYTES = 0x7fff_ffff;

/** What git hashes, and loose files hold, before the content of an object. */
export function objectHeader(kind: ObjectKind, size: number): Buffer {
  return Buffer.from(`${kind} ${String(size)}\0`, 'latin1');
}

/** The name of an object: the SHA-1 of its header and its content. */
export function hashObject(kind: ObjectKind, bytes: Uint8Array): Oid {
  return createHash('sha1').update(objectHeader(kind, bytes.length)).update(bytes).digest('hex');
}
