import { isJsonObject, type JsonValue, parseJson, toJsonValue } from '../../kernel/json/index.ts';
import type { LogFields, LogLevel } from './logger.ts';

/** Beyond this many characters a text in a line is cut. */
const MAX_TEXT_LENGTH = 16_000;
/** How far back from there the end of a word is looked for. */
const MAX_WORD_LENGTH = 4000;

/** What a line is made of. */
export interface LogEvent {
  readonly time: string;
  readonly level: LogLevel;
  readonly pid: number;
  readonly message: string;
  readonly fields: LogFields;
}

const RESERVED: ReadonlySet<string> = new Set(['time', 'level', 'pid', 'message']);

/**
 * One line of JSON with everything that `redact` finds taken out. Fails closed: when `redact` throws, the line says that and
 * nothing else. A line that is no JSON any more after redaction is wrapped, as the text of another.
 */
export function formatLine(event: LogEvent, redact: (text: string) => string): string {
  const { time, level, pid } = event;
  try {
    const redacted = redact(JSON.stringify(toDocument(event)));
    if (!redacted.includes('\n') && parseJson(redacted).ok) return redacted;
    return JSON.stringify({ time, level, pid, message: redacted });
  } catch {
    // The reason may hold the very text that must not be shown.
    return JSON.stringify({ time, level, pid, message: 'a line was withheld: it could not be redacted' });
  }
}

function toDocument({ time, level, pid, message, fields }: LogEvent): Readonly<Record<string, JsonValue>> {
  const extra = Object.entries(fields).map(
    ([name, value]) =>
      [RESERVED.has(name) ? `${name}_` : name, shorten(toJsonValue(readable(value)))] as const,
  );
  return { time, level, pid, message: shortenText(message), ...Object.fromEntries<JsonValue>(extra) };
}

/** Errors have nothing of their own that JSON would show. */
function readable(value: unknown, depth = 0): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  const code = 'code' in value ? value.code : undefined;
  return { name, message, code, stack, cause: depth < 5 ? readable(cause, depth + 1) : undefined };
}

function shorten(value: JsonValue): JsonValue {
  if (typeof value === 'string') return shortenText(value);
  if (value === null || typeof value !== 'object') return value;
  if (!isJsonObject(value)) return value.map(shorten);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shorten(item)]));
}

/** A cut text ends where a word does, so that no half of a secret escapes redaction. */
function shortenText(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text;
  let end = MAX_TEXT_LENGTH;
  while (end > MAX_TEXT_LENGTH - MAX_WORD_LENGTH && !/\s/.test(text.charAt(end - 1))) end -= 1;
  return `${text.slice(0, end)}… (${text.length - end} more characters)`;
}
