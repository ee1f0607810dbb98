import { type ParsedScript, parse } from 'unbash';
import type { Statement } from '../shell-script.ts';
import type { Conversion } from './conversion.ts';
import { convertScript } from './convert-command.ts';
import { isReadable, MAX_LENGTH } from './parse-shell.ts';

/** One statement of a text, of which nothing but its place is known yet. */
export interface UnreadStatement {
  /** As it is written, with the here-documents behind it. */
  readonly text: string;
  readonly read: () => ReadStatement;
}

export interface ReadStatement {
  /** Undefined when nothing of it is understood. */
  readonly statement: Statement | undefined;
  readonly isUnderstood: boolean;
}

export interface ParsedStatements {
  /** When there is a mistake, those in front of it: a shell runs them before it meets the mistake. */
  readonly statements: readonly UnreadStatement[];
  /** False when there is a mistake, or more text than is looked at. */
  readonly isWhole: boolean;
}

/** Reads a text as bash would, each statement of it only when it is asked for. */
export function parseStatements(text: string): ParsedStatements {
  const isWhole = isReadable(text);
  const source = isWhole ? text : text.slice(0, MAX_LENGTH);
  const parsed = parseSafely(source);
  if (parsed === undefined) return { statements: [], isWhole: false };
  // A limit of the parser is no mistake for a shell.
  const mistakes = parsed.errors?.filter(({ message }) => !message.includes('depth exceeded')) ?? [];
  const end = mistakes.reduce((first, { pos }) => Math.min(first, pos), source.length);
  const commands = parsed.commands.filter((command) => command.end <= end);
  const statements = commands.map((command, index) => ({
    text: source.slice(command.pos, commands[index + 1]?.pos ?? end),
    read: () => readStatement(parsed, command),
  }));
  return { statements, isWhole: isWhole && (parsed.errors?.length ?? 0) === 0 };
}

function parseSafely(source: string): ParsedScript | undefined {
  try {
    return parse(source);
  } catch (error) {
    // The parser calls itself; a text can be made that exhausts the stack.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readStatement(parsed: ParsedScript, command: ParsedScript['commands'][number]): ReadStatement {
  const conversion: Conversion = { isUnderstood: true, isPortable: true, depth: 0, convertScript };
  try {
    const { type, pos, end, shebang } = parsed;
    const one: ParsedScript = { type, pos, end, shebang, commands: [command] };
    const { statements } = convertScript(one, conversion);
    return { statement: statements[0], isUnderstood: conversion.isUnderstood };
  } catch (error) {
    if (error instanceof RangeError) return { statement: undefined, isUnderstood: false };
    throw error;
  }
}
