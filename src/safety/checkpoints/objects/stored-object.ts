import type { ObjectKind } from './object-name.ts';

/** An object as it was read: its name was checked against its content. */
export interface StoredObject {
  readonly kind: ObjectKind;
  readonly bytes: Buffer;
}
