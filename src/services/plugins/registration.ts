import type { EventName } from '../../kernel/events/index.ts';
import type { ToolDeclaration } from '../../kernel/tool-call/index.ts';
import type { UnknownFunction } from './member-of.ts';
import type { PluginSection } from './plugin-api.ts';

/** A callback as it was registered. Plain data. */
export interface HookNote {
  readonly event: EventName;
  /** Milliseconds. */
  readonly timeLimitMs?: number;
  readonly recheck?: boolean;
}

/** A slash command as it was registered. Plain data. */
export interface CommandNote {
  readonly name: string;
  readonly summary: string;
  readonly usage?: string;
}

/** What a plugin registered, without the means to run any of it: plain data. */
export interface Registered {
  readonly hooks: readonly HookNote[];
  readonly tools: readonly ToolDeclaration[];
  /** Names of the tools whose calls it can look after. */
  readonly probes: readonly string[];
  readonly commands: readonly CommandNote[];
  readonly sections: readonly PluginSection[];
  /** One line for everything that was left out. */
  readonly problems: readonly string[];
}

export const NOTHING_REGISTERED: Registered = {
  hooks: [],
  tools: [],
  probes: [],
  commands: [],
  sections: [],
  problems: [],
};

/** The functions of what was registered, in the same order. */
export interface RegisteredFunctions {
  readonly hooks: readonly UnknownFunction[];
  readonly tools: readonly UnknownFunction[];
  readonly probes: readonly UnknownFunction[];
  readonly commands: readonly UnknownFunction[];
}

/** Throws when nothing stands at that place: a guard that is not there has not agreed to anything. */
export function functionAt(functions: readonly UnknownFunction[], index: number): UnknownFunction {
  const found = functions[index];
  if (found === undefined) throw new Error(NOT_REGISTERED);
  return found;
}

/** What a request fails with in a thread in which the plugin has not registered. */
export const NOT_REGISTERED = 'the plugin has not registered';
