import type { EventName } from '../../../kernel/events/index.ts';

export const MAX_HOOK_TIMEOUT_MS = 300_000;

/** One entry of `hooks:` in the configuration. */
export interface ShellHook {
  readonly event: EventName;
  /** A command line, split into words and run without a shell; trimmed. */
  readonly command: string;
  /** See `compileMatcher`. Without effect on events that are not about a tool. */
  readonly matcher?: string;
  /** Milliseconds, above 0; at most {@link MAX_HOOK_TIMEOUT_MS} count. */
  readonly timeoutMs: number;
  /** `pre_tool_call` only: whatever goes wrong with it blocks the calls it guards. */
  readonly failClosed: boolean;
  /** Names of variables the script gets besides the environment that all get. */
  readonly env: readonly string[];
  /** `pre_tool_call` only: false when it does not want to see arguments again that a later guard rewrote. */
  readonly recheck?: boolean;
}

/** Whether its failures block: only guards of calls have something to close. */
export function failsClosed({ event, failClosed }: Pick<ShellHook, 'event' | 'failClosed'>): boolean {
  return failClosed && event === 'pre_tool_call';
}
