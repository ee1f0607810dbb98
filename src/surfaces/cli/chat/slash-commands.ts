import { suggest } from '../../../kernel/errors/index.ts';
import type { SlashCommandInfo } from './chat-screen.ts';

/** A command the person types into the conversation. */
export interface SlashCommand extends SlashCommandInfo {
  /** Names it also goes by. */
  readonly aliases?: readonly string[];
  /** What follows the name, for the help. */
  readonly usage?: string;
  readonly run: (argument: string) => Promise<'go-on' | 'leave'>;
}

/** What the commands are about. */
export interface Commanded {
  /** Lists the commands, or explains the one of that name. */
  help(name: string): void;
  startNew(): Promise<void>;
  /** Shows the model, or uses the one of that name. */
  model(name: string): Promise<void>;
  listSessions(): void;
  sessionIds(): readonly string[];
  resume(sessionId: string): Promise<void>;
  compress(): Promise<void>;
  /** Lists checkpoints, shows what changed since one, or restores it. */
  rollback(argument: string): Promise<void>;
}

/** Every slash command. The help and the completion are made from this list. */
export function slashCommands(chat: Commanded): readonly SlashCommand[] {
  return [
    {
      name: 'help',
      usage: '[command]',
      summary: 'list the commands',
      run: (argument) => goOn(chat.help(argument)),
    },
    {
      name: 'new',
      aliases: ['reset'],
      summary: 'start a new session',
      run: () => goOn(chat.startNew()),
    },
    {
      name: 'model',
      usage: '[provider:name]',
      summary: 'show the model, or use another',
      run: (argument) => goOn(chat.model(argument)),
    },
    { name: 'sessions', summary: 'list earlier sessions', run: () => goOn(chat.listSessions()) },
    {
      name: 'resume',
      usage: 'ID',
      summary: 'take up an earlier session',
      complete: () => chat.sessionIds(),
      run: (argument) => goOn(chat.resume(argument)),
    },
    {
      name: 'rollback',
      usage: '[N|diff N|undo]',
      summary: 'list checkpoints, or take back what was done since one',
      complete: () => ['diff', 'undo'],
      run: (argument) => goOn(chat.rollback(argument)),
    },
    { name: 'compress', summary: 'condense the history now', run: () => goOn(chat.compress()) },
    {
      name: 'exit',
      aliases: ['quit'],
      summary: 'leave',
      run: async () => Promise.resolve('leave'),
    },
  ];
}

/** Whether a line is for the program: a slash and a word. A path is part of a message. */
export function isCommandLine(line: string): boolean {
  return /^\/[\w-]*(\s|$)/.test(line);
}

/** The command of a line that begins with a slash; an unknown one comes back with what was probably meant. */
export function findCommand(
  commands: readonly SlashCommand[],
  line: string,
):
  | { readonly command: SlashCommand; readonly argument: string }
  | { readonly unknown: string; readonly meant?: string } {
  const [, name = '', argument = ''] = /^\/(\S*)\s*([^]*)$/.exec(line) ?? [];
  const command = commands.find((each) => each.name === name || each.aliases?.includes(name) === true);
  if (command !== undefined) return { command, argument: argument.trim() };
  const meant = suggest(
    name,
    commands.flatMap((each) => [each.name, ...(each.aliases ?? [])]),
  );
  return meant === undefined ? { unknown: name } : { unknown: name, meant };
}

async function goOn(work: Promise<void> | void): Promise<'go-on'> {
  await work;
  return 'go-on';
}
