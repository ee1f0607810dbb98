import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { type JsonValue, parseJson } from '../../../kernel/json/index.ts';
import type { VerbContext } from '../verb.ts';
import { readStdin } from './read-stdin.ts';

/** Bytes of input a command takes. */
const MAX_INPUT_BYTES = 64 * 1024 * 1024;

/**
 * The JSON document on standard input. Fails as {@link readStdin} does, and when `parseJson` refuses it; the remedy says what
 * is expected.
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
  return succeed(parsed.value);
}
