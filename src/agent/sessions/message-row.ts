import { fail, HermaError, type Result, succeed } from '../../kernel/errors/index.ts';
import {
  getOwn,
  getString,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../kernel/json/index.ts';
import { isJsonArray } from './json-reader.ts';
import type { Message, RequestedCall } from './message.ts';
import { readOwnMessage } from './own-form.ts';

/** The columns of `messages` that make up a {@link Message}. */
export type MessageColumns = {
  readonly role: string;
  /** The text of the message. */
  readonly content: string;
  /** Calls of an assistant message, JSON in the form of the OpenAI Chat Completions API. */
  readonly tool_calls: string | null;
  readonly tool_call_id: string | null;
  readonly tool_name: string | null;
  readonly status: string | null;
  readonly synthetic: string | null;
  readonly context: string | null;
  readonly pushed_back: number | null;
  /** The whole message in JSON, only where a text column cannot hold it: UTF-8 has no lone surrogates. */
  readonly exact: string | null;
};

const NO_COLUMNS = {
  tool_calls: null,
  tool_call_id: null,
  tool_name: null,
  status: null,
  synthetic: null,
  context: null,
  pushed_back: null,
};

export function encodeMessage(message: Message): MessageColumns {
  const columns = columnsOf(message);
  const isExact = Object.values(columns).every((value) => typeof value !== 'string' || value.isWellFormed());
  return { ...columns, exact: isExact ? null : JSON.stringify(message) };
}

/** The message of a row, exactly as it was encoded. Fails with `corrupt_message` on a row nobody here has written. */
export function decodeMessage(
  columns: Readonly<Record<string, unknown>>,
): Result<Message, 'corrupt_message'> {
  try {
    const json = typeof columns['exact'] === 'string' ? parse(columns['exact']) : messageJson(columns);
    return succeed(readOwnMessage(json ?? null, 'the message'));
  } catch (error) {
    if (!HermaError.isInstance(error)) throw error;
    return fail('corrupt_message', error.message);
  }
}

function columnsOf(message: Message): Omit<MessageColumns, 'exact'> {
  const { role, text } = message;
  switch (role) {
    case 'user': {
      const { synthetic = null, context = null } = message;
      return { ...NO_COLUMNS, role, content: text, synthetic, context };
    }
    case 'assistant': {
      const { calls, pushedBack } = message;
      const tool_calls = calls.length === 0 ? null : JSON.stringify(calls.map(encodeCall));
      const pushed_back = pushedBack === undefined ? null : Number(pushedBack);
      return { ...NO_COLUMNS, role, content: text, tool_calls, pushed_back };
    }
    case 'tool': {
      const { callId, tool, status } = message;
      return { ...NO_COLUMNS, role, content: text, tool_call_id: callId, tool_name: tool, status };
    }
  }
}

/** `invalid` and `raw_arguments` are ours: a call whose arguments are no object, and a text kept beside the object. */
function encodeCall({ callId, tool, args, rawArgs }: RequestedCall): JsonObject {
  const given = args === null ? (rawArgs ?? null) : JSON.stringify(args);
  return {
    id: callId,
    type: 'function',
    function: { name: tool, arguments: given },
    ...(args === null && { invalid: true }),
    ...(args !== null && rawArgs !== undefined && { raw_arguments: rawArgs }),
  };
}

function messageJson(columns: Readonly<Record<string, unknown>>): JsonObject {
  const common = { role: textOrNull(columns['role']), text: textOrNull(columns['content']) };
  switch (common.role ?? '') {
    case 'assistant':
      return {
        ...common,
        calls: decodeCalls(columns['tool_calls']),
        ...(columns['pushed_back'] !== null && { pushedBack: columns['pushed_back'] === 1 }),
      };
    case 'tool':
      return {
        ...common,
        callId: textOrNull(columns['tool_call_id']),
        tool: textOrNull(columns['tool_name']),
        status: textOrNull(columns['status']),
      };
    default:
      return {
        ...common,
        ...(columns['synthetic'] !== null && { synthetic: textOrNull(columns['synthetic']) }),
        ...(columns['context'] !== null && { context: textOrNull(columns['context']) }),
      };
  }
}

/** What is no array of calls comes out as null, which is then refused. */
function decodeCalls(column: unknown): JsonValue {
  if (column === null) return [];
  const calls = typeof column === 'string' ? parse(column) : null;
  return isJsonArray(calls) ? calls.map(decodeCall) : null;
}

function decodeCall(json: JsonValue): JsonValue {
  const called = isJsonObject(json) ? getOwn(json, 'function') : null;
  if (!isJsonObject(json) || !isJsonObject(called)) return null;
  const given = getString(called, 'arguments');
  const isInvalid = getOwn(json, 'invalid') === true;
  const rawArgs = isInvalid ? given : getString(json, 'raw_arguments');
  return {
    callId: getOwn(json, 'id') ?? null,
    tool: getOwn(called, 'name') ?? null,
    args: isInvalid || given === undefined ? null : (parse(given) ?? null),
    ...(rawArgs !== undefined && { rawArgs }),
  };
}

function parse(text: string): JsonValue | undefined {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : undefined;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
