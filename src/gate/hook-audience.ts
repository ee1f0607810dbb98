import type { EventPayload } from '../kernel/events/index.ts';
import { type CallbackRegistry, callFields } from '../safety/hooks/index.ts';
import type { CallAudience, EndedCall } from './observers.ts';

/** The audience of the gate that the hooks make: `post_tool_call`, then `transform_tool_result`. */
export function hookAudience(callbacks: CallbackRegistry): CallAudience {
  return {
    observe: (ended, signal) =>
      callbacks.observe('post_tool_call', () => payloadOf(ended, ended.result), signal),
    transform: (ended, signal) =>
      callbacks.transform('transform_tool_result', (text) => payloadOf(ended, text), ended.result, signal),
  };
}

function payloadOf(ended: EndedCall, result: string): EventPayload<'post_tool_call'> {
  const { call, durationMs, status, errorType, errorMessage } = ended;
  return {
    ...callFields(call),
    result,
    durationMs,
    status,
    ...(errorType === undefined ? {} : { errorType }),
    ...(errorMessage === undefined ? {} : { errorMessage }),
  };
}
