import type { Call, Handler } from './analysis.ts';
import { NOTHING, PRINTED } from './content.ts';
import { showFields } from './field.ts';
import { readFile } from './files-touched.ts';
import { readFiles } from './programs-read.ts';
import { optionValues, readArguments } from './read-arguments.ts';
import { addFinding } from './report.ts';
import { forkState } from './shell-state.ts';

/** Commands of a shell in the lines that a program takes as its own commands. */
interface Escape {
  /** One line; its first group is what a shell runs. */
  readonly line: RegExp;
  /** Options whose value is such lines; all other texts of the arguments too when absent. */
  readonly options?: readonly string[];
}

const ESCAPES = new Map<string, Escape>([
  ['ed', { line: /^\s*\d*,?\d*(?:r\s*|w\s*|e\s*)?!(.+)$/ }],
  ['gdb', { line: /^\s*(?:shell|!|make|pipe\s.*\|)\s*(.+)$/, options: ['ex', 'eval-command', 'iex'] }],
  ['sqlite3', { line: /^\s*\.(?:shell|system)\s+(.+)$/ }],
  ['psql', { line: /\\(?:!|o\s*\||g\s*\||copy\s.*program)\s*'?([^']+)/i, options: ['c', 'command'] }],
  ['mysql', { line: /(?:\\!|^\s*system)\s+([^;]+)/, options: ['e', 'execute'] }],
  ['osascript', { line: /do shell script "((?:[^"\\]|\\.)*)"/, options: ['e'] }],
  ['tclsh', { line: /(?:^|[[;])\s*exec\s+([^\];]+)/ }],
  ['expect', { line: /(?:^|[[;])\s*(?:exec|spawn|system)\s+([^\];]+)/, options: ['c'] }],
  [
    'emacs',
    {
      line: /\((?:async-)?(?:shell-command(?:-to-string)?|call-process-shell-command)\s+"((?:[^"\\]|\\.)*)"/,
      options: ['eval', 'execute'],
    },
  ],
  ['ftp', { line: /^\s*!(.+)$/ }],
  ['bc', { line: /^\s*!(.+)$/ }],
]);
const ALSO_READ = new Set(['ed', 'sqlite3', 'emacs']);

/** Programs with a language of their own, in which one line can be a command of a shell. */
const escape: Handler = (call) => {
  const found = ESCAPES.get(call.name);
  if (found === undefined) return PRINTED;
  const { options } = found;
  const read = readArguments(call.args, {
    letters: (options ?? []).filter((name) => name.length === 1).join(''),
    names: options ?? [],
    hasLongNames: options?.some((name) => name.length > 1 && name !== 'command') === true,
  });
  const given = options === undefined ? call.args : optionValues(read, ...options);
  for (const text of [...given.map((field) => field.text), call.state.input.text])
    for (const line of text?.split('\n') ?? []) runLine(found.line.exec(line)?.[1], call);
  return ALSO_READ.has(call.name) ? readFiles(call) : PRINTED;
};

function runLine(code: string | undefined, { command, state, analysis }: Call): void {
  if (code === undefined) return;
  addFinding(analysis.report, 'interpreter-exec', showFields(command));
  analysis.runText(code, forkState(state));
}

/** Shows the public half, and with `-y` makes it of the private one. */
const sshKeygen: Handler = ({ args, command, state, analysis }) => {
  const read = readArguments(args, { letters: 'fNCtbPmOIVDEFGJKMRSTWYZajnrswz' });
  const isRead = read.options.some(({ name }) => name === 'y' || name === 'e' || name === 'p');
  for (const file of isRead ? optionValues(read, 'f') : [])
    readFile(file, { evidence: showFields(command) }, state, analysis);
  return PRINTED;
};

const MULTIPLEXER = {
  letters: 'stncFxyeTlpPbBSXLfd',
  names: [],
  endsAtOperand: true,
};
const NEW_WINDOW =
  /^(?:new|new-session|neww|new-window|split-window|splitw|respawn-(?:pane|window)|run-shell|run|display-popup|popup|if-shell|if|pipe-pane)$/;

