import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { createFolders, errnoOf } from '../../../platform/paths/index.ts';
import { randomBytes, randomId } from '../../../platform/random/index.ts';
import { createRawFile, linkRaw, rawContent, unlinkRaw } from '../../../platform/raw-files/index.ts';

const KEY_BYTES = 32;

export type SealedValue = string | number | null;

/**
 * Digests of this installation: HMAC-SHA-256 with a key of its own, so that nobody who has the journal alone can find out a
 * short secret by trying, also after what was sealed has been erased.
 */
export class Seal {
  /** Bytes would be made a key of anew for each digest, which takes longer than the digest. */
  readonly #key: KeyObject;

  constructor(key: Uint8Array) {
    this.#key = createSecretKey(key);
  }

  /** Of a list of values, which keep their borders. */
  digest(values: readonly SealedValue[]): Buffer {
    return createHmac('sha256', this.#key).update(JSON.stringify(values)).digest();
  }

  /** Tells this key from others, and nothing about it. */
  get keyId(): string {
    return this.text('herma-ledger-key').slice(0, 16);
  }

  /** Of a text, in hexadecimal. */
  text(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('hex');
  }
}

/** What the hash of one entry covers besides the hash of the entry before. */
export interface ChainedFields {
  readonly seq: number;
  readonly ledgerId: number | null;
  readonly kind: string;
  readonly at: string;
  readonly digest: Uint8Array | null;
  readonly detail: string | null;
}

/** The hash of one entry: SHA-256 over a label, the hash before, and the fields as JSON. Anyone can check it, without the key. */
export function chainHash(previous: Uint8Array, fields: ChainedFields): Buffer {
  const { seq, ledgerId, kind, at, digest, detail } = fields;
  const text = JSON.stringify([seq, ledgerId, kind, at, digest === null ? null : hexOf(digest), detail]);
  return createHash('sha256').update('herma-ledger-1\n').update(previous).update(text).digest();
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/**
 * The key in a file (0600), which is made when it is missing. Several processes may ask at once: they get the same one. Undefined
 * when the file holds no key. Throws what the system does when it cannot be read or made.
 */
export function sealKey(folder: string): Uint8Array | undefined {
  const path = `${folder}/ledger.key`;
  const known = readKey(path);
  if (known !== 'missing') return known;
  createFolders(folder, 0o700);
  const made = `${path}.${randomId()}`;
  createRawFile(made, randomBytes(KEY_BYTES), { mode: 0o600, sync: true });
  try {
    linkRaw(made, path);
  } catch (error) {
    // Another process was faster.
    if (errnoOf(error) !== 'EEXIST') throw error;
  } finally {
    unlinkRaw(made);
  }
  const read = readKey(path);
  return read === 'missing' ? undefined : read;
}

function readKey(path: string): Uint8Array | undefined | 'missing' {
  try {
    const bytes = rawContent(path, KEY_BYTES)?.bytes;
    return bytes?.length === KEY_BYTES ? bytes : undefined;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 'missing';
    throw error;
  }
}
