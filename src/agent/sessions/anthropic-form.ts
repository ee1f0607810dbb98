import { getOwn, getString, isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json/index.ts';
import type { Effect } from '../../kernel/tool-call/index.ts';
import { isJsonArray, readBlocks, readObject, readString, reject } from './json-reader.ts';
import { isMissingResultText, missingResultText, OPENING_TEXT } from './missing-result.ts';
import type { Part, PartFormat } from './part.ts';

/** A message as it was given, with its content as blocks. */
interface Origin {
  readonly message: JsonObject;
  readonly blocks: readonly JsonObject[];
}

/** Blocks of one role that belong together, and the message they were given in. */
export interface BlockGroup {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly JsonObject[];
  /** None for what was made here. */
  readonly origin?: Origin;
}

/**
 * One message of the Messages API: an assistant part, or, for a user's, a part per `tool_result` and one for all else.
 * Blocks of other kinds are carried along untouched.
 */
export function readAnthropicMessage(value: JsonValue, path: string): readonly Part<BlockGroup>[] {
  const message = readObject(value, path);
  const role = getOwn(message, 'role');
  if (role !== 'user' && role !== 'assistant') return reject(`${path}.role`, '"user" or "assistant"', role);
  const content = getOwn(message, 'content');
  const blocks = readContent(content, `${path}.content`);
  const origin: Origin = { message, blocks };
  return role === 'user' ? readUser(origin, path) : [readAssistant(origin, path)];
}

/** @param effectOf what a call of a tool may have done. */
export function anthropicFormat(
  effectOf: (tool: string, args: JsonObject) => Effect,
): PartFormat<BlockGroup> {
  return {
    withCallIds: (group, callIds) => {
      const ids = callIds.values();
      const blocks = group.blocks.map((block) =>
        getOwn(block, 'type') === 'tool_use' ? { ...block, id: ids.next().value ?? null } : block,
      );
      return { ...group, blocks };
    },
    withResultId: (group, callId) => ({
      ...group,
      blocks: group.blocks.map((block) => ({ ...block, tool_use_id: callId })),
    }),
    missingResult: ({ callId, tool, args }) => {
      const content = missingResultText(effectOf(tool, args ?? {}));
      return { role: 'user', blocks: [{ type: 'tool_result', tool_use_id: callId, content }] };
    },
    opening: () => ({ role: 'user', blocks: [textBlock(OPENING_TEXT)] }),
  };
}

/**
 * The groups as messages whose roles alternate: neighbours of one role become one message. A message that is as it was
 * given comes out as the same object.
 */
export function writeAnthropicMessages(groups: readonly BlockGroup[]): readonly JsonObject[] {
  const runs: BlockGroup[][] = [];
  for (const group of groups) {
    const run = runs.at(-1);
    if (run?.[0]?.role === group.role) run.push(group);
    else runs.push([group]);
  }
  return runs.map(writeMessage);
}

function readUser(origin: Origin, path: string): readonly Part<BlockGroup>[] {
  const results = origin.blocks.flatMap((block, index): readonly Part<BlockGroup>[] => {
    const blockPath = `${path}.content[${index}]`;
    const type = getOwn(block, 'type');
    if (type === 'tool_use') return reject(`${blockPath}.type`, 'no tool_use in a user message', type);
    if (type !== 'tool_result') return [];
    const callId = readString(block, 'tool_use_id', blockPath);
    const isReal = !isMissingResultText(resultText(block));
    return [{ kind: 'result', callId, isReal, source: { role: 'user', blocks: [block], origin } }];
  });
  const rest = origin.blocks.filter((block) => getOwn(block, 'type') !== 'tool_result');
  if (rest.length === 0 && results.length > 0) return results;
  return [...results, { kind: 'user', source: { role: 'user', blocks: rest, origin } }];
}

function readAssistant(origin: Origin, path: string): Part<BlockGroup> {
  const calls = origin.blocks.flatMap((block, index) => {
    const blockPath = `${path}.content[${index}]`;
    const type = getOwn(block, 'type');
    if (type === 'tool_result')
      return reject(`${blockPath}.type`, 'no tool_result in an assistant message', type);
    if (type !== 'tool_use') return [];
    const input = getOwn(block, 'input');
    return [
      {
        callId: readString(block, 'id', blockPath),
        tool: readString(block, 'name', blockPath),
        args: isJsonObject(input) ? input : null,
      },
    ];
  });
  const hasContent = origin.blocks.some(
    (block) => getOwn(block, 'type') !== 'tool_use' && !isBlankText(block),
  );
  return {
    kind: 'assistant',
    calls,
    hasContent,
    source: { role: 'assistant', blocks: origin.blocks, origin },
  };
}

function readContent(content: JsonValue | undefined, path: string): readonly JsonObject[] {
  if (typeof content === 'string') return [textBlock(content)];
  if (isJsonArray(content)) return readBlocks(content, path);
  return reject(path, 'a string or an array of blocks', content);
}

function writeMessage(run: readonly BlockGroup[]): JsonObject {
  const blocks = run.flatMap((group) => group.blocks);
  const origins = [...new Set(run.flatMap(({ origin }) => (origin === undefined ? [] : [origin])))];
  const [only] = origins;
  if (origins.length === 1 && only !== undefined && isSameList(only.blocks, blocks)) return only.message;
  const fields = Object.fromEntries(origins.toReversed().flatMap(({ message }) => Object.entries(message)));
  const said = blocks.filter((block) => !isBlankText(block));
  const isPlain = run.every(({ origin }) => typeof getOwn(origin?.message ?? {}, 'content') === 'string');
  const content = isPlain
    ? said.map((block) => getString(block, 'text') ?? '').join('\n\n')
    : said.length > 0
      ? said
      : blocks;
  return { ...fields, role: run[0]?.role ?? 'user', content };
}

function isSameList(a: readonly JsonObject[], b: readonly JsonObject[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

/** The API refuses blocks of text that hold none. */
function isBlankText(block: JsonObject): boolean {
  return getOwn(block, 'type') === 'text' && (getString(block, 'text') ?? '').trim() === '';
}

/** What a result says, where that is a string or one block of text. */
function resultText(block: JsonObject): string {
  const content = getOwn(block, 'content');
  if (typeof content === 'string') return content;
  const [first, ...more] = isJsonArray(content) ? content : [];
  return more.length === 0 && isJsonObject(first) ? (getString(first, 'text') ?? '') : '';
}

function textBlock(text: string): JsonObject {
  return { type: 'text', text };
}
