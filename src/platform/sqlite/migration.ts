/** One step of a schema. Its version is its place in the list, from 1; a published step is never changed. */
export interface Migration {
  readonly name: string;
  /** One or several statements. */
  readonly sql: string;
}
