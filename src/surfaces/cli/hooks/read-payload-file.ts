import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import type { EventName } from '../../../kernel/events/index.ts';
import { getOwn, isJsonObject, type JsonObject, parseJson } from '../../../kernel/json/index.ts';
import { readTextFile } from '../../../platform/files/index.ts';
import { displayPath } from '../../../platform/paths/index.ts';

/**
 * The fields in a file, for `hooks test`: a JSON object with some of an event's fields by their names on the wire. The arguments
 * of a call may be called `args` or, as in what a script reads, `tool_input`; a whole document that a script has read is taken
 * too, with its `extra`.
 */
export async function readPayloadFile(path: string, event: EventName): Promise<Result<JsonObject>> {
  const read = await readTextFile(path);
  if (!read.ok) return read;
  const shown = displayPath(path);
  const parsed = parseJson(read.value.text.replace(/^\uFEFF/, ''));
  if (!parsed.ok) return fail('bad_payload', `${shown} is not valid JSON: ${parsed.message}.`);
  if (!isJsonObject(parsed.value))
    return bad(shown, 'does not hold a JSON object', 'Write {"tool_input": {…}}, for example.');
  return toFields(parsed.value, event, shown);
}

function toFields(document: JsonObject, event: EventName, shown: string): Result<JsonObject> {
  const { hook_event_name: of, tool_input: input, extra, ...fields } = document;
  if (of !== undefined && of !== event)
    return bad(shown, `is of the event ${JSON.stringify(of)}, not of ${event}`, 'Name that event.');
  if (extra !== undefined && !isJsonObject(extra))
    return bad(shown, 'has an "extra" that is no object', 'Write an object, or leave it out.');
  const hasBoth = input !== undefined && Object.hasOwn(fields, 'args');
  if (hasBoth) return bad(shown, 'has both "args" and "tool_input", which are the same', 'Give one of them.');
  const args = input ?? getOwn(fields, 'args');
  // Null is how a script is told that there is no tool.
  if (args !== undefined && args !== null && !isJsonObject(args))
    return bad(shown, 'has arguments that are no object', 'Write "tool_input": {…}.');
  const merged = { ...extra, ...fields };
  return succeed(args === undefined ? merged : { ...merged, args });
}

function bad(shown: string, what: string, remedy: string): Result<never> {
  return fail('bad_payload', `${shown} ${what}.`, remedy);
}
