import { globalOptions } from '../global-options.ts';
import type { Argument, CompletionKind, Option } from '../inputs.ts';
import type { Verb, VerbEntry } from '../verb.ts';

/** What the value of an option, or an argument, is completed with. */
export type ValueCompletion =
  | { readonly type: 'words'; readonly words: readonly string[] }
  | { readonly type: 'dynamic'; readonly kind: Exclude<CompletionKind, 'files' | 'folders'> }
  | { readonly type: 'files' | 'folders' | 'nothing' };

export interface OptionNode {
  /** `-y` and `--yes`. */
  readonly names: readonly string[];
  readonly summary: string;
  /** Absent for a flag. */
  readonly value?: ValueCompletion;
}

/** A command as the completion scripts need it. */
export interface CommandNode {
  /** Empty for the program itself. */
  readonly path: readonly string[];
  readonly summary: string;
  /** With those that every command takes. */
  readonly options: readonly OptionNode[];
  /** In their order; the last one also stands for those that follow when it takes all that remain. */
  readonly arguments: readonly { readonly value: ValueCompletion; readonly isVariadic: boolean }[];
  readonly subcommands: readonly CommandNode[];
}

/** The tree of all commands that are not hidden. Loads every verb. */
export async function commandTree(table: readonly VerbEntry[]): Promise<CommandNode> {
  const visible = table.filter(({ isHidden }) => isHidden !== true);
  const verbs = await Promise.all(visible.map(async ({ load }) => (await load()).verb));
  const version: OptionNode = { names: ['-V', '--version'], summary: 'print the version' };
  return {
    path: [],
    summary: '',
    options: [...everywhere(), version],
    arguments: [],
    subcommands: verbs.map((verb) => toNode(verb, [verb.name])),
  };
}

/** The commands of the tree, each before its subcommands. */
export function allCommands(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.subcommands.flatMap(allCommands)];
}

function toNode(verb: Verb, path: readonly string[]): CommandNode {
  const own = (verb.options ?? []).map(toOption);
  const taken = new Set(own.flatMap(({ names }) => names));
  const shared = everywhere().map((option) => ({
    ...option,
    names: option.names.filter((name) => !taken.has(name)),
  }));
  return {
    path,
    summary: verb.summary,
    options: [...own, ...shared],
    arguments: (verb.arguments ?? []).map((argument) => ({
      value: completionOf(argument),
      isVariadic: argument.isVariadic,
    })),
    subcommands: (verb.subcommands ?? [])
      .filter(({ isHidden }) => isHidden !== true)
      .map((below) => toNode(below, [...path, below.name])),
  };
}

function everywhere(): readonly OptionNode[] {
  const help: OptionNode = { names: ['-h', '--help'], summary: 'show help' };
  return [...Object.values(globalOptions).map(toOption), help];
}

function toOption(option: Option): OptionNode {
  const names = option.flags.match(/--?[\w-]+/g) ?? [];
  const { summary } = option;
  return option.parse === undefined ? { names, summary } : { names, summary, value: completionOf(option) };
}

function completionOf({ choices, completion }: Option | Argument): ValueCompletion {
  if (choices !== undefined) return { type: 'words', words: choices };
  if (completion === undefined) return { type: 'nothing' };
  return completion === 'files' || completion === 'folders'
    ? { type: completion }
    : { type: 'dynamic', kind: completion };
}
