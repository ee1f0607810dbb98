import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { type JsonValue, parseJson } from '../../../kernel/json/index.ts';
import type { VerbContext } from '../verb.ts';
import { readStdin } from './read-stdin.ts';

/** Bytes of input a command takes. */
const MAX_INPUT_BYTES = 64 * 1024 * 1024;
/** How deep values may be nested: everything that walks them does so by recursion. */
const MAX_DEPTH = 500;

/**
 * The JSON document on standard input. Fails as {@link readStdin} does, and when it is not valid JSON or is nested deeper
 * than 500 levels; the remedy says what is expected.
 *
 * @param expected what the command takes, after "expected": `{"session_id": "…"}`.
 */
export async function readJsonInput(
  context: Pick<VerbContext, 'stdin' | 'signal'>,
  expected: string,
): Promise<Result<JsonValue>> {
  const remedy = `Expected on standard input: ${expected}`;
  const text = await readStdin(context, MAX_INPUT_BYTES);
  if (!text.ok) return text.code === 'no_input' ? { ...text, remedy } : text;
  const parsed = parseJson(text.value);
  if (!parsed.ok) return fail('bad_json', `Standard input is not valid JSON: ${parsed.message}.`, remedy);
  if (!isDeeperThan(parsed.value, MAX_DEPTH)) return succeed(parsed.value);
  return fail('bad_json', `Standard input is nested deeper than ${String(MAX_DEPTH)} levels.`, remedy);
}

function isDeeperThan(value: JsonValue, limit: number): boolean {
  let level: readonly object[] = isContainer(value) ? [value] : [];
  for (let depth = 0; depth < limit && level.length > 0; depth += 1) {
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return level.length > 0;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
