import type { AssistantModelMessage, ModelMessage } from 'ai';
import { isJsonObject, type JsonValue, toJsonValue } from '../../kernel/json/index.ts';
import type { Message, RequestedCall } from '../sessions/index.ts';
import { CallIds } from './call-ids.ts';
import type { ReplyMemory } from './reply-memory.ts';

/** Stands for a message without text, which providers refuse. */
const NO_TEXT = '(no text)';

/** OpenAI refuses longer names of tools. */
const MAX_NAME_CHARS = 64;

/** How much of arguments that were no JSON object the model is shown again. */
const MAX_RAW_CHARS = 2_000;

export interface ConversionOptions {
  /** What the provider accepts as id of a call. */
  readonly callId: RegExp;
  /** Names of the tools that go with the messages. */
  readonly offered: ReadonlySet<string>;
  readonly memory: ReplyMemory;
}

/**
 * The messages of a session as the AI SDK takes them. Order, and which result answers which call, are kept; ids only
 * as far as the provider accepts them, and so names of tools that there are none of. The context of a user message follows its text after a blank line. A call
 * whose arguments are no JSON object is sent with none, and its result says what they were. Text is made valid
 * Unicode.
 */
export function toSdkMessages(messages: readonly Message[], options: ConversionOptions): ModelMessage[] {
  const ids = new CallIds(options.callId);
  let unreadable = new Map<string, string>();
  return messages.map((message): ModelMessage => {
    switch (message.role) {
      case 'user':
        return { role: 'user', content: userText(message.text, message.context) };
      case 'assistant':
        if (message.calls.length > 0) {
          ids.open(message.calls.map(({ callId }) => callId));
          unreadable = rawArguments(message.calls);
        }
        return { role: 'assistant', content: assistantContent(message, ids, options) };
      case 'tool': {
        const raw = unreadable.get(message.callId);
        const note =
          raw === undefined
            ? ''
            : `\n\nThe arguments of this call were no JSON object and were not read:\n${raw}`;
        const value = (message.text + note).toWellFormed();
        const output = { type: message.status === 'ok' ? 'text' : 'error-text', value } as const;
        const toolCallId = ids.of(message.callId);
        return {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId, toolName: nameOf(message.tool, options), output }],
        };
      }
    }
  });
}

function userText(text: string, context: string | undefined): string {
  const parts = [text, context ?? ''].filter((part) => part.trim() !== '');
  return parts.length === 0 ? NO_TEXT : parts.join('\n\n').toWellFormed();
}

function assistantContent(
  { text, calls }: Extract<Message, { readonly role: 'assistant' }>,
  ids: CallIds,
  options: ConversionOptions,
): AssistantModelMessage['content'] {
  if (calls.length === 0) return text.trim() === '' ? NO_TEXT : text.toWellFormed();
  const remembered = options.memory.recall(text, calls);
  if (remembered !== undefined) return remembered.map((part) => partToSend(part, ids, options));
  return [
    ...(text.trim() === '' ? [] : [{ type: 'text', text: text.toWellFormed() } as const]),
    ...calls.map(({ callId, tool, args }) => {
      return {
        type: 'tool-call',
        toolCallId: ids.of(callId),
        toolName: nameOf(tool, options),
        input: wellFormed(args ?? {}),
      } as const;
    }),
  ];
}

type ReplyPart = Exclude<AssistantModelMessage['content'], string>[number];

/** A part of a reply as it came, as far as a provider takes it back. */
function partToSend(part: ReplyPart, ids: CallIds, options: ConversionOptions): ReplyPart {
  if (part.type === 'text' || part.type === 'reasoning') return { ...part, text: part.text.toWellFormed() };
  if (part.type !== 'tool-call') return part;
  return {
    ...part,
    toolCallId: ids.of(part.toolCallId),
    toolName: nameOf(part.toolName, options),
    input: wellFormed(toJsonValue(part.input)),
  };
}

/** One call under a name that a provider refuses would make it refuse every request that follows. */
function nameOf(tool: string, { offered }: ConversionOptions): string {
  if (tool === '') return 'unnamed_tool';
  return offered.has(tool) ? tool : tool.replace(/[^\w-]/g, '_').slice(0, MAX_NAME_CHARS);
}

function rawArguments(calls: readonly RequestedCall[]): Map<string, string> {
  return new Map(
    calls.flatMap(({ callId, args, rawArgs }) =>
      args === null && rawArgs !== undefined ? [[callId, cut(rawArgs)] as const] : [],
    ),
  );
}

function cut(text: string): string {
  return text.length <= MAX_RAW_CHARS ? text : `${text.slice(0, MAX_RAW_CHARS)} […]`;
}

function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toWellFormed();
  if (value === null || typeof value !== 'object') return value;
  if (!isJsonObject(value)) return value.map(wellFormed);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]),
  );
}
