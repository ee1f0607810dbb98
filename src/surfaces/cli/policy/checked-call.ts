import { type Failure, fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { isJsonObject, parseJson } from '../../../kernel/json/index.ts';
import { effectOfCall, pathsOfCall, type ToolDeclaration } from '../../../kernel/tool-call/index.ts';
import type { Clock } from '../../../platform/clock/index.ts';
import { COMMAND_TOOLS, type PolicyCall } from '../../../safety/policy/index.ts';
import { printableLine } from '../output/printable.ts';

/** What is to be judged, as it was typed. */
export interface CheckedText {
  /** The command of a tool that runs commands; the arguments of any other tool, as a JSON object. */
  readonly text: string;
  readonly tool: string;
  /** Absolute. */
  readonly cwd: string;
}

/** The call that a text stands for. Fails when a tool that runs no commands is given no arguments. */
export async function checkedCall(
  { text, tool, cwd }: CheckedText,
  clock: Clock,
): Promise<Result<PolicyCall>> {
  const runner = COMMAND_TOOLS.find(({ tool: name }) => name === tool);
  if (runner !== undefined) {
    const args: Record<string, string> = { [runner.argument]: text };
    if (runner.language !== undefined) args[runner.language] = 'bash';
    return succeed({ tool, args, cwd, paths: [], effect: 'execute' });
  }
  const parsed = parseJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) return noArguments(tool);
  const args = parsed.value;
  const declared = (await fileTools(clock)).find(({ name }) => name === tool);
  // As the gate has it: a tool that nobody declared may have any effect.
  if (declared === undefined) return succeed({ tool, args, cwd, paths: [], effect: 'external' });
  return succeed({
    tool,
    args,
    cwd,
    paths: pathsOfCall(declared, args),
    effect: effectOfCall(declared, args),
  });
}

function noArguments(tool: string): Failure {
  return fail(
    'usage',
    `the tool ${JSON.stringify(printableLine(tool.slice(0, 60).toWellFormed()))} runs no commands`,
    'give its arguments as a JSON object: \'{"path": "notes.txt"}\'',
  );
}

async function fileTools(clock: Clock): Promise<readonly ToolDeclaration[]> {
  const { createPatchTool, createReadFileTool, createSearchFilesTool, createWriteFileTool } = await import(
    '../../../agent/tools/index.ts'
  );
  const ports = { home: '/', isProtected: () => undefined };
  return [
    createReadFileTool({ home: ports.home }),
    createSearchFilesTool({ home: ports.home, clock }),
    createWriteFileTool(ports),
    createPatchTool(ports),
  ];
}
