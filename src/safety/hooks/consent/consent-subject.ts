/** Where the words of a command are looked up. */
export interface SearchPlace {
  /** Absolute: where it is spawned. Relative words and a relative `PATH` are seen from there. */
  readonly cwd: string;
  /** The `PATH` it is spawned with: folders separated by `:`; undefined as in execvp(3). */
  readonly searchPath: string | undefined;
}

/** A shell hook, as far as consent is concerned. */
export interface ConsentSubject extends SearchPlace {
  /** Name of the event, as on the wire: `pre_tool_call`. */
  readonly event: string;
  /** As in the configuration; blanks around it do not count. */
  readonly command: string;
  /** The very words that are spawned: split, a leading `~` of each expanded. Empty when the command cannot be split. */
  readonly words: readonly string[];
  /** For the record, together with the next two. */
  readonly matcher?: string;
  readonly timeoutSeconds?: number;
  readonly failClosed?: boolean;
}
