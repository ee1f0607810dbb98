import type { Command, ShellScript, Word } from '../shell-script.ts';
import type { CommandPlace } from './command-analysis.ts';
import type { Content } from './content.ts';
import type { Field } from './field.ts';
import type { Report } from './report.ts';
import type { ShellState } from './shell-state.ts';

/** One analysis of one command: what all its parts share. What runs answers with what it prints. */
export interface Analysis {
  readonly place: CommandPlace;
  readonly report: Report;
  /** What files that the command itself writes hold then, by absolute path. */
  readonly files: Map<string, Content>;
  /** Symbolic links that the command itself makes: where they are, and where they lead. */
  readonly links: Map<string, string>;
  /** Scripts that were read. */
  readonly scripts: Set<string>;
  readonly counters: { steps: number; limit: number; temporary: number; pipes: number; nesting: number };
  /** Commands that were looked at after all steps were spent. */
  readonly skimmed: Set<Command>;
  /** What `>( … )` in the words of the command that is being read runs, until that command has been looked at. */
  sinks: ShellScript[];
  /** A text with a substitution inside an index is in some variable: arithmetic can run it. */
  hasHiddenIndex: boolean;
  /** Descriptors that are open to another machine. */
  readonly connections: Set<string>;
  /** Other descriptors than the first three: what is read from them, or the file they write. */
  readonly descriptors: Map<string, { readonly content?: Content; readonly target?: Field }>;
  readonly runScript: (script: ShellScript, state: ShellState) => Content;
  readonly runCommand: (command: Command, state: ShellState) => Content;
  readonly runArguments: (command: readonly Field[], state: ShellState) => Content;
  /** The text a word becomes where nothing is split. */
  readonly resolveValue: (word: Word, state: ShellState) => Content;
  /** One that begins where this one is and whose findings are not counted. */
  readonly trial: () => Analysis;
  /** A text that the same or another shell runs as commands. */
  readonly runText: (text: string, state: ShellState) => Content;
}

/** A program that is called: `command` begins with its name as it was written. */
export interface Call {
  readonly name: string;
  readonly command: readonly Field[];
  readonly args: readonly Field[];
  readonly state: ShellState;
  readonly analysis: Analysis;
}

/** What a program does; answers with what it prints. */
export type Handler = (call: Call) => Content;