/** Terminals in terminals: a new window runs a text, and keys that are sent are typed into one. */
const tmux: Handler = (call) => {
  const [verb, ...args] = readArguments(call.args, { letters: 'fLSc', endsAtOperand: true }).operands;
  if (verb?.text === undefined) return PRINTED;
  const isTyped = /^send(?:-keys)?$/.test(verb.text);
  if (!isTyped && !NEW_WINDOW.test(verb.text)) return PRINTED;
  const { operands } = readArguments(args, { ...MULTIPLEXER, letters: isTyped ? 'tN' : 'stncFxyTlbehw' });
  const words = operands.flatMap(({ text }) => (/^(?:Enter|C-m)$/.test(text ?? '') ? [] : [text ?? '']));
  call.analysis.runText(words.join(' '), forkState(call.state));
  return PRINTED;
};

const screen: Handler = (call) => {
  const at = call.args.findIndex(({ text }) => text === '-X');
  const verb = call.args[at + 1]?.text;
  if (at !== -1) {
    const words = call.args.slice(at + 2).map(({ text }) => text ?? '');
    if (/^(?:stuff|screen|exec)$/.test(verb ?? ''))
      call.analysis.runText(words.join(' ').replaceAll(/\\[nr]|\^M/g, '\n'), forkState(call.state));
    return PRINTED;
  }
  const { operands } = readArguments(call.args, { letters: 'ceshpSTt', endsAtOperand: true });
  return operands.length === 0 ? PRINTED : call.analysis.runArguments(operands, forkState(call.state));
};

/** A window with a program in it. */
const terminal: Handler = (call) => {
  const at = call.args.findIndex(({ text }) => /^(?:-e|-x|--|--command)$/.test(text ?? ''));
  const [first, ...rest] = at === -1 ? [] : call.args.slice(at + 1);
  if (first === undefined) return PRINTED;
  if (rest.length > 0 || first.text === undefined)
    return call.analysis.runArguments([first, ...rest], forkState(call.state));
  return call.analysis.runText(first.text, forkState(call.state));
};

/** Makes a name stand for another program. */
const hash: Handler = ({ args, command, analysis }) => {
  if (args.some(({ text }) => text === '-p'))
    addFinding(analysis.report, 'dynamic-exec', showFields(command));
  return NOTHING;
};

/** Programs that print how a shell is to be set up for them: what they print is made to be run. */
const setUp =
  (verbs: RegExp): Handler =>
  ({ args }) =>
    verbs.test(args.map(({ text }) => text ?? '').join(' ')) ? NOTHING : PRINTED;

export const ESCAPE_PROGRAMS: readonly (readonly [string, Handler])[] = [
  ...[...ESCAPES.keys()].map((name) => [name, escape] as const),
  ['ssh-keygen', sshKeygen],
  ['tmux', tmux],
  ['screen', screen],
  ['hash', hash],
  ...'xterm gnome-terminal konsole xfce4-terminal alacritty kitty urxvt rxvt st foot wezterm'
    .split(' ')
    .map((name) => [name, terminal] as const),
  ['dircolors', setUp(/^/)],
  ['lesspipe', setUp(/^$/)],
  ['direnv', setUp(/^(?:hook|export)\b/)],
  ['starship', setUp(/^init\b/)],
  ['zoxide', setUp(/^init\b/)],
  ['fnm', setUp(/^env\b/)],
  ['mise', setUp(/^activate\b/)],
  ['pyenv', setUp(/^(?:init|virtualenv-init)\b/)],
  ['rbenv', setUp(/^init\b/)],
  ['nodenv', setUp(/^init\b/)],
  ['opam', setUp(/^env\b/)],
  ['luarocks', setUp(/^path\b/)],
  ['conda', setUp(/^shell\.\w+ hook\b/)],
];
