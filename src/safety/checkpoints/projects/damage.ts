/** A file of the store that cannot be read as what it is to be. It stays where it is. */
export interface Damage {
  /** Absolute. */
  readonly path: string;
  /** One line. */
  readonly problem: string;
}
