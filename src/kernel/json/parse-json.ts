import { jsonFlaw } from './json-flaw.ts';
import type { JsonValue } from './json-value.ts';

export type ParsedJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly message: string };

/**
 * Parses text that came from outside. The only caller of `JSON.parse`.
 *
 * A leading byte-order mark is ignored. `__proto__` stays an ordinary own key; of members with the same name the last one
 * counts. A text of more than 500 levels is refused, and so is a number beyond the range of a double, which would become
 * another one. On failure the message is one line; it says where (line and column, from 1) when the engine does, and shows what
 * stood there.
 */
export function parseJson(text: string): ParsedJson {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (source.trim() === '') return { ok: false, message: 'the text is empty' };
  try {
    const value: unknown = JSON.parse(source);
    const flaw = jsonFlaw(value);
    if (flaw !== undefined) return { ok: false, message: flaw };
    return isParsed(value) ? { ok: true, value } : { ok: false, message: 'the text holds nothing' };
  } catch (error) {
    return { ok: false, message: describe(error, source) };
  }
}

/** What `JSON.parse` yields is JSON by its contract; only `undefined` could not come from a text. */
function isParsed(value: unknown): value is JsonValue {
  return value !== undefined;
}

/** The engine's reason; with the line and column where it gives an offset. */
function describe(error: unknown, source: string): string {
  const reason = error instanceof Error ? error.message : String(error);
  const position = /^(.*) in JSON at position (\d+)/s.exec(reason);
  if (position === null) return reason.replaceAll(/\s+/g, ' ').slice(0, 200);
  const offset = Number(position[2]);
  const before = source.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - before.lastIndexOf('\n');
  const near = JSON.stringify(source.slice(offset, offset + 20));
  return `${position[1] ?? reason} (line ${String(line)}, column ${String(column)}, near ${near})`;
}
