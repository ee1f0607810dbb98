/** How this program was started, for starting it once more. */
export interface OwnProgram {
  /** The Node.js that runs it; absolute. */
  readonly command: string;
  /** Comes before the arguments of the command line; absolute. */
  readonly args: readonly string[];
}

export function ownProgram(): OwnProgram {
  const [, script] = process.argv;
  return { command: process.execPath, args: script === undefined ? [] : [script] };
}
