import { isJsonObject, type JsonObject, toJsonValue } from '../../../kernel/json/index.ts';

/** A tool as its server describes it. */
export interface DescribedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
}

/** A tool that is taken over: every request to a model carries its description and its schema. */
export interface OfferedTool<Described> {
  readonly described: Described;
  readonly description: string;
  readonly parameters: JsonObject;
}

const MAX_TOOLS = 500;
const MAX_DESCRIPTION_CHARS = 10_000;
const MAX_SCHEMA_CHARS = 100_000;

/** What is taken of the tools a server lists, and one line for what is not. */
export function offeredTools<Described extends DescribedTool>(
  server: string,
  listed: readonly Described[],
): { readonly offered: readonly OfferedTool<Described>[]; readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  const leaveOut = (what: string): void => {
    warnings.push(`The MCP server "${server}" ${what}.`);
  };
  if (listed.length > MAX_TOOLS)
    leaveOut(`lists ${String(listed.length)} tools; those after the first ${String(MAX_TOOLS)} are left out`);
  const offered = listed.slice(0, MAX_TOOLS).flatMap((described): OfferedTool<Described>[] => {
    const parameters = toJsonValue(described.inputSchema);
    const description = shortened(described.description ?? '');
    if (isJsonObject(parameters) && JSON.stringify(parameters).length <= MAX_SCHEMA_CHARS)
      return [{ described, description, parameters }];
    leaveOut(
      `describes the arguments of ${JSON.stringify(described.name.slice(0, 100))} in more than ${String(MAX_SCHEMA_CHARS)} characters: the tool is left out`,
    );
    return [];
  });
  return { offered, warnings };
}

function shortened(description: string): string {
  return description.length <= MAX_DESCRIPTION_CHARS
    ? description
    : `${description.slice(0, MAX_DESCRIPTION_CHARS - 1).toWellFormed()}…`;
}
