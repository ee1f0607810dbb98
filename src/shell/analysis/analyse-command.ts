import { parseShell } from '../parser/parse-shell.ts';
import type { Analysis } from './analysis.ts';
import { spend } from './budget.ts';
import { codeAndData } from './code-and-data.ts';
import type { CommandAnalysis, CommandPlace } from './command-analysis.ts';
import { type Content, NOTHING, textContent, UNKNOWN } from './content.ts';
import type { Field } from './field.ts';
import { hasHiddenCharacters } from './hidden-characters.ts';
import { addFinding, newReport, type Report, sortedFindings } from './report.ts';
import { resolveValue } from './resolve-word.ts';
import { runArguments } from './run-arguments.ts';
import { newState, type ShellState } from './shell-state.ts';
import { setVariable } from './variables.ts';
import { walkCommand, walkScript } from './walk-script.ts';

const MAX_LENGTH = 32_768;
const MAX_DEPTH = 8;
const MAX_NESTING = 40;

/**
 * Reads a command as bash would, without start-up files, and says what it would do. Never throws and runs nothing. What cannot be
 * judged gives a `problem` and the finding `not-understood` beside what was found until then.
 */
export function analyseCommand(command: string, place: CommandPlace): CommandAnalysis {
  const report = newReport();
  if (command.length > MAX_LENGTH) report.problem = 'too_long';
  else analyse(command, place, report);
  if (hasHiddenCharacters(command)) report.problem = 'hidden_characters';
  if (report.problem !== undefined)
    addFinding(report, 'not-understood', `${report.problem}: ${command.slice(0, 100)}`);
  return answer(command, report);
}

function analyse(command: string, place: CommandPlace, report: Report): void {
  const analysis = newAnalysis(place, report);
  const state = newState(place.cwd, NOTHING);
  setVariable(state, 'HOME', { value: textContent(place.home), items: undefined });
  setVariable(state, 'IFS', { value: textContent(' \t\n'), items: undefined });
  setVariable(state, 'TMPDIR', { value: textContent('/tmp'), items: undefined });
  try {
    runText(command, state, analysis);
  } catch (error) {
    // Nesting of several kinds in each other exhausts the stack before any of their limits is reached.
    if (!(error instanceof RangeError)) throw error;
    report.problem = 'too_deep';
  }
}

function newAnalysis(
  place: CommandPlace,
  report: Report,
  counters: Analysis['counters'] = { steps: 0, temporary: 0, pipes: 0, nesting: 0 },
): Analysis {
  const analysis: Analysis = {
    place,
    report,
    files: new Map(),
    scripts: new Set(),
    counters,
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
      for (const path of analysis.scripts) other.scripts.add(path);
      return other;
    },
  };
  return analysis;
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
  if (!spend(analysis, 2)) return UNKNOWN;
  if (state.depth > 0) report.executed.add(text);
  const parsed = parseShell(text);
  if (!parsed.ok) {
    report.problem ??= 'syntax';
    return UNKNOWN;
  }
  state.depth += 1;
  const printed = analysis.runScript(parsed.script, state);
  state.depth -= 1;
  return printed;
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
