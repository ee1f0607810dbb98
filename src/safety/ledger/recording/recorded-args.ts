import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kernel/json/index.ts';
import type { Redactor } from '../../../kernel/redact/index.ts';
import type { Effect } from '../../../kernel/tool-call/index.ts';

/** UTF-16 code units of recorded arguments, at most. */
export const MAX_ARGS_CHARS = 4000;
/** Of the content of a file, this much is recorded of its beginning. */
const CONTENT_START_CHARS = 200;
/** Longest text of a leaf, from the first try to the last. */
const LEAF_LIMITS = [3500, 1500, 600, 200, 80, 24];
/** Most members of one object or list, for each of {@link LEAF_LIMITS}. */
const MEMBER_LIMITS = [400, 200, 100, 40, 20, 8];
const MAX_DEPTH = 12;

/** Arguments of writing tools that hold the content of a file, or a piece of it. */
const CONTENT_ARGUMENTS = new Set([
  'content',
  'file_text',
  'patch',
  'old_string',
  'new_string',
  'old_str',
  'new_str',
  'insert_text',
  'edits',
]);

/**
 * The arguments of a call as the journal keeps them: without secrets, the content of files as size, SHA-256 and beginning, and at
 * most {@link MAX_ARGS_CHARS} long. Always JSON: what is too long is cut within its texts (`…+N` says how much is missing).
 */
export function recordedArgs(
  { args, effect }: { readonly args: JsonObject; readonly effect: Effect },
  redactor: Redactor,
): string {
  const content = effect === 'write' ? summarised(args, redactor) : args;
  const safe = wellFormed(redactor.value(content));
  for (const [index, leaf] of LEAF_LIMITS.entries()) {
    const text = JSON.stringify(cut(safe, { leaf, members: MEMBER_LIMITS[index] ?? 1, redactor }, 0));
    if (text.length <= MAX_ARGS_CHARS) return text;
  }
  return JSON.stringify({ '…': `+${String(JSON.stringify(safe).length)}` });
}

function summarised(args: JsonObject, redactor: Redactor): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      CONTENT_ARGUMENTS.has(name) && (typeof value !== 'string' || value.length > CONTENT_START_CHARS)
        ? contentSummary(typeof value === 'string' ? value : JSON.stringify(value), redactor)
        : value,
    ]),
  );
}

function contentSummary(content: string, redactor: Redactor): JsonObject {
  return {
    bytes: Buffer.byteLength(content),
    sha256: createHash('sha256').update(content.toWellFormed()).digest('hex'),
    start: redactor.redactAndCut(content, CONTENT_START_CHARS),
  };
}

function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name.toWellFormed(), wellFormed(item)]),
  );
}

interface Limits {
  readonly leaf: number;
  readonly members: number;
  readonly redactor: Redactor;
}

function cut(value: JsonValue, limits: Limits, depth: number): JsonValue {
  if (typeof value === 'string') return cutText(value, limits);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) {
    const kept = value.slice(0, limits.members).map((item: JsonValue) => cut(item, limits, depth + 1));
    return value.length > kept.length ? [...kept, `…+${String(value.length - kept.length)}`] : kept;
  }
  const members = Object.entries(value);
  const kept = members
    .slice(0, limits.members)
    .map(([name, item]): [string, JsonValue] => [cutText(name, limits), cut(item, limits, depth + 1)]);
  const rest = members.length - kept.length;
  return Object.fromEntries(rest > 0 ? [...kept, ['…', `+${String(rest)}`]] : kept);
}

/** A marker of the redactor is never cut in two. */
function cutText(text: string, { leaf, redactor }: Limits): string {
  if (text.length <= leaf) return text;
  const kept = redactor.redactAndCut(text, leaf);
  return `${kept}…+${String(text.length - kept.length)}`;
}
