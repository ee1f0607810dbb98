import { parseStatements } from '../parser/parse-statements.ts';
import type { Analysis } from './analysis.ts';
import { FIRST_LIMIT, isReserveSpent, isSpent, spend } from './budget.ts';
import { codeAndData } from './code-and-data.ts';
import type { CommandAnalysis, CommandPlace } from './command-analysis.ts';
import { type Content, concatenate, NOTHING, textContent, UNKNOWN } from './content.ts';
import type { Field } from './field.ts';
import { hasHiddenCharacters } from './hidden-characters.ts';
import { isWithin } from './locate-path.ts';
import { addFinding, newReport, type Report, sortedFindings } from './report.ts';
import { resolveValue } from './resolve-word.ts';
import { runArguments } from './run-arguments.ts';
import { newState, type ShellState } from './shell-state.ts';
import { mayBeUrgent } from './skim.ts';
import { setVariable } from './variables.ts';
import { walkCommand, walkScript } from './walk-script.ts';

const MAX_LENGTH = 32_768;
const MAX_DEPTH = 8;
const MAX_NESTING = 40;
const MAX_LINKS = 8;

/**
 * Reads a command as bash would, without start-up files, and says what it would do. Never throws and runs nothing. What cannot be
 * judged gives a `problem` and the finding `not-understood` beside what was found all the same: what stands in front of a mistake, and
 * behind what is too much the commands that are plainly a disaster.
 */
export function analyseCommand(command: string, place: CommandPlace): CommandAnalysis {
  const report = newReport();
  analyse(command, place, report);
  if (hasHiddenCharacters(command)) report.problem = 'hidden_characters';
  if (report.problem !== undefined)
    addFinding(report, 'not-understood', `${report.problem}: ${command.slice(0, 100)}`);
  return answer(command, report);
}

function analyse(command: string, place: CommandPlace, report: Report): void {
  const analysis = newAnalysis(place, report);
  // Of what is too long only the plain disasters are looked for.
  if (command.length > MAX_LENGTH) spend(analysis, Number.POSITIVE_INFINITY);
  const state = newState(place.cwd, NOTHING);
  setVariable(state, 'HOME', { value: textContent(place.home), items: undefined });
  setVariable(state, 'HERMA_HOME', { value: textContent(place.hermaHome), items: undefined });
  setVariable(state, 'IFS', { value: textContent(' \t\n'), items: undefined });
  setVariable(state, 'TMPDIR', { value: textContent('/tmp'), items: undefined });
  if (!hasStack(() => runText(command, state, analysis))) {
    report.problem = 'too_deep';
    for (const { read } of parseStatements(command).statements) {
      const { statement } = read();
      if (statement !== undefined) hasStack(() => walkScript({ statements: [statement] }, state, analysis));
    }
  }
}

/** Nesting of several kinds in each other exhausts the stack before any of their limits is reached. */
function hasStack(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function newAnalysis(
  place: CommandPlace,
  report: Report,
  counters: Analysis['counters'] = { steps: 0, limit: FIRST_LIMIT, temporary: 0, pipes: 0, nesting: 0 },
): Analysis {
  const links = new Map<string, string>();
  const analysis: Analysis = {
    place: { ...place, realPath: (path) => followMade(path, links, place) },
    report,
    links,
    files: new Map(),
    scripts: new Set(),
    counters,
    skimmed: new Set(),
    sinks: [],
    hasHiddenIndex: false,
    connections: new Set(),
    descriptors: new Map(),
    runScript: (script, state) => walkScript(script, state, analysis),
    runCommand: (part, state) => walkCommand(part, state, analysis),
    runArguments: (fields, state) => runNested(fields, state, analysis),
    resolveValue: (word, state) => resolveValue(word, state, analysis),
    runText: (text, state) => runText(text, state, analysis),
    trial: () => {
      const other = newAnalysis(place, newReport(), counters);
      for (const [path, content] of analysis.files) other.files.set(path, content);
      for (const [path, target] of links) other.links.set(path, target);
      for (const path of analysis.scripts) other.scripts.add(path);
      return other;
    },
  };
  return analysis;
}

/** Follows links, those too that the command has made before. */
function followMade(path: string, links: ReadonlyMap<string, string>, { realPath }: CommandPlace): string {
  let at = realPath?.(path) ?? path;
  for (let count = 0; links.size > 0 && count < MAX_LINKS; count += 1) {
    const link = [...links].find(([from]) => isWithin(at, from));
    if (link === undefined) return at;
    const next = `${link[1] === '/' ? '' : link[1]}${at.slice(link[0].length)}`;
    at = realPath?.(next === '' ? '/' : next) ?? (next === '' ? '/' : next);
  }
  return at;
}

/** A program behind a program, and so on. */
function runNested(fields: readonly Field[], state: ShellState, analysis: Analysis): Content {
  const { counters, report } = analysis;
  if (counters.nesting >= MAX_NESTING) {
    report.problem ??= 'too_deep';
    return UNKNOWN;
  }
  if (!spend(analysis)) return UNKNOWN;
  counters.nesting += 1;
  const printed = runArguments(fields, state, analysis);
  counters.nesting -= 1;
  return printed;
}

function runText(text: string, state: ShellState, analysis: Analysis): Content {
  const { report } = analysis;
  if (state.depth > MAX_DEPTH) {
    report.problem ??= 'too_deep';
    return UNKNOWN;
  }
  if (state.depth > 0 && !spend(analysis, 2)) return UNKNOWN;
  if (state.depth > 0) report.executed.add(text);
  const { statements, isWhole } = parseStatements(text);
  if (!isWhole) report.problem ??= 'syntax';
  state.depth += 1;
  const printed: Content[] = [];
  for (const { text: written, read } of statements) {
    if (isSpent(analysis)) report.problem ??= 'too_long';
    if (isSpent(analysis) && (isReserveSpent(analysis) || !mayBeUrgent(written, state))) continue;
    const { statement, isUnderstood } = read();
    if (!isUnderstood) report.problem ??= 'syntax';
    if (statement !== undefined) printed.push(walkScript({ statements: [statement] }, state, analysis));
  }
  state.depth -= 1;
  return concatenate(printed);
}

function answer(command: string, report: Report): CommandAnalysis {
  const { programs, reads, writes, downloads, runs, hosts, sends, problem } = report;
  return {
    findings: sortedFindings(report),
    programs,
    reads: [...reads],
    writes: [...writes],
    downloads: [...downloads],
    runs: [...runs],
    hosts: [...hosts],
    sends,
    ...codeAndData(command, report),
    ...(problem === undefined ? {} : { problem }),
  };
}
