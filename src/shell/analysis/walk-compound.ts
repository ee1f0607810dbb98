import type { CompoundCommand, ShellScript, Test } from '../shell-script.ts';
import type { Analysis } from './analysis.ts';
import { type Content, concatenate, NOTHING, PRINTED, UNKNOWN } from './content.ts';
import type { Field } from './field.ts';
import { closeRedirects, openRedirects } from './redirects.ts';
import { addFinding } from './report.ts';
import { resolveWords, walkArithmetic } from './resolve-word.ts';
import { forkState, type ShellState } from './shell-state.ts';
import { forgetVariable, joinBranches, setVariable } from './variables.ts';

const MAX_UNROLLED = 8;
const MAX_REPETITIONS = 64;
/** Questions of `[[ … ]]` that evaluate arithmetic in their operands. */
const EVALUATES = /^-(?:eq|ne|lt|le|gt|ge|v|R)$/;

export function walkCompound(command: CompoundCommand, state: ShellState, analysis: Analysis): Content {
  if (command.redirects.length === 0) return walkBodies(command, state, analysis);
  const evidence = command.kind === 'subshell' ? '( … )' : '{ … }';
  const streams = openRedirects(command.redirects, evidence, state, analysis);
  const { input } = state;
  state.input = streams.input ?? input;
  const printed = walkBodies(command, state, analysis);
  state.input = input;
  const rest = closeRedirects(streams, printed, evidence, { state, analysis });
  drainSinks(printed, state, analysis);
  return rest;
}

/** Runs what stands in `>( … )` with what was written to it. */
export function drainSinks(printed: Content, state: ShellState, analysis: Analysis): void {
  for (let sink = analysis.sinks.shift(); sink !== undefined; sink = analysis.sinks.shift())
    analysis.runScript(sink, forkState(state, { input: printed.text === '' ? state.input : printed }));
}

function walkBodies(command: CompoundCommand, state: ShellState, analysis: Analysis): Content {
  const { kind, bodies } = command;
  for (const arithmetic of command.arithmetic) walkArithmetic(arithmetic, state, analysis);
  for (const test of command.tests) walkTest(test, state, analysis);
  switch (kind) {
    case 'subshell':
      return concatenate(bodies.map((body) => analysis.runScript(body, forkState(state))));
    case 'group':
      return concatenate(bodies.map((body) => analysis.runScript(body, state)));
    case 'if':
      return walkIf(bodies, state, analysis);
    case 'case':
      resolveWords(command.words, state, analysis);
      return walkBranches(bodies, true, state, analysis);
    case 'loop':
      return command.variable === undefined
        ? walkWhile(bodies, state, analysis)
        : walkFor(command, command.variable, state, analysis);
    case 'test':
    case 'arithmetic':
      return NOTHING;
    default:
      kind satisfies never;
      return UNKNOWN;
  }
}

function walkTest({ operator, operands }: Test, state: ShellState, analysis: Analysis): void {
  resolveWords(operands, state, analysis);
  if (EVALUATES.test(operator) && analysis.hasHiddenIndex)
    addFinding(analysis.report, 'dynamic-exec', `[[ … ${operator} … ]]`);
}

/** The conditions are walked one after the other, what follows each in a shell that is joined with the others. */
function walkIf(bodies: readonly ShellScript[], state: ShellState, analysis: Analysis): Content {
  const branches: ShellState[] = [];
  const printed: Content[] = [];
  const hasElse = bodies.length % 2 === 1;
  for (let index = 0; index < bodies.length; index += 2) {
    const [condition, then] = bodies.slice(index, index + 2);
    const body = then ?? condition;
    if (condition === undefined || body === undefined) continue;
    if (then !== undefined) printed.push(analysis.runScript(condition, state));
    const isConditional = state.isConditional || then === undefined || !isTrue(condition);
    const branch = forkState(state, { isConditional });
    branches.push(branch);
    printed.push(analysis.runScript(body, branch));
  }
  joinBranches(state, branches, !hasElse);
  return concatenate(printed);
}

/** A condition that always holds. */
function isTrue({ statements }: ShellScript): boolean {
  const command = statements.length === 1 ? statements[0]?.command : undefined;
  const part =
    command?.type === 'simple' && command.words.length === 1 ? command.words[0]?.parts[0] : undefined;
  return part?.type === 'literal' && (part.value === 'true' || part.value === ':');
}

function walkBranches(
  bodies: readonly ShellScript[],
  mayBeNone: boolean,
  state: ShellState,
  analysis: Analysis,
): Content {
  const branches = bodies.map(() => forkState(state, { isConditional: true }));
  const printed = bodies.map((body, index) => analysis.runScript(body, branches[index] ?? state));
  joinBranches(state, branches, mayBeNone);
  return concatenate(printed);
}

function walkWhile(bodies: readonly ShellScript[], state: ShellState, analysis: Analysis): Content {
  const [first, ...rest] = bodies;
  const isEndless = rest.length === 0 || (first !== undefined && isTrue(first));
  const times = state.repetitions * 2 <= MAX_REPETITIONS ? 2 : 1;
  let printed: readonly Content[] = [];
  // The second time it sees what the first one has changed.
  for (let time = 0; time < times; time += 1) {
    const changes = {
      isConditional: state.isConditional || !isEndless,
      repetitions: state.repetitions * times,
    };
    const branch = forkState(state, changes);
    printed = bodies.map((body) => analysis.runScript(body, branch));
    joinBranches(state, [branch], true);
  }
  return repeated(printed);
}

/** How often it is printed is not known, only what. */
function repeated(printed: readonly Content[]): Content {
  const one = concatenate(printed);
  return one.text === '' ? one : { ...one, text: undefined, pattern: '*', isDynamic: true };
}

function walkFor(command: CompoundCommand, variable: string, state: ShellState, analysis: Analysis): Content {
  const values: readonly Content[] = command.isOverArguments
    ? (state.positional ?? [UNKNOWN])
    : resolveWords(command.words, state, analysis).flatMap(namesOf);
  const [body] = command.bodies;
  if (body === undefined) return PRINTED;
  const isUnrolled = values.length <= MAX_UNROLLED && values.length * state.repetitions <= MAX_REPETITIONS;
  const { repetitions, isConditional } = state;
  state.repetitions = repetitions * Math.max(1, isUnrolled ? values.length : 1);
  state.isConditional = isConditional || values.some(({ text }) => text === undefined);
  const printed: Content[] = [];
  for (const value of isUnrolled ? values : [UNKNOWN]) {
    setVariable(state, variable, { value, items: undefined });
    printed.push(analysis.runScript(body, state));
  }
  if (values.length === 0) forgetVariable(state, variable);
  state.repetitions = repetitions;
  state.isConditional = isConditional;
  return concatenate(printed);
}

/** A list of names of files that a program printed is gone through by its patterns. */
function namesOf(field: Field): readonly Content[] {
  if (field.names === undefined) return [field];
  return field.names.map((pattern) => ({
    ...field,
    names: undefined,
    text: undefined,
    pattern,
    isDynamic: false,
  }));
}
