import type { JsonObject, JsonSchema } from '../json/index.ts';
import type { Effect } from './effect.ts';

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
