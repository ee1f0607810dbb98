import type { Command } from '../shell-script.ts';
import { type Content, textContent } from './content.ts';
import type { Field } from './field.ts';
import { Layer } from './layer.ts';

export interface Variable {
  readonly value: Content;
  /** The elements of an array. */
  readonly items: readonly Field[] | undefined;
  /** It is another name of this variable. */
  readonly refersTo?: string;
}

/** A function or script that is being run. */
interface Frame {
  readonly name: string;
  readonly forks: number;
}

/** What is known of a shell at one point of the command. It is changed while the commands are walked in order. */
export interface ShellState {
  variables: Layer<Variable>;
  functions: Layer<Command>;
  /** Absolute; undefined when it cannot be known. */
  directory: string | undefined;
  /** Where it still is when a `cd` before failed. */
  otherDirectories: readonly string[];
  /** Those of them that are left when the last `cd` is known to have gone well. */
  certainDirectories: readonly string[];
  /** `$1` and so on; undefined when they are not known. */
  positional: readonly Field[] | undefined;
  /** They were made by `set`: then a program that they name counts as not known. */
  arePositionalSet: boolean;
  /** `$0` */
  scriptName: Content;
  /** What comes in at the standard input. */
  input: Content;
  frames: readonly Frame[];
  /** How many times it was put into the background or a pipeline. */
  forks: number;
  /** Inside something that runs only under a condition. */
  isConditional: boolean;
  /** After `set -e`: a failed `cd` ends it. */
  stopsOnError: boolean;
  /** How often what runs here is repeated by loops around it. */
  repetitions: number;
  /** Text run as code, inside text run as code. */
  depth: number;
}

export function newState(directory: string, input: Content): ShellState {
  return {
    variables: new Layer(),
    functions: new Layer(),
    directory,
    otherDirectories: [],
    certainDirectories: [],
    positional: [],
    arePositionalSet: false,
    scriptName: textContent('bash'),
    input,
    frames: [],
    forks: 0,
    isConditional: false,
    stopsOnError: false,
    repetitions: 1,
    depth: 0,
  };
}

/** A shell of its own, which begins as this one is. */
export function forkState(state: ShellState, changes: Partial<ShellState> = {}): ShellState {
  return { ...state, variables: state.variables.fork(), functions: state.functions.fork(), ...changes };
}
