import { type Argument, literalArgument, UNKNOWN_ARGUMENT } from './argument.ts';
import { type OptionGrammar, type ReadOptions, readOptions } from './options.ts';

/** A program that does nothing but start another one. */
interface Wrapper {
  readonly grammar: OptionGrammar;
  /** Operands of its own in front of the command. */
  readonly operands?: number;
  /** `NAME=value` in front of the command sets variables. */
  readonly takesAssignments?: boolean;
  readonly detaches?: boolean;
}

export interface Unwrapped {
  /** The command it starts; empty when it was given none. */
  readonly command: readonly Argument[];
  /** Names of the variables it sets. */
  readonly variables: readonly string[];
  readonly detaches: boolean;
}

const WRAPPERS = new Map<string, Wrapper>([
  ['command', { grammar: { letters: 'p' } }],
  [
    'sudo',
    { grammar: { letters: 'nEHkSAP', valued: 'ugp', names: ['non-interactive'] }, takesAssignments: true },
  ],
  [
    'env',
    {
      grammar: { letters: 'i0v', valued: 'u', names: ['ignore-environment', 'null'], valuedNames: ['unset'] },
      takesAssignments: true,
    },
  ],
  ['nice', { grammar: { valued: 'n', valuedNames: ['adjustment'] } }],
  ['ionice', { grammar: { letters: 't', valued: 'cn' } }],
  [
    'timeout',
    {
      grammar: {
        letters: 'fpv',
        valued: 'ks',
        names: ['foreground', 'preserve-status', 'verbose'],
        valuedNames: ['kill-after', 'signal'],
      },
      operands: 1,
    },
  ],
  ['stdbuf', { grammar: { valued: 'ioe', valuedNames: ['input', 'output', 'error'] } }],
  ['nohup', { grammar: {}, detaches: true }],
  ['setsid', { grammar: { letters: 'cfw', names: ['ctty', 'fork', 'wait'] }, detaches: true }],
]);

export function isWrapper(name: string): boolean {
  return WRAPPERS.has(name) || name === 'xargs';
}

/** Takes the wrapper off; `undefined` when its own words are not understood. */
export function unwrap(name: string, args: readonly Argument[]): Unwrapped | undefined {
  if (name === 'xargs') return unwrapXargs(args);
  const wrapper = WRAPPERS.get(name);
  if (wrapper === undefined) return undefined;
  const read = readOptions(args, { ...wrapper.grammar, endsAtOperand: true });
  const own = read?.operands.slice(0, wrapper.operands ?? 0);
  if (read === undefined || own?.some(({ value }) => value === undefined) !== false) return undefined;
  const command = read.operands.slice(own.length);
  const variables: string[] = [];
  while (wrapper.takesAssignments === true) {
    const variable = /^([^=]*)=/.exec(command[0]?.prefix ?? '')?.[1];
    if (variable === undefined) break;
    variables.push(variable);
    command.shift();
  }
  return { command, variables, detaches: wrapper.detaches === true };
}

const XARGS: OptionGrammar = {
  letters: '0rtx',
  valued: 'nPLdsIaE',
  names: ['null', 'no-run-if-empty', 'verbose'],
  valuedNames: ['max-args', 'max-procs', 'max-lines', 'delimiter', 'arg-file'],
  endsAtOperand: true,
};

function unwrapXargs(args: readonly Argument[]): Unwrapped | undefined {
  const read = readOptions(args, XARGS);
  if (read === undefined) return undefined;
  const given = read.operands.length === 0 ? [literalArgument('echo')] : read.operands;
  const command = [...given.map((argument) => withReplacement(argument, read)), UNKNOWN_ARGUMENT];
  return { command, variables: [], detaches: false };
}

function withReplacement(argument: Argument, { options }: ReadOptions): Argument {
  const isReplaced = options.some(
    ({ name, value }) => name === 'I' && argument.value?.includes(value) !== false,
  );
  return isReplaced ? UNKNOWN_ARGUMENT : argument;
}
