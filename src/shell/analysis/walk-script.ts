import type { AndOrList, Command, Pipeline, ShellScript, Statement } from '../shell-script.ts';
import type { Analysis } from './analysis.ts';
import { isSpent, spend } from './budget.ts';
import { type Content, concatenate, NOTHING, PRINTED, UNKNOWN } from './content.ts';
import { addFinding } from './report.ts';
import { forkState, type ShellState } from './shell-state.ts';
import { skim, skimAll } from './skim.ts';
import { joinBranches } from './variables.ts';
import { walkCompound } from './walk-compound.ts';
import { walkSimple } from './walk-simple.ts';

const LEAVES = new Set(['exit', 'return', 'break', 'continue', 'die']);

/** Walks commands in the order in which a shell would run them; answers with what they print. */
export function walkScript({ statements }: ShellScript, state: ShellState, analysis: Analysis): Content {
  const [only] = statements;
  if (statements.length === 1 && only !== undefined) return walkStatement(only, state, analysis);
  return concatenate(statements.map((statement) => walkStatement(statement, state, analysis)));
}

function walkStatement({ command, isBackground }: Statement, state: ShellState, analysis: Analysis): Content {
  if (!isBackground) return walkCommand(command, state, analysis);
  return walkCommand(command, forkState(state, { forks: state.forks + 1 }), analysis);
}

export function walkCommand(command: Command, state: ShellState, analysis: Analysis): Content {
  if (!spend(analysis)) return skim(command, state, analysis);
  switch (command.type) {
    case 'simple':
      return walkSimple(command, state, analysis);
    case 'and-or':
      return walkAndOr(command, state, analysis);
    case 'pipeline':
      return walkPipeline(command, state, analysis);
    case 'compound':
      return walkCompound(command, state, analysis);
    case 'function':
      state.functions.set(command.name, command.body);
      return NOTHING;
    case 'coprocess':
      // What it reads is written to it by others.
      walkCommand(command.body, forkState(state, { input: UNKNOWN, forks: state.forks + 1 }), analysis);
      return NOTHING;
    default:
      command satisfies never;
      return UNKNOWN;
  }
}

/** What is behind the first operator may run or not; within the chain each one knows that those before it went well. */
function walkAndOr({ commands, operators }: AndOrList, state: ShellState, analysis: Analysis): Content {
  const [first, ...more] = commands;
  if (first === undefined) return NOTHING;
  const { directory, otherDirectories } = state;
  const printed = [walkCommand(first, state, analysis)];
  const leaves = operators[0] === '||' && more.length === 1 && isLeaving(more[0]);
  if (operators[0] === '||' && !leaves)
    state.otherDirectories = withDirectory(otherDirectories, state.directory);
  else state.otherDirectories = afterSuccess(state, directory, otherDirectories);
  let branch = forkState(state, { isConditional: true });
  for (const [index, command] of more.entries()) {
    if (operators[index] === '||' && !leaves)
      branch = forkState(branch, { directory, otherDirectories: branch.otherDirectories });
    const { directory: before, otherDirectories: others } = branch;
    printed.push(walkCommand(command, branch, analysis));
    if (operators[index + 1] === '&&') branch.otherDirectories = afterSuccess(branch, before, others);
  }
  joinBranches(state, [branch], true);
  if (state.directory !== directory && !leaves)
    state.otherDirectories = withDirectory(state.otherDirectories, directory);
  return concatenate(printed);
}

/** Where it can be besides, when it is known that the last command went well. */
function afterSuccess(
  { directory, certainDirectories }: ShellState,
  before: string | undefined,
  others: readonly string[],
): readonly string[] {
  return directory === before ? others : certainDirectories;
}

function withDirectory(directories: readonly string[], directory: string | undefined): readonly string[] {
  if (directory === undefined || directories.includes(directory)) return directories;
  return [...directories, directory].slice(-4);
}

function isLeaving(command: Command | undefined): boolean {
  if (command?.type === 'compound' && command.kind === 'group')
    return isLeaving(command.bodies[0]?.statements.at(-1)?.command);
  return LEAVES.has(literalName(command) ?? '');
}

function literalName(command: Command | undefined): string | undefined {
  const part = command?.type === 'simple' ? command.words[0]?.parts[0] : undefined;
  return part?.type === 'literal' ? part.value : undefined;
}

function walkPipeline({ commands }: Pipeline, state: ShellState, analysis: Analysis): Content {
  const [only] = commands;
  if (commands.length === 1 && only !== undefined) return walkCommand(only, state, analysis);
  const self = state.frames.at(-1)?.name;
  if (self !== undefined && commands.filter((command) => literalName(command) === self).length > 1)
    addFinding(analysis.report, 'fork-bomb', `${self} | ${self}`);
  let printed = state.input;
  for (const command of commands) {
    if (isSpent(analysis)) return skimAll(commands, state, analysis);
    printed = walkCommand(command, forkState(state, { input: printed, forks: state.forks + 1 }), analysis);
  }
  return printed === state.input ? PRINTED : printed;
}
