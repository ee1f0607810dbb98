import { suggest } from '../../../kernel/errors/index.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../../kernel/json/index.ts';

/** Something in a policy that is not as it has to be. */
export interface PolicyProblem {
  /** Where: `rules[2].when`, or the id of the rule when it is known. */
  readonly where: string;
  /** One line: what is wrong, with the value, and what to write instead. */
  readonly message: string;
}

/** Collects what is wrong, so that a person is told everything at once. */
export class ProblemList {
  readonly #problems: PolicyProblem[] = [];

  add(where: string, message: string): undefined {
    this.#problems.push({ where, message });
    return undefined;
  }

  get all(): readonly PolicyProblem[] {
    return this.#problems;
  }
}

/** A value as it is shown in a message: at most 60 characters, on one line. */
export function shown(value: JsonValue | undefined): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 59).toWellFormed()}…`;
}

/** ` (did you mean "…"?)`, or the names there are. */
export function hint(given: string, known: readonly string[]): string {
  const near = suggest(given, known);
  return near === undefined ? `; known: ${known.join(', ')}` : `; did you mean ${JSON.stringify(near)}?`;
}

/** The object at `where` with no keys but the known ones; what is unknown is a problem, and the object is still read. */
export function readObject(
  value: JsonValue | undefined,
  known: readonly string[],
  { where, problems }: Place,
): JsonObject | undefined {
  if (!isJsonObject(value)) return problems.add(where, `must be an object, not ${shown(value)}`);
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) problems.add(where, `unknown key ${shown(key)}${hint(key, known)}`);
  }
  return value;
}

export interface Place {
  readonly where: string;
  readonly problems: ProblemList;
}

/** One of a few words; `fallback` when there is none and that is fine. */
export function readWord<Word extends string>(
  value: JsonValue | undefined,
  words: readonly Word[],
  fallback: Word | undefined,
  { where, problems }: Place,
): Word | undefined {
  if (value === undefined && fallback !== undefined) return fallback;
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  const help = typeof value === 'string' ? hint(value, words) : `; known: ${words.join(', ')}`;
  return problems.add(where, `${shown(value)} is none of the words that can stand here${help}`);
}

/** A text, or a list of texts that is not empty; none of them empty. */
export function readTexts(
  value: JsonValue | undefined,
  { where, problems }: Place,
): readonly string[] | undefined {
  const list: readonly JsonValue[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
  const texts = list.filter((item) => typeof item === 'string' && item !== '').map(String);
  if (list.length > 0 && texts.length === list.length) return texts;
  return problems.add(where, `must be a text or a list of texts, none of them empty, not ${shown(value)}`);
}

/** A text, possibly empty; undefined when there is none. */
export function readText(object: JsonObject, key: string, { where, problems }: Place): string | undefined {
  const value = getOwn(object, key);
  if (value === undefined || typeof value === 'string') return value;
  return problems.add(where, `${key} must be a text, not ${shown(value)}`);
}

/** A whole number of at least `min`. */
export function readCount(
  value: JsonValue | undefined,
  min: number,
  { where, problems }: Place,
): number | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min) return value;
  return problems.add(where, `must be a whole number of at least ${String(min)}, not ${shown(value)}`);
}
