import type { Oid } from '../model/path-state.ts';

/** What is known of the damage. */
export interface ObjectDamage {
  /** Absent when a pack as a whole is damaged. */
  readonly oid?: Oid;
  /** The damaged file; absent when only the content was at hand. */
  readonly path?: string;
  readonly reason: string;
}

/** An object, a pack or the index of a pack that is there, and is not what was written once. */
export class CorruptObjectError extends Error {
  readonly code = 'ERR_HERMA_CORRUPT_OBJECT';
  readonly oid: Oid | undefined;
  readonly path: string | undefined;

  constructor({ oid, path, reason }: ObjectDamage) {
    const place = path === undefined ? '' : `${oid === undefined ? '' : ' in '}${path}`;
    super(
      `${oid === undefined ? '' : `object ${oid}`}${place || (oid === undefined ? 'an object' : '')} is damaged: ${reason}; ` +
        'see `herma checkpoints verify`',
    );
    this.name = 'CorruptObjectError';
    this.oid = oid;
    this.path = path;
  }
}
