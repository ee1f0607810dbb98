import { fail, type Result, succeed } from '../../kernel/errors/index.ts';

/** What was given on the command line, by the key of the input. */
export type GivenValues = ReadonlyMap<string, unknown>;

/** What the shell can complete an argument or the value of an option with, besides fixed choices. */
export type CompletionKind =
  | 'config-keys'
  | 'session-ids'
  | 'checkpoint-ids'
  | 'ledger-ids'
  | 'hook-events'
  | 'hook-commands'
  | 'files'
  | 'folders';

/** An option or an argument of a verb. `context.get(input)` gives its value with its type. */
export interface Input<Value> {
  /** Unique within a verb. */
  readonly key: string;
  readonly summary: string;
  readonly choices?: readonly string[];
  readonly completion?: CompletionKind;
  readonly read: (values: GivenValues) => Value;
}

export interface Option<Value = unknown> extends Input<Value> {
  readonly type: 'option';
  /** As commander writes them: `-m, --model <name>`. */
  readonly flags: string;
  /** May be given several times. */
  readonly isRepeatable: boolean;
  /** Checks one value; the message says what is expected. Absent for flags. */
  readonly parse?: (text: string) => Result<unknown, 'bad_value'>;
}

export interface Argument<Value = unknown> extends Input<Value> {
  readonly type: 'argument';
  readonly isRequired: boolean;
  /** Takes all that follows. */
  readonly isVariadic: boolean;
}

interface Hints {
  readonly completion?: CompletionKind;
}

/** `--verbose`: there or not. */
export function flagOption(flags: string, summary: string): Option<boolean> {
  const key = keyOf(flags);
  return {
    type: 'option',
    flags,
    key,
    summary,
    isRepeatable: false,
    read: (values) => values.get(key) === true,
  };
}

/** `--model <name>`: any text that is not empty. */
export function textOption(flags: string, summary: string, hints: Hints = {}): Option<string | undefined> {
  const key = keyOf(flags);
  return {
    type: 'option',
    flags,
    key,
    summary,
    isRepeatable: false,
    ...hints,
    parse: someText,
    read: textAt(key),
  };
}

/** `--tag <name>`, which may be given several times. */
export function listOption(flags: string, summary: string, hints: Hints = {}): Option<readonly string[]> {
  const key = keyOf(flags);
  return {
    type: 'option',
    flags,
    key,
    summary,
    isRepeatable: true,
    ...hints,
    parse: someText,
    read: textsAt(key),
  };
}

/** `--limit <n>`: a whole number within bounds. */
export function integerOption(
  flags: string,
  summary: string,
  { min, max }: { readonly min: number; readonly max: number },
): Option<number | undefined> {
  const key = keyOf(flags);
  const parse = (text: string): Result<number, 'bad_value'> => {
    const number = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
    return number >= min && number <= max
      ? succeed(number)
      : fail('bad_value', `expected a whole number from ${min} to ${max}`);
  };
  const read = (values: GivenValues): number | undefined => {
    const value = values.get(key);
    return typeof value === 'number' ? value : undefined;
  };
  return { type: 'option', flags, key, summary, isRepeatable: false, parse, read };
}

/** `--format <name>`: one of a few words. */
export function choiceOption<const Choice extends string>(
  flags: string,
  summary: string,
  choices: readonly Choice[],
): Option<Choice | undefined> {
  const key = keyOf(flags);
  const find = (text: unknown): Choice | undefined => choices.find((choice) => choice === text);
  const parse = (text: string): Result<Choice, 'bad_value'> => {
    const choice = find(text);
    return choice === undefined
      ? fail('bad_value', `expected one of ${choices.join(', ')}`)
      : succeed(choice);
  };
  const read = (values: GivenValues): Choice | undefined => find(values.get(key));
  return { type: 'option', flags, key, summary, isRepeatable: false, choices, parse, read };
}

/** An argument that must be given. */
export function textArgument(key: string, summary: string, hints: Hints = {}): Argument<string> {
  const read = (values: GivenValues): string => textAt(key)(values) ?? '';
  return { type: 'argument', key, summary, isRequired: true, isVariadic: false, ...hints, read };
}

/** An argument that must be given and is one of a few words. */
export function choiceArgument<const Choice extends string>(
  key: string,
  summary: string,
  choices: readonly [Choice, ...Choice[]],
): Argument<Choice> {
  const [first] = choices;
  const read = (values: GivenValues): Choice => choices.find((choice) => choice === values.get(key)) ?? first;
  return { type: 'argument', key, summary, isRequired: true, isVariadic: false, choices, read };
}

/** An argument that may be left out. */
export function optionalArgument(
  key: string,
  summary: string,
  hints: Hints = {},
): Argument<string | undefined> {
  return {
    type: 'argument',
    key,
    summary,
    isRequired: false,
    isVariadic: false,
    ...hints,
    read: textAt(key),
  };
}

/** All the arguments that remain. */
export function restArgument(key: string, summary: string, hints: Hints = {}): Argument<readonly string[]> {
  return {
    type: 'argument',
    key,
    summary,
    isRequired: false,
    isVariadic: true,
    ...hints,
    read: textsAt(key),
  };
}

/** `-m, --model <name>` goes by `model`. */
function keyOf(flags: string): string {
  const long = /--([\w-]+)/.exec(flags)?.[1];
  if (long === undefined) throw new Error(`the option "${flags}" lacks a long form`);
  return long;
}

function someText(text: string): Result<string, 'bad_value'> {
  return text === '' ? fail('bad_value', 'expected a text that is not empty') : succeed(text);
}

function textAt(key: string): (values: GivenValues) => string | undefined {
  return (values) => {
    const value = values.get(key);
    return typeof value === 'string' ? value : undefined;
  };
}

function textsAt(key: string): (values: GivenValues) => readonly string[] {
  return (values) => {
    const value = values.get(key);
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
  };
}
