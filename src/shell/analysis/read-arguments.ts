import { type Field, knownPrefix, withoutPrefix } from './field.ts';

/** Which options of a program take a value; all others are taken to have none. */
export interface ValuedOptions {
  /** Letters with a value, attached or in the next argument. */
  readonly letters?: string;
  /** Names behind one or two dashes, with a value behind `=` or in the next argument. */
  readonly names?: readonly string[];
  /** Options end at the first operand. */
  readonly endsAtOperand?: boolean;
  /** A name can stand behind a single dash. */
  readonly hasLongNames?: boolean;
}

export interface Option {
  /** A letter, or a name without its dashes. */
  readonly name: string;
  readonly value: Field | undefined;
}

export interface ReadArguments {
  readonly options: readonly Option[];
  readonly operands: readonly Field[];
}

/** Reads what a program is given, generously: nothing is refused, and an argument that is not known counts as an operand. */
export function readArguments(args: readonly Field[], valued: ValuedOptions = {}): ReadArguments {
  const options: Option[] = [];
  const operands: Field[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index];
    if (argument === undefined) break;
    const text = argument.text ?? knownPrefix(argument);
    if (argument.text === '--') return { options, operands: [...operands, ...args.slice(index + 1)] };
    if (!text.startsWith('-') || argument.text === '-') {
      if (valued.endsAtOperand === true) return { options, operands: [...operands, ...args.slice(index)] };
      operands.push(argument);
      continue;
    }
    const isName = text.startsWith('--') || valued.hasLongNames === true;
    const read = isName
      ? readName(argument, text, args[index + 1], valued)
      : readLetters(argument, text, args[index + 1], valued);
    options.push(...read.options);
    if (read.usesNext) index += 1;
  }
  return { options, operands };
}

interface ReadOption {
  readonly options: Option[];
  readonly usesNext: boolean;
}

function readName(
  argument: Field,
  text: string,
  next: Field | undefined,
  { names = [] }: ValuedOptions,
): ReadOption {
  const start = text.startsWith('--') ? 2 : 1;
  const equals = text.indexOf('=');
  if (equals > 0) {
    const value = withoutPrefix(argument, equals + 1);
    return { options: [{ name: text.slice(start, equals), value }], usesNext: false };
  }
  const name = text.slice(start);
  if (!names.includes(name)) return { options: [{ name, value: undefined }], usesNext: false };
  return { options: [{ name, value: next }], usesNext: next !== undefined };
}

function readLetters(
  argument: Field,
  text: string,
  next: Field | undefined,
  { letters = '' }: ValuedOptions,
): ReadOption {
  const options: Option[] = [];
  for (let at = 1; at < text.length; at += 1) {
    const name = text.charAt(at);
    if (!letters.includes(name)) {
      options.push({ name, value: undefined });
      continue;
    }
    const isAttached = at + 1 < text.length || argument.text === undefined;
    const value = isAttached ? withoutPrefix(argument, at + 1) : next;
    return { options: [...options, { name, value }], usesNext: !isAttached && next !== undefined };
  }
  return { options, usesNext: false };
}

/** Whether one of these options is there; a long name may be shortened. */
export function hasOption({ options }: ReadArguments, ...names: readonly string[]): boolean {
  return options.some(({ name }) =>
    names.some((each) => each === name || (name.length > 2 && each.startsWith(name))),
  );
}

export function optionValues({ options }: ReadArguments, ...names: readonly string[]): Field[] {
  return options.flatMap(({ name, value }) => (names.includes(name) && value !== undefined ? [value] : []));
}
