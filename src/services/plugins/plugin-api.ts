import type { EventName, EventPayload } from '../../kernel/events/index.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../../kernel/json/index.ts';

export type { EventName, EventPayload } from '../../kernel/events/index.ts';
export type { JsonObject, JsonSchema, JsonValue } from '../../kernel/json/index.ts';

/** What the module of a plugin exports as `register`, or as its default. It may be asynchronous. */
export type RegisterPlugin = (context: PluginContext) => void | Promise<void>;

/** What a plugin is given. Everything is registered before `register` ends; afterwards the methods throw. */
export interface PluginContext {
  /** The name of the plugin's folder. */
  readonly name: string;
  /** The plugin's own part of the configuration, `plugins.config.<name>`; empty when there is none. Frozen. */
  readonly config: JsonObject;
  /** A folder of the plugin's own, absolute, created when it is first read. It outlives the plugin. */
  readonly dataDir: string;
  /** Lines for the log of the program, under the name of the plugin. */
  readonly logger: PluginLogger;
  /**
   * Calls `callback` at every event of that name, behind the callbacks that are there already. A callback that throws or
   * exceeds its time is reported and stops nothing; on `pre_tool_call` it blocks the call.
   *
   * @throws Error for an event that does not exist.
   */
  registerHook<E extends EventName>(event: E, callback: HookCallback<E>, options?: HookOptions): void;
  /**
   * Offers a tool to the model. Its calls pass the gate as those of any tool do. One that is malformed, or whose name is
   * taken, is reported and left out.
   */
  registerTool(tool: PluginTool): void;
  /**
   * Looks whether the effect of a call of that tool, one of the plugin's own, is there: asked when nobody saw how the call ended. It reads
   * and changes nothing. One for a tool that the plugin does not offer is reported and left out.
   */
  registerProbe(tool: string, probe: PluginProbe): void;
  /** Adds `/name` to the chat. One that is malformed, or whose name is taken, is reported and left out. */
  registerCommand(command: PluginCommand): void;
  /**
   * Adds a text to the system prompt of new sessions: at most 4,000 characters, all plugins together at most 32 texts and
   * 8,000 characters. One beyond that is reported and left out.
   */
  registerSystemPromptSection(section: PluginSection): void;
}

/**
 * What a callback may return depends on the event: `docs/events.md`.
 *
 * @param signal aborted when its time is up, and when the person interrupts.
 */
export type HookCallback<E extends EventName> = (payload: EventPayload<E>, signal: AbortSignal) => unknown;

export interface HookOptions {
  /** Seconds; by default `plugins.hook_callback_timeout`, which it cannot exceed. */
  readonly timeout?: number;
  /** `pre_tool_call` only: false when the callback need not see arguments that a later one rewrote. */
  readonly recheck?: boolean;
}

/** What a tool may do to the world: nothing, write the files it names, run commands, or anything else. */
export type PluginToolEffect = 'none' | 'write' | 'execute' | 'external';

export interface PluginTool {
  /** Letters, digits, `_` and `-`, at most 64; not `mcp__…`. */
  readonly name: string;
  /** For the model. */
  readonly description: string;
  /** The arguments: a JSON Schema of an object, draft 2020-12; any object when absent. */
  readonly parameters?: JsonSchema;
  /** The worst a call may do; `external` when absent. A tool that says less than it does escapes the guards of what it does. */
  readonly effect?: PluginToolEffect;
  /** Whether repeating a call leaves the world as one call does; false when absent. */
  readonly idempotent?: boolean;
  /** Names of arguments that hold a file path. */
  readonly pathArguments?: readonly string[];
  /** A throw ends the call as an error. */
  execute(args: JsonObject, run: PluginToolRun): PluginToolAnswer | Promise<PluginToolAnswer>;
}

/** A text for the model, a result (written as JSON unless it is a text), or what went wrong. */
export type PluginToolAnswer = string | { readonly result: JsonValue } | { readonly error: string };

export interface PluginToolRun {
  /** Aborted when the person interrupts. */
  readonly signal: AbortSignal;
  /** Absolute; where relative paths of the call start. */
  readonly cwd: string;
  /** For lines worth showing while the tool runs. */
  readonly onProgress: (line: string) => void;
}

/**
 * An answer after two seconds, a throw, and anything that is no finding count as `UNKNOWN`.
 *
 * @param signal aborted when its time is up.
 */
export type PluginProbe = (
  call: PluginProbeCall,
  signal: AbortSignal,
) => PluginProbeFinding | Promise<PluginProbeFinding>;

/** A call whose end nobody saw. */
export interface PluginProbeCall {
  /** As the journal keeps them: without secrets, what is long cut short. */
  readonly args: JsonObject;
  /** Absolute. */
  readonly cwd: string;
  /** ISO 8601, UTC. */
  readonly issuedAt: string;
  readonly sessionId: string;
  readonly toolCallId: string;
}

export interface PluginProbeFinding {
  readonly verdict: 'LANDED' | 'NOT_LANDED' | 'PARTIAL' | 'UNKNOWN';
  /** One line for the model and the person: what was looked at, and what was seen. */
  readonly evidence: string;
}

export interface PluginCommand {
  /** Without the slash: lower-case letters, digits, `_` and `-`, beginning with a letter, at most 32. */
  readonly name: string;
  /** One line, for the help. */
  readonly summary: string;
  /** What follows the name, for the help: `[on|off]`. */
  readonly usage?: string;
  /** @param argument what the person typed behind the name, without the spaces around it. */
  run(argument: string, io: PluginCommandIo): void | Promise<void>;
}

export interface PluginCommandIo {
  readonly print: (line: string) => void;
  /** Aborted when the person interrupts. */
  readonly signal: AbortSignal;
}

export interface PluginSection {
  /** Lower-case letters, digits, `.`, `_` and `-`, beginning with a letter or a digit, at most 128. */
  readonly id: string;
  /** Not blank, at most 4,000 characters. */
  readonly text: string;
}

export interface PluginLogger {
  debug(message: string, fields?: JsonObject): void;
  info(message: string, fields?: JsonObject): void;
  warn(message: string, fields?: JsonObject): void;
  error(message: string, fields?: JsonObject): void;
}
