import type { Tool, ToolCatalog } from '../../gate/index.ts';
import { fail, type Result } from '../../kernel/errors/index.ts';
import type { JsonObject } from '../../kernel/json/index.ts';
import { type Effect, effectOfCall, type ToolDeclaration } from '../../kernel/tool-call/index.ts';

/** The tools of one agent, by name. A name nobody gave a tool finds none, whatever it is (`constructor`, `__proto__`). */
export interface ToolBox extends ToolCatalog {
  lookup(name: string): Tool | undefined;
  /** In the order they were given. */
  names(): readonly string[];
  /** What a model is told of the tools: without the means to run them. */
  declarations(): readonly ToolDeclaration[];
  /** What a call of `tool` may do; `external` when there is no such tool here. */
  readonly effectOf: (tool: string, args: JsonObject) => Effect;
  /** The same without those names, as for a child that may do less. */
  without(names: Iterable<string>): ToolBox;
  /** Those of the names that are there. */
  only(names: Iterable<string>): ToolBox;
}

/** Fails when two tools have the same name, and tells them apart by what they say of themselves. */
export function createToolBox(tools: readonly Tool[]): Result<ToolBox, 'duplicate_tool'> {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    const other = byName.get(tool.name);
    if (other !== undefined) return duplicate(other, tool);
    byName.set(tool.name, tool);
  }
  return { ok: true, value: toolBoxOf(byName) };
}

function duplicate(first: Tool, second: Tool): Result<never, 'duplicate_tool'> {
  return fail(
    'duplicate_tool',
    `Two tools are called "${first.name}": ${introduce(first)} and ${introduce(second)}.`,
    'Give one of them another name, or leave it out.',
  );
}

function introduce({ description }: Tool): string {
  return `"${(description.split('\n')[0] ?? '').slice(0, 80)}"`;
}

function toolBoxOf(tools: ReadonlyMap<string, Tool>): ToolBox {
  const filtered = (isKept: (name: string) => boolean): ToolBox =>
    toolBoxOf(new Map([...tools].filter(([name]) => isKept(name))));
  return {
    lookup: (name) => tools.get(name),
    names: () => [...tools.keys()],
    declarations: () => [...tools.values()].map(declarationOf),
    effectOf: (name, args) => {
      const tool = tools.get(name);
      return tool === undefined ? 'external' : effectOfCall(tool, args);
    },
    without: (names) => {
      const removed = new Set(names);
      return filtered((name) => !removed.has(name));
    },
    only: (names) => {
      const kept = new Set(names);
      return filtered((name) => kept.has(name));
    },
  };
}

function declarationOf(tool: Tool): ToolDeclaration {
  const { name, description, parameters, effect, effectOf, idempotent, pathArguments, pathsOf } = tool;
  return {
    name,
    description,
    parameters,
    effect,
    idempotent,
    pathArguments,
    ...(effectOf === undefined ? {} : { effectOf }),
    ...(pathsOf === undefined ? {} : { pathsOf }),
  };
}
