import type { Argument } from './argument.ts';

/** Text that a program is given as an argument and runs as shell commands. */
export interface ShellCode {
  readonly text: string;
  /** Run by a shell of which only the standard grammar is known, not by bash. */
  readonly isPlainShell: boolean;
  /** Whether the shell that runs it does so in a process of its own. */
  readonly isSeparate: boolean;
}

const SHELLS = new Map([
  ['bash', false],
  ['sh', true],
  ['dash', true],
]);

export function isShell(name: string): boolean {
  return SHELLS.has(name);
}

/** The text behind `-c`; `undefined` when there is none, when it is not known or when options change what runs. */
export function readShellCode(name: string, args: readonly Argument[]): ShellCode | undefined {
  const isPlainShell = SHELLS.get(name);
  if (isPlainShell === undefined) return undefined;
  let hasCode = false;
  for (const { value } of args) {
    if (value === undefined) return undefined;
    if (value === '--norc' || value === '--noprofile') continue;
    if (/^-[ceufx]+$/.test(value)) {
      hasCode ||= value.includes('c');
      continue;
    }
    return hasCode && !/^[-+]/.test(value) ? { text: value, isPlainShell, isSeparate: true } : undefined;
  }
  return undefined;
}
