import { type Content, MAX_TEXT, patternOf, UNKNOWN } from './content.ts';

const MAX_SHOWN = 300;
const NO_CHOICES: readonly string[] = [];

/** One argument of a program, or one that may become several or none. */
export interface Field extends Content {
  /** May be any number of arguments. */
  readonly isList: boolean;
  /** Text in quotes that is no single word: rather data than a name. */
  readonly isProse: boolean;
  /** For people: what is known filled in. */
  readonly shown: string;
}

export function literalField(text: string): Field {
  if (text.length > MAX_TEXT) return { ...UNKNOWN, isList: false, isProse: false, shown: text };
  return {
    text,
    pattern: '',
    isDynamic: false,
    choices: NO_CHOICES,
    origin: 'here',
    file: undefined,
    names: undefined,
    secret: 'none',
    isLocal: false,
    isList: false,
    isProse: false,
    shown: text,
  };
}

export const UNKNOWN_FIELD: Field = { ...UNKNOWN, isList: true, isProse: false, shown: '…' };

export function patternField(pattern: string): Field {
  return {
    ...UNKNOWN,
    pattern,
    isDynamic: false,
    isList: true,
    isProse: false,
    shown: pattern,
  };
}

/** The argument without its first letters; those have to be known. */
export function withoutPrefix(field: Field, length: number): Field {
  if (field.text !== undefined)
    return { ...field, text: field.text.slice(length), shown: field.shown.slice(length) };
  return { ...field, pattern: field.pattern.slice(length), shown: field.shown.slice(length) };
}

/** The letters every text it can be begins with. */
export function knownPrefix(field: Content): string {
  if (field.text !== undefined) return field.text;
  const end = field.pattern.search(/[*?[\\]/);
  return end === -1 ? field.pattern : field.pattern.slice(0, end);
}

export function showFields(fields: readonly Field[]): string {
  let text = '';
  for (const { shown } of fields) {
    if (text.length > MAX_SHOWN) break;
    text += text === '' ? shown : ` ${shown}`;
  }
  return text.slice(0, MAX_SHOWN);
}

/** As a pattern, its own special letters escaped. */
export function fieldPattern(field: Field): string {
  return patternOf(field);
}
