import { type JsonValue, toJsonValue } from '../../kernel/json/index.ts';
import type { Message } from '../sessions/index.ts';

/** Messages in the form hooks know: `role`, `content`, `tool_calls`, `tool_call_id`. A copy: what a hook does to it changes nothing. */
export function historyOf(messages: readonly Message[]): readonly JsonValue[] {
  return messages.map((message): JsonValue => {
    switch (message.role) {
      case 'user':
        return { role: 'user', content: message.text };
      case 'assistant':
        return {
          role: 'assistant',
          content: message.text,
          tool_calls: message.calls.map(({ callId, tool, args }) => ({
            id: callId,
            name: tool,
            args: toJsonValue(args),
          })),
        };
      case 'tool':
        return { role: 'tool', tool_call_id: message.callId, name: message.tool, content: message.text };
    }
  });
}
