import type { JsonObject } from '../../kernel/json/index.ts';
import type { Effect } from '../../kernel/tool-call/index.ts';
import type { Message } from './message.ts';
import { missingResultText, OPENING_TEXT } from './missing-result.ts';
import type { Part, PartFormat } from './part.ts';
import { repairParts } from './repair-parts.ts';

export interface RepairOptions {
  /**
   * What a call of `tool` may have done. `args` is empty when the model sent none that can be read. For a tool that is
   * not known the answer is `external`.
   */
  readonly effectOf: (tool: string, args: JsonObject) => Effect;
}

/**
 * The list as it can be sent to a model.
 *
 * - Every call is answered exactly once, right after its assistant message and in the order of the calls. What stood
 *   in between (words of the user, say) follows the results; all else keeps its order.
 * - A result answers the nearest assistant message before it that has a call of its id. The first real one wins; a
 *   stand-in (status `unknown`) counts only where there is no real one. Results without a call are dropped.
 * - A call without a result gets a stand-in of status `unknown` that tells the truth: a call of effect `none` "did not
 *   finish"; of any other "its effect is unknown", to be inspected before repeating.
 * - Ids of calls are unique in the whole list: from the second use on an id gets a number, and so does its result. The
 *   choice depends only on what comes before, so appending to a list never changes its beginning.
 * - Assistant messages with neither text nor calls are dropped.
 * - A list starts with a user message; one that does not gets a synthetic one. An empty list stays empty.
 *
 * Pure and idempotent. In a list that needs no repair every message comes back as the same object. Two user messages in
 * a row are left alone: joining them, where a provider wants that, belongs to the provider's format.
 */
export function repairMessages(messages: readonly Message[], options: RepairOptions): Message[] {
  return repairParts(messages.map(partOf), messageFormat(options)).map(({ source }) => source);
}

function partOf(message: Message): Part<Message> {
  switch (message.role) {
    case 'user':
      return { kind: 'user', source: message };
    case 'assistant':
      return {
        kind: 'assistant',
        calls: message.calls,
        hasContent: message.text.trim() !== '',
        source: message,
      };
    case 'tool':
      return {
        kind: 'result',
        callId: message.callId,
        isReal: message.status !== 'unknown',
        source: message,
      };
  }
}

function messageFormat({ effectOf }: RepairOptions): PartFormat<Message> {
  return {
    withCallIds: (message, callIds) =>
      message.role === 'assistant'
        ? {
            ...message,
            calls: message.calls.map((call, index) => ({ ...call, callId: callIds[index] ?? call.callId })),
          }
        : message,
    withResultId: (message, callId) => (message.role === 'tool' ? { ...message, callId } : message),
    missingResult: ({ callId, tool, args }) => ({
      role: 'tool',
      callId,
      tool,
      text: missingResultText(effectOf(tool, args ?? {})),
      status: 'unknown',
    }),
    opening: () => ({ role: 'user', text: OPENING_TEXT, synthetic: 'summary' }),
  };
}
