import type { JsonObject, JsonSchema } from '../json/index.ts';
import type { Effect } from './effect.ts';

/** One file a call is to leave behind. */
export interface ForeseenChange {
  /** Absolute, links followed: what is written to. */
  readonly path: string;
  /** The whole content it is to have then; a text stands for its UTF-8. */
  readonly after: { readonly content: Uint8Array | string } | 'absent';
}

/** What a tool says of itself. Everything the gate decides about a call starts here. */
export interface ToolDeclaration {
  readonly name: string;
  /** Shown to the model. */
  readonly description: string;
  /** The arguments: an object schema, draft 2020-12. */
  readonly parameters: JsonSchema;
  /** The worst a call of this tool may do. */
  readonly effect: Effect;
  /** The effect of one call, when its arguments say more than the tool alone (such as `list` or `kill`). */
  readonly effectOf?: (args: JsonObject) => Effect;
  /** Whether repeating a call with the same arguments leaves the world as one call does. */
  readonly idempotent: boolean;
  /** Names of arguments that hold a file path. */
  readonly pathArguments: readonly string[];
  /** The paths of one call, when they stand inside another argument (such as the body of a patch). */
  readonly pathsOf?: (args: JsonObject) => readonly string[];
  /**
   * Which files a call is to leave, worked out without changing anything; none when the call would fail, or when that cannot be known.
   */
  readonly foresee?: (call: {
    readonly args: JsonObject;
    /** Absolute. */
    readonly cwd: string;
  }) => Promise<readonly ForeseenChange[]>;
  /** Whether all it does are calls that pass the gate themselves, as those of a delegated child do. */
  readonly actsThroughGate?: boolean;
}

export function effectOfCall(tool: ToolDeclaration, args: JsonObject): Effect {
  return tool.effectOf?.(args) ?? tool.effect;
}

/** The file paths a call names, as given: not resolved, in order, without repeats. */
export function pathsOfCall(tool: ToolDeclaration, args: JsonObject): readonly string[] {
  const named = tool.pathArguments.flatMap((name) => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    return typeof value === 'string' ? [value] : [];
  });
  return [...new Set([...named, ...(tool.pathsOf?.(args) ?? [])])];
}
