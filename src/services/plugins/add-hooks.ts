import { EVENTS, type EventName } from '../../kernel/events/index.ts';
import type { CallbackOptions, CallbackRegistry } from '../../safety/hooks/index.ts';
import { callbackName } from './callback-name.ts';
import type { HookNote } from './registration.ts';
import type { RunningPlugin } from './running-plugin.ts';

/** An isolated plugin measures its own time, so that it can end its thread; the caller waits this much longer. */
const MARGIN_MS = 2000;

interface HookTimes {
  readonly callbacks: CallbackRegistry;
  /** 0 for no limit. */
  readonly callbackTimeoutMs: number;
}

/** Registers the callbacks of a plugin, in its order. The function it returns takes them away. */
export function addHooks(
  name: string,
  plugin: RunningPlugin,
  { callbacks, callbackTimeoutMs }: HookTimes,
): () => void {
  const longest = callbackTimeoutMs === 0 ? Number.POSITIVE_INFINITY : callbackTimeoutMs;
  const removals = plugin.registered.hooks.map((hook, index) => {
    const timeLimitMs = Math.min(hook.timeLimitMs ?? longest, longest);
    const options: CallbackOptions = {
      name: callbackName(name),
      ...(hook.recheck === undefined ? {} : { recheck: hook.recheck }),
      ...limitOf(hook, timeLimitMs, plugin.endsItself),
    };
    return callbacks.register<EventName>(hook.event, options, async (payload, signal) =>
      plugin.callHook(index, payload, { timeLimitMs, signal }),
    );
  });
  return () => {
    for (const remove of removals) remove();
  };
}

/** An event without a limit of its own, a last chance to flush, gets none here either. */
function limitOf(
  { event, timeLimitMs: own }: HookNote,
  timeLimitMs: number,
  endsItself: boolean,
): Pick<CallbackOptions, 'timeLimitMs'> {
  if (endsItself) return { timeLimitMs: timeLimitMs + MARGIN_MS };
  return EVENTS[event].timeLimitMs === null && own === undefined ? {} : { timeLimitMs };
}
