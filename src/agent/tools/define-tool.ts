import type { Tool, ToolOutcome } from '../../gate/index.ts';
import { suggest } from '../../kernel/errors/index.ts';
import { getOwn, isJsonObject, type JsonObject, parseJson } from '../../kernel/json/index.ts';
import type { ToolDeclaration } from '../../kernel/tool-call/index.ts';

/**
 * A tool of a declaration and what it does. Arguments the declaration does not know are let pass, as models and hooks add
 * some of their own, and take no effect; the result says so, lest a misspelt one goes unnoticed: as
 * `ignored_arguments` where it is a JSON object, else in a last line in brackets.
 */
export function defineTool(declaration: ToolDeclaration, run: Tool['execute']): Tool {
  const properties = getOwn(declaration.parameters, 'properties');
  const known = isJsonObject(properties) ? Object.keys(properties) : [];
  return {
    ...declaration,
    execute: async (ticket, toolRun) => {
      const ignored = ignoredArguments(ticket.call.args, known);
      const outcome = await run(ticket, toolRun);
      return ignored.length === 0 ? outcome : withNote(outcome, ignored);
    },
  };
}

function ignoredArguments(args: JsonObject, known: readonly string[]): readonly string[] {
  return Object.keys(args)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = suggest(name, known);
      const shown = name.slice(0, 40);
      return near === undefined ? shown : `${shown} (did you mean ${near}?)`;
    });
}

function withNote(outcome: ToolOutcome, ignored: readonly string[]): ToolOutcome {
  if (outcome.status === 'ok') return { ...outcome, result: addNote(outcome.result, ignored) };
  if (outcome.result !== undefined) return { ...outcome, result: addNote(outcome.result, ignored) };
  return { ...outcome, message: addNote(outcome.message, ignored) };
}

function addNote(text: string, ignored: readonly string[]): string {
  const parsed = text.startsWith('{') ? parseJson(text) : undefined;
  if (parsed?.ok === true && isJsonObject(parsed.value)) {
    return JSON.stringify({ ...parsed.value, ignored_arguments: ignored });
  }
  return `${text}\n[ignored arguments: ${ignored.join(', ')}]`;
}
