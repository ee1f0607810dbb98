import {
  getOwn,
  getString,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../kernel/json/index.ts';
import type { Effect } from '../../kernel/tool-call/index.ts';
import { isJsonArray, readArray, readBlocks, readObject, readString, reject } from './json-reader.ts';
import { isMissingResultText, missingResultText, OPENING_TEXT } from './missing-result.ts';
import type { CalledTool, Part, PartFormat } from './part.ts';

/**
 * One message of the Chat Completions API: roles system, developer, user, assistant (with `tool_calls`) and tool (with
 * `tool_call_id`); `content` is a string or an array of parts. The part holds the message itself.
 */
export function readOpenaiMessage(value: JsonValue, path: string): Part<JsonObject> {
  const message = readObject(value, path);
  switch (getString(message, 'role') ?? '') {
    case 'system':
    case 'developer':
      readContent(message, path);
      return { kind: 'system', source: message };
    case 'user':
      readContent(message, path);
      return { kind: 'user', source: message };
    case 'tool': {
      const text = textOf(readContent(message, path));
      const callId = readString(message, 'tool_call_id', path);
      return { kind: 'result', callId, isReal: !isMissingResultText(text), source: message };
    }
    case 'assistant':
      return readAssistant(message, path);
    default:
      return reject(
        `${path}.role`,
        '"system", "developer", "user", "assistant" or "tool"',
        getOwn(message, 'role'),
      );
  }
}

/** @param effectOf what a call of a tool may have done. */
export function openaiFormat(effectOf: (tool: string, args: JsonObject) => Effect): PartFormat<JsonObject> {
  return {
    withCallIds: (message, callIds) => ({
      ...message,
      tool_calls: callsOf(message).map((call, index) =>
        isJsonObject(call) ? { ...call, id: callIds[index] ?? null } : call,
      ),
    }),
    withResultId: (message, callId) => ({ ...message, tool_call_id: callId }),
    missingResult: ({ callId, tool, args }) => ({
      role: 'tool',
      tool_call_id: callId,
      content: missingResultText(effectOf(tool, args ?? {})),
    }),
    opening: () => ({ role: 'user', content: OPENING_TEXT }),
  };
}

function readAssistant(message: JsonObject, path: string): Part<JsonObject> {
  const isContentAbsent = (getOwn(message, 'content') ?? null) === null;
  const text = isContentAbsent ? '' : textOf(readContent(message, path));
  const isCallsAbsent = (getOwn(message, 'tool_calls') ?? null) === null;
  const calls = isCallsAbsent
    ? []
    : readArray(message, 'tool_calls', path).map((call, index) =>
        readCall(call, `${path}.tool_calls[${index}]`),
      );
  const saysMore = isJsonObject(getOwn(message, 'audio')) || (getString(message, 'refusal') ?? '') !== '';
  return {
    kind: 'assistant',
    calls,
    hasContent: text.trim() !== '' || saysMore,
    source: withoutEmptyCalls(message),
  };
}

/** The API refuses an empty array of calls. */
function withoutEmptyCalls(message: JsonObject): JsonObject {
  const calls = getOwn(message, 'tool_calls');
  if (!isJsonArray(calls) || calls.length > 0) return message;
  return Object.fromEntries(Object.entries(message).filter(([key]) => key !== 'tool_calls'));
}

function callsOf(message: JsonObject): readonly JsonValue[] {
  const calls = getOwn(message, 'tool_calls');
  return isJsonArray(calls) ? calls : [];
}

/** A function call, or a custom one, whose input is free text. */
function readCall(value: JsonValue, path: string): CalledTool {
  const call = readObject(value, path);
  const callId = readString(call, 'id', path);
  if (getOwn(call, 'type') === 'custom') {
    const custom = readObject(getOwn(call, 'custom'), `${path}.custom`);
    return { callId, tool: readString(custom, 'name', `${path}.custom`), args: null };
  }
  const called = readObject(getOwn(call, 'function'), `${path}.function`);
  return {
    callId,
    tool: readString(called, 'name', `${path}.function`),
    args: readArguments(called, `${path}.function`),
  };
}

/** Text that holds an object; some servers give the object itself. */
function readArguments(called: JsonObject, path: string): JsonObject | null {
  const given = getOwn(called, 'arguments');
  if (isJsonObject(given)) return given;
  if (typeof given !== 'string') return reject(`${path}.arguments`, 'a string', given);
  const parsed = parseJson(given);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : null;
}

type Content = string | readonly JsonObject[];

function readContent(message: JsonObject, path: string): Content {
  const content = getOwn(message, 'content');
  if (typeof content === 'string') return content;
  if (isJsonArray(content)) return readBlocks(content, `${path}.content`);
  return reject(`${path}.content`, 'a string or an array of parts', content);
}

/** What the content says. A part that is no text counts as saying something. */
function textOf(content: Content): string {
  if (typeof content === 'string') return content;
  return content.map((part) => getString(part, 'text') ?? `[${getString(part, 'type') ?? ''}]`).join('');
}
