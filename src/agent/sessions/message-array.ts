import { fail, HermaError, type Result, succeed } from '../../kernel/errors/index.ts';
import {
  getOwn,
  getString,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  toJsonValue,
} from '../../kernel/json/index.ts';
import type { Effect } from '../../kernel/tool-call/index.ts';
import {
  anthropicFormat,
  type BlockGroup,
  readAnthropicMessage,
  writeAnthropicMessages,
} from './anthropic-form.ts';
import { isJsonArray, reject } from './json-reader.ts';
import type { Message } from './message.ts';
import { openaiFormat, readOpenaiMessage } from './openai-form.ts';
import { readOwnMessage } from './own-form.ts';
import type { Part } from './part.ts';
import { repairMessages } from './repair-messages.ts';
import { repairParts } from './repair-parts.ts';

/** A list of messages in the form it was given in. Made by {@link parseMessageArray}; its inside is nobody's business. */
export type MessageArray =
  | { readonly form: 'anthropic'; readonly parts: readonly Part<BlockGroup>[] }
  | { readonly form: 'openai'; readonly parts: readonly Part<JsonObject>[] }
  | { readonly form: 'herma'; readonly messages: readonly Message[] };

export interface MessageArrayRepairOptions {
  /** Tools known to change nothing. A call of any other may have had an effect. */
  readonly readOnlyTools: ReadonlySet<string>;
}

/**
 * Reads a list of messages in the form of the Anthropic Messages API (`content` blocks with `tool_use` and
 * `tool_result`), of the OpenAI Chat Completions API (`tool_calls`, role `tool`) or of {@link Message}; the form is told
 * by what is in the list. A list that fits both of the first two is taken as Anthropic's, the stricter. Fields that are
 * not known are kept.
 *
 * Fails with `invalid_messages`, naming the position (`messages[2].content[0].id`), what was expected there and what
 * was found.
 */
export function parseMessageArray(json: JsonValue): Result<MessageArray, 'invalid_messages'> {
  try {
    return succeed(readMessageArray(json));
  } catch (error) {
    if (!HermaError.isInstance(error)) throw error;
    return fail('invalid_messages', error.message, error.remedy);
  }
}

/** {@link repairMessages} for a list in any form. */
export function repairMessageArray(array: MessageArray, options: MessageArrayRepairOptions): MessageArray {
  const effectOf = (tool: string): Effect => (options.readOnlyTools.has(tool) ? 'none' : 'external');
  switch (array.form) {
    case 'anthropic':
      return { form: array.form, parts: repairParts(array.parts, anthropicFormat(effectOf)) };
    case 'openai':
      return { form: array.form, parts: repairParts(array.parts, openaiFormat(effectOf)) };
    case 'herma':
      return { form: array.form, messages: repairMessages(array.messages, { effectOf }) };
  }
}

/**
 * The list in its own form. What was not changed comes out deeply equal to what was given. In Anthropic's form roles
 * alternate: neighbours of one role are joined, two plain strings by a blank line.
 */
export function encodeMessageArray(array: MessageArray): JsonValue {
  switch (array.form) {
    case 'anthropic':
      return writeAnthropicMessages(array.parts.map(({ source }) => source));
    case 'openai':
      return array.parts.map(({ source }) => source);
    case 'herma':
      return toJsonValue(array.messages);
  }
}

function readMessageArray(json: JsonValue): MessageArray {
  const values = isJsonArray(json) ? json : reject('messages', 'an array', json);
  const form = formOf(values);
  switch (form) {
    case 'anthropic':
      return {
        form,
        parts: values.flatMap((value, index) => readAnthropicMessage(value, `messages[${index}]`)),
      };
    case 'openai':
      return { form, parts: values.map((value, index) => readOpenaiMessage(value, `messages[${index}]`)) };
    case 'herma':
      return { form, messages: values.map((value, index) => readOwnMessage(value, `messages[${index}]`)) };
  }
}

const ANTHROPIC_BLOCKS = new Set(['tool_use', 'tool_result']);
const OPENAI_ROLES = new Set(['tool', 'system', 'developer']);
const OPENAI_PARTS = new Set(['image_url', 'input_audio', 'refusal', 'file']);

function formOf(values: readonly JsonValue[]): MessageArray['form'] {
  const messages = values.filter(isJsonObject);
  if (messages.some(isOwn)) return 'herma';
  const types = messages.flatMap(blockTypesOf);
  if (types.some((type) => ANTHROPIC_BLOCKS.has(type))) return 'anthropic';
  return messages.some(isOpenai) || types.some((type) => OPENAI_PARTS.has(type)) ? 'openai' : 'anthropic';
}

function isOwn(message: JsonObject): boolean {
  return getString(message, 'text') !== undefined && getOwn(message, 'content') === undefined;
}

function isOpenai(message: JsonObject): boolean {
  return (
    OPENAI_ROLES.has(getString(message, 'role') ?? '') ||
    getOwn(message, 'tool_calls') !== undefined ||
    getOwn(message, 'content') === null
  );
}

function blockTypesOf(message: JsonObject): readonly string[] {
  const content = getOwn(message, 'content');
  return isJsonArray(content)
    ? content.flatMap((block) => (isJsonObject(block) ? [getString(block, 'type') ?? ''] : []))
    : [];
}
