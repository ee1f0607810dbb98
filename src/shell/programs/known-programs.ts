import { isReadOnlyProgram } from './read-only-programs.ts';
import { isShell } from './shell-code.ts';
import { isWrapper } from './wrappers.ts';
import { isWritingProgram } from './writing-programs.ts';

/** Whether anything is concluded from this name. */
export function isKnownProgram(name: string): boolean {
  return isReadOnlyProgram(name) || isWritingProgram(name) || isWrapper(name) || isShell(name);
}
