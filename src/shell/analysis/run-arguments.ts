import type { Analysis, Call, Handler } from './analysis.ts';
import type { CommandClass } from './command-analysis.ts';
import { type Content, concatenate, MAX_CHOICES, mergeTraits, PRINTED, UNKNOWN } from './content.ts';
import { type Field, literalField, showFields } from './field.ts';
import { HANDLERS, isTold } from './handlers.ts';
import { isInterpreter } from './interpreter-names.ts';
import { runInterpreter } from './interpreters.ts';
import { resolvePath } from './locate-path.ts';
import { noticeOptions } from './option-programs.ts';
import { addFinding, addProgram } from './report.ts';
import { isShell, runLocalProgram } from './run-code.ts';
import { callFunction } from './run-function.ts';
import { runWrapper } from './run-wrapper.ts';
import { forkState, type ShellState } from './shell-state.ts';
import { peel } from './wrappers.ts';

const SYSTEM_DIRECTORY = /^\/(?:usr\/)?(?:local\/)?s?bin\/[^/]+$|^\/opt\/homebrew\/bin\/[^/]+$/;
const MAX_ALTERNATIVES = 16;
const MAX_CODE = 131_072;

/** A command whose words are expanded: whatever it may be in the end is looked at. */
export function runArguments(command: readonly Field[], state: ShellState, analysis: Analysis): Content {
  const at = command.findIndex(({ choices }) => choices.length > 0);
  const field = command[at];
  if (field === undefined) return runCommand(command, state, analysis);
  const choices = field.choices.slice(0, MAX_CHOICES).map((text) => asFields(field, text));
  if (field.isDynamic) choices.push([{ ...field, choices: [] }]);
  const others = command.filter((each) => each.choices.length > 0).length;
  const used = others > 2 ? choices.slice(0, MAX_ALTERNATIVES >> others) : choices;
  const printed = used.map((fields) => runArguments(command.toSpliced(at, 1, ...fields), state, analysis));
  const [only] = printed;
  return printed.length === 1 && only !== undefined
    ? only
    : { ...concatenate(printed), text: undefined, pattern: '*', isDynamic: true };
}

/** Without quotes, one value can be several words. */
function asFields(field: Field, text: string): readonly Field[] {
  const one: Field = { ...field, text, choices: [], isDynamic: false, isList: false, shown: text };
  return field.isList && /\s/.test(text.trim()) ? text.trim().split(/\s+/).map(literalField) : [one];
}

function runCommand(command: readonly Field[], state: ShellState, analysis: Analysis): Content {
  const [first, ...args] = command;
  if (first === undefined) return PRINTED;
  if (first.text === undefined || (state.arePositionalSet && isPositional(first, state)))
    return runUnknown(command, showFields(command), state, analysis);
  note(command, analysis);
  const body = state.functions.get(first.text);
  if (body !== undefined) return callFunction(first.text, body, args, { state, analysis });
  return runProgram(first.text, command, state, analysis);
}

/** The program is named by what `set` made the arguments. */
function isPositional({ text, isList }: Field, { positional }: ShellState): boolean {
  return isList && positional?.some((field) => field.text === text) === true;
}

function note(command: readonly Field[], { report }: Analysis): void {
  for (const { shown, isProse, text } of command) {
    report.codeLength += shown.length + 1;
    if (isProse && text !== undefined && report.codeLength <= MAX_CODE) report.data.add(text);
  }
  if (report.codeLength > MAX_CODE) return;
  let code = '';
  for (const { shown, isProse } of command) code += `${code === '' ? '' : ' '}${isProse ? "''" : shown}`;
  report.code.push(code);
}

function runUnknown(
  command: readonly Field[],
  evidence: string,
  state: ShellState,
  analysis: Analysis,
): Content {
  const [first, ...args] = command;
  addProgram(analysis.report, undefined, args);
  addFinding(analysis.report, 'dynamic-exec', evidence);
  if (first?.origin === 'network') addFinding(analysis.report, 'pipe-to-shell', evidence);
  if (first?.origin === 'encoded') addFinding(analysis.report, 'decode-exec', evidence);
  // It may turn out to be nothing, or a wrapper like `sudo`.
  const [next] = args;
  if (first?.isList === true && first.isDynamic && next?.text !== undefined && HANDLERS.has(next.text))
    runCommand(args, forkState(state), analysis);
  return UNKNOWN;
}

function runProgram(word: string, command: readonly Field[], state: ShellState, analysis: Analysis): Content {
  const path = word.includes('/')
    ? resolvePath(word.startsWith('/') ? word : `${state.directory ?? '?'}/${word}`, analysis.place)
    : word;
  const name = path.split('/').at(-1) ?? word;
  const args = command.slice(1);
  const call: Call = { name, command, args, state, analysis };
  const isLocal = word.includes('/') && !word.includes('://') && !SYSTEM_DIRECTORY.test(path);
  if (isLocal) runLocalProgram(call);
  const peeled = peel(name, args);
  if (peeled !== undefined) return runWrapper(peeled, call);
  if (!isShell(name) || args.every(({ text }) => text === undefined || !/^-\w*c/.test(text)))
    addProgram(analysis.report, name, args);
  if (/^(?:https?:\/\/|git\+)/.test(word))
    addFinding(analysis.report, 'download-exec', showFields(command), [word]);
  noticeOptions(call);
  const handler = handlerOf(name);
  if (handler === undefined) return isLocal ? PRINTED : runStranger(call);
  return handler(call);
}

function handlerOf(name: string): Handler | undefined {
  const known = HANDLERS.get(name);
  if (known !== undefined) return known;
  if (name.startsWith('mkfs.')) return HANDLERS.get('mkfs');
  return isInterpreter(name) ? runInterpreter : undefined;
}

/** A program nobody knows: what it is given may be files, or a command that it runs. */
function runStranger(call: Call): Content {
  const { args, command, state, analysis } = call;
  if (isTold(call.name)) return PRINTED;
  const at = args.findIndex(
    (field) => field.text !== undefined && !field.isProse && isDangerousName(field.text),
  );
  if (at >= 0 && at < args.length - 1 && hasDanger(args.slice(at), state, analysis))
    addFinding(analysis.report, 'unknown-wrapper', showFields(command));
  const reader = HANDLERS.get('cat');
  // A value of an option is how programs are told which key to use.
  const operands = args.filter(
    ({ text }, index) => text?.startsWith('-') !== true && args[index - 1]?.text?.startsWith('-') !== true,
  );
  const files = operands.filter(({ text }) => text?.includes('/') === true || /^\.\w/.test(text ?? ''));
  const printed: Content = { ...mergeTraits(PRINTED, state.input), file: undefined };
  return reader === undefined || files.length === 0
    ? printed
    : { ...mergeTraits(printed, reader({ ...call, args: files })), file: undefined };
}

const DANGEROUS = new Set(
  'rm dd shred find chmod chown bash sh zsh curl wget sudo env xargs cat mkfs kill git python python3 perl node nc'.split(
    ' ',
  ),
);

function isDangerousName(text: string): boolean {
  return DANGEROUS.has(text.split('/').at(-1) ?? '');
}

/** Whether the command by itself would be one to ask about. */
function hasDanger(command: readonly Field[], state: ShellState, analysis: Analysis): boolean {
  const trial = analysis.trial();
  trial.runArguments(command, forkState(state));
  const { findings, problem } = trial.report;
  const isHarmless = (found: CommandClass): boolean => found === 'install' || found === 'remote';
  return problem !== undefined || [...findings.values()].some((finding) => !isHarmless(finding.class));
}
