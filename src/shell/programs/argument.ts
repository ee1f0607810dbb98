import type { Word, WordPart } from '../shell-script.ts';

/** What is known of the fields one word of a command becomes. */
export interface Argument {
  /** The text, when it is exactly one field that is known. */
  readonly value: string | undefined;
  /** What every field it becomes begins with; empty when nothing is known. */
  readonly prefix: string;
  readonly isOneField: boolean;
}

/** Any number of fields of which nothing is known. */
export const UNKNOWN_ARGUMENT: Argument = { value: undefined, prefix: '', isOneField: false };

export function literalArgument(value: string): Argument {
  return { value, prefix: value, isOneField: true };
}

export function argumentOf({ parts }: Word): Argument {
  const literals = parts.filter((part) => part.type === 'literal');
  if (literals.length === parts.length) return literalArgument(literals.map(({ value }) => value).join(''));
  if (parts.some(mayBecomeMoreFields)) return UNKNOWN_ARGUMENT;
  const [first] = parts;
  // A home directory is an absolute path.
  const isOneField = parts.every(({ type }) => type !== 'pattern' && type !== 'braces');
  if (first?.type === 'tilde') return { value: undefined, prefix: '/', isOneField };
  const known = parts.slice(
    0,
    parts.findIndex(({ type }) => type !== 'literal'),
  );
  return {
    value: undefined,
    prefix: known.map((part) => (part.type === 'literal' ? part.value : '')).join(''),
    isOneField,
  };
}

/** Fields that need not begin as the word does. Patterns and braces repeat what stands before them. */
function mayBecomeMoreFields(part: WordPart): boolean {
  switch (part.type) {
    case 'literal':
    case 'tilde':
    case 'process':
      return false;
    case 'pattern':
    case 'braces':
      return part.parts.some((inner) => inner.type !== 'literal');
    case 'parameter':
      return !part.isQuoted || part.isList;
    case 'commands':
    case 'arithmetic':
      return !part.isQuoted;
    default:
      part satisfies never;
      return true;
  }
}
