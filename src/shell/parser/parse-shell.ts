import { parse } from 'unbash';
import type { ShellScript } from '../shell-script.ts';
import type { Conversion } from './conversion.ts';
import { convertScript } from './convert-command.ts';

/** More text than the system takes as one argument of bash. */
export const MAX_LENGTH = 131_072;

/** Whether the parser reads the text as bash would; it takes a carriage return for white space. */
export function isReadable(text: string): boolean {
  return text.length <= MAX_LENGTH && !/[\r\0]/.test(text);
}

export type ParsedShell =
  /** `isPortable`: nothing in it is understood differently by another POSIX shell. */
  { readonly ok: true; readonly script: ShellScript; readonly isPortable: boolean } | { readonly ok: false };

/**
 * Reads a command as bash would. Every substitution in it is read as well. `ok: false` when any part of it is not understood, is
 * longer than an argument can be or is nested too deeply: who asks has to expect anything of it.
 */
export function parseShell(text: string): ParsedShell {
  if (!isReadable(text)) return { ok: false };
  const conversion: Conversion = { isUnderstood: true, isPortable: true, depth: 0, convertScript };
  try {
    const script = convertScript(parse(text), conversion);
    if (!conversion.isUnderstood) return { ok: false };
    return { ok: true, script, isPortable: conversion.isPortable };
  } catch (error) {
    // The parser calls itself; a text can be made that exhausts the stack.
    if (error instanceof RangeError) return { ok: false };
    throw error;
  }
}
