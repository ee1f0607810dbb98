import type { ParsedScript } from 'unbash';
import type { ShellScript } from '../shell-script.ts';

/** What was noticed while a tree of the parser was turned into ours. */
export interface Conversion {
  isUnderstood: boolean;
  isPortable: boolean;
  depth: number;
  /** For what a word runs while it is expanded: words are inside commands, and commands inside words. */
  readonly convertScript: (script: ParsedScript, conversion: Conversion) => ShellScript;
}

const MAX_DEPTH = 100;

/** Goes one level down; what is nested too deeply counts as not understood and gives `otherwise`. */
export function nested<T>(conversion: Conversion, otherwise: T, convert: () => T): T {
  if (conversion.depth >= MAX_DEPTH) {
    conversion.isUnderstood = false;
    return otherwise;
  }
  conversion.depth += 1;
  const converted = convert();
  conversion.depth -= 1;
  return converted;
}
