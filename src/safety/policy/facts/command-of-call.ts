import { getOwn, getString, type JsonObject, type JsonValue } from '../../../kernel/json/index.ts';

/** A tool that runs what one of its arguments says as a command of a shell. */
export interface CommandTool {
  readonly tool: string;
  /** The argument that holds the command: a text, or a list of words. */
  readonly argument: string;
  /** An argument with the language of the code; the code is a command only where that is a shell. */
  readonly language?: string;
}

/** `terminal` and `execute_code`, and the shells of the agents Herma is attached to. */
export const COMMAND_TOOLS: readonly CommandTool[] = [
  { tool: 'terminal', argument: 'command' },
  { tool: 'execute_code', argument: 'code', language: 'language' },
  { tool: 'Bash', argument: 'command' },
  { tool: 'bash', argument: 'command' },
  { tool: 'shell', argument: 'command' },
  { tool: 'local_shell', argument: 'command' },
  { tool: 'run_shell_command', argument: 'command' },
  { tool: 'exec', argument: 'command' },
  { tool: 'exec_command', argument: 'cmd' },
];

export type CommandOfCall =
  | { readonly type: 'none' }
  | { readonly type: 'command'; readonly text: string }
  /** The tool runs commands, and this is not one that can be read. */
  | { readonly type: 'unreadable' };

const SHELLS = ['sh', 'bash', 'dash', 'shell', 'zsh', 'ksh', 'ash'];
const DIRECTORIES = ['workdir', 'cwd', 'directory', 'dir_path'];

/** The command a call would run in a shell. */
export function commandOfCall(
  { tool, args }: { readonly tool: string; readonly args: JsonObject },
  tools: readonly CommandTool[],
): CommandOfCall {
  const entry = tools.find((each) => each.tool === tool);
  if (entry === undefined) return { type: 'none' };
  if (entry.language !== undefined && !isShell(getString(args, entry.language))) return { type: 'none' };
  const value = getOwn(args, entry.argument);
  if (value === undefined) return { type: 'none' };
  if (typeof value === 'string') return { type: 'command', text: value };
  const words = wordsOf(value);
  return words === undefined
    ? { type: 'unreadable' }
    : { type: 'command', text: words.map(quoted).join(' ') };
}

function isShell(language: string | undefined): boolean {
  return language !== undefined && SHELLS.includes(language.trim().toLowerCase());
}

function wordsOf(value: JsonValue): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const words = value.filter((word) => typeof word === 'string').map(String);
  return words.length === value.length ? words : undefined;
}

/** A word as a shell reads it back, whatever is in it. */
export function quoted(word: string): string {
  return /^[\w%+,./:=@-]+$/.test(word) && !word.includes('=') ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The directory a command names for itself, as given. */
export function directoryOfCall(args: JsonObject): string | undefined {
  return DIRECTORIES.map((name) => getString(args, name)).find(
    (value) => value !== undefined && value !== '',
  );
}
