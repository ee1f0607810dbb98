import { isJsonObject, type JsonObject, parseJson } from '../../../kernel/json/index.ts';

/** The JSON objects a script printed, and what else there was. */
export interface FoundDocuments {
  readonly objects: readonly JsonObject[];
  /** Why the output cannot be trusted to have been read in full; undefined when it has been. */
  readonly problem: string | undefined;
  /** There is other text around the objects. */
  readonly hasStrayText: boolean;
}

const NOTHING: FoundDocuments = { objects: [], problem: undefined, hasStrayText: false };
const NOT_JSON = 'printed something that is no JSON object';

/** Characters looked at in search of the ends of objects, so that hostile output cannot take quadratic time. */
const MAX_STEPS = 16 * 1024 * 1024;

/**
 * Finds the answer in what a script printed. The whole text counts as one document where it is one; else every object in it
 * counts, wherever it stands: before or after log lines, on several lines, behind a prompt, next to another one.
 *
 * Other text is a problem when there is no object at all, or when it holds what looks like an answer that cannot be read.
 */
export function findDocuments(output: string): FoundDocuments {
  const text = output.replace(/^\uFEFF/, '').trim();
  if (text === '') return NOTHING;
  const whole = parseJson(text);
  if (!whole.ok) return scan(text);
  if (isJsonObject(whole.value)) return { ...NOTHING, objects: [whole.value] };
  const objects = Array.isArray(whole.value) ? whole.value.filter((item) => isJsonObject(item)) : [];
  return { objects, problem: NOT_JSON, hasStrayText: false };
}

function scan(text: string): FoundDocuments {
  const objects: JsonObject[] = [];
  const strays: string[] = [];
  let stepsLeft = MAX_STEPS;
  let strayStart = 0;
  let start = text.indexOf('{');
  while (start >= 0 && stepsLeft > 0) {
    const end = endOfObject(text, start, stepsLeft);
    stepsLeft -= (end ?? text.length) - start;
    const parsed = end === undefined ? undefined : parseJson(text.slice(start, end));
    if (end !== undefined && parsed?.ok === true && isJsonObject(parsed.value)) {
      objects.push(parsed.value);
      strays.push(text.slice(strayStart, start));
      strayStart = end;
    }
    start = text.indexOf('{', Math.max(strayStart, start + 1));
  }
  strays.push(text.slice(strayStart));
  return { objects, problem: problemOf(objects, strays, stepsLeft), hasStrayText: strays.some(isText) };
}

function problemOf(
  objects: readonly JsonObject[],
  strays: readonly string[],
  stepsLeft: number,
): string | undefined {
  if (objects.length === 0) return NOT_JSON;
  if (stepsLeft <= 0) return 'printed too much around its answer to be read';
  return strays.some(looksLikeAnswer) ? 'printed an answer that is no valid JSON' : undefined;
}

function isText(stray: string): boolean {
  return stray.trim() !== '';
}

function looksLikeAnswer(stray: string): boolean {
  return /["'](?:action|decision|permissionDecision)["']\s*:/.test(stray);
}

/** The place behind the brace that closes the one at `start`; undefined when there is none within `limit` characters. */
function endOfObject(text: string, start: number, limit: number): number | undefined {
  let depth = 0;
  let isInString = false;
  const last = Math.min(text.length, start + limit);
  for (let index = start; index < last; index += 1) {
    const character = text[index];
    if (isInString) {
      if (character === '\\') index += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') {
      isInString = true;
    } else if (character === '{') {
      depth += 1;
    } else if (character === '}') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return undefined;
}
