import type { Assignment, SimpleCommand, Word } from '../shell-script.ts';
import type { Analysis } from './analysis.ts';
import { type Content, concatenate, NOTHING, textContent, UNKNOWN } from './content.ts';
import { type Field, showFields } from './field.ts';
import { closeRedirects, openRedirects, type Streams } from './redirects.ts';
import { addFinding } from './report.ts';
import { resolveValue, resolveWord, resolveWords } from './resolve-word.ts';
import type { ShellState, Variable } from './shell-state.ts';
import { noticeVariable } from './variable-effects.ts';
import { setVariable, variableOf } from './variables.ts';
import { drainSinks } from './walk-compound.ts';

const DECLARERS = new Set(['export', 'declare', 'typeset', 'local', 'readonly', 'alias']);
const MAX_ITEMS = 64;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
export function walkSimple(command: SimpleCommand, state: ShellState, analysis: Analysis): Content {
  const before = analysis.sinks.splice(0);
  const fields = resolveCommand(command.words, state, analysis);
  const printed =
    fields.length === 0
      ? walkWithoutProgram(command, state, analysis)
      : walkProgram(command, fields, state, analysis);
  analysis.sinks.push(...before);
  return printed;
}

function resolveCommand(words: readonly Word[], state: ShellState, analysis: Analysis): Field[] {
  const [first] = words;
  const part = first?.parts[0];
  if (part?.type !== 'literal' || !DECLARERS.has(part.value)) return resolveWords(words, state, analysis);
  return words.flatMap((word) => {
    const start = word.parts[0];
    const isAssignment = start?.type === 'literal' && !start.isQuoted && ASSIGNMENT.test(start.value);
    return isAssignment ? [wholeField(word, state, analysis)] : resolveWord(word, state, analysis);
  });
}

/** `name=value`, which is not split. */
function wholeField(word: Word, state: ShellState, analysis: Analysis): Field {
  const value = resolveValue(word, state, analysis);
  const shown = value.text ?? value.pattern;
  return { ...value, isList: false, isProse: /\s/.test(shown), shown };
}

function walkWithoutProgram(command: SimpleCommand, state: ShellState, analysis: Analysis): Content {
  for (const assignment of command.assignments) assign(assignment, state, analysis);
  const streams = openRedirects(command.redirects, '', state, analysis);
  // `$(< file)` is what the file holds.
  const printed =
    streams.outputs.length === 0 && command.words.length === 0 && command.assignments.length === 0
      ? (streams.input ?? NOTHING)
      : NOTHING;
  closeRedirects(streams, printed, '', { state, analysis });
  drainSinks(printed, state, analysis);
  return streams.outputs.length === 0 ? printed : NOTHING;
}

function walkProgram(
  command: SimpleCommand,
  fields: readonly Field[],
  state: ShellState,
  analysis: Analysis,
): Content {
  const evidence = command.redirects.length === 0 ? '' : showFields(fields);
  // What stands in the words is for this program, what stands in the targets of redirections too.
  const streams = openRedirects(command.redirects, evidence, state, analysis);
  const sinks = analysis.sinks.splice(0);
  const saved = command.assignments.map(({ name }) => [name, variableOf(state, name)] as const);
  for (const assignment of command.assignments) assign(assignment, state, analysis);
  noticeVariables(command.assignments, state, analysis);
  if (streams.isRemote) noticeShell(fields, evidence, analysis);
  const { input } = state;
  state.input = streams.input ?? input;
  const printed = analysis.runArguments(fields, state);
  for (const assignment of command.declarations) assign(assignment, state, analysis);
  const rest = closeRedirects(streams, printed, evidence, { state, analysis });
  analysis.sinks = sinks;
  drainSinks(sinkInput(streams, printed, fields), state, analysis);
  // `exec < file` holds for all that follows.
  state.input = fields.length === 1 && fields[0]?.text === 'exec' ? state.input : input;
  for (const [name, variable] of saved)
    setVariable(state, name, variable ?? { value: UNKNOWN, items: undefined });
  return rest;
}

/** `tee >( … )` hands on what it reads. */
function sinkInput(streams: Streams, printed: Content, [first]: readonly Field[]): Content {
  return first?.text === 'tee' && printed.text === '' ? (streams.input ?? printed) : printed;
}

function noticeShell([first]: readonly Field[], evidence: string, { report }: Analysis): void {
  const name = first?.text?.split('/').at(-1) ?? '';
  if (/^(?:ba|z|da|k|a|c|tc|fi)?sh$|^(?:python|perl|ruby|php|node)/.test(name))
    addFinding(report, 'reverse-shell', evidence);
}

function assign(assignment: Assignment, state: ShellState, analysis: Analysis): void {
  const { name, index, isArray, isAppended, values } = assignment;
  if (index !== undefined) resolveValue(index, state, analysis);
  const before = variableOf(state, name);
  const variable = isArray
    ? arrayOf(values, isAppended ? before : undefined, state, analysis)
    : scalarOf(assignment, before, state, analysis);
  setVariable(state, name, variable);
  if (/\w\[[^\]]*(?:\$[({]|`)/.test(variable.value.text ?? '')) analysis.hasHiddenIndex = true;
}

function arrayOf(
  values: readonly Word[],
  before: Variable | undefined,
  state: ShellState,
  analysis: Analysis,
): Variable {
  const items = [...(before?.items ?? []), ...resolveWords(values, state, analysis)];
  return { value: items[0] ?? textContent(''), items };
}

function scalarOf(
  { index, isAppended, values }: Assignment,
  before: Variable | undefined,
  state: ShellState,
  analysis: Analysis,
): Variable {
  const [word] = values;
  const value = word === undefined ? textContent('') : resolveValue(word, state, analysis);
  if (index !== undefined) return withItem(index, value, isAppended ? undefined : before);
  if (!isAppended) return { value, items: undefined };
  return { value: concatenate([before?.value ?? UNKNOWN, value]), items: undefined };
}

/** `a[1]=x`, where all before it are known. */
function withItem({ parts }: Word, value: Content, before: Variable | undefined): Variable {
  const [only] = parts;
  const at =
    parts.length === 1 && only?.type === 'literal' && /^\d+$/.test(only.value) ? Number(only.value) : -1;
  const known = before?.items ?? (at === 0 ? [] : undefined);
  if (known === undefined || at < 0 || at > known.length || at > MAX_ITEMS)
    return { value: UNKNOWN, items: undefined };
  const shown = value.text ?? value.pattern;
  const items = known.toSpliced(at, 1, { ...value, isList: false, isProse: false, shown });
  return { value: items[0] ?? UNKNOWN, items };
}

function noticeVariables(assignments: readonly Assignment[], state: ShellState, analysis: Analysis): void {
  for (const { name } of assignments)
    noticeVariable(name, variableOf(state, name)?.value ?? UNKNOWN, state, analysis);
}
