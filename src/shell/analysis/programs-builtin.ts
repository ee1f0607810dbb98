import type { Analysis, Handler } from './analysis.ts';
import { spend } from './budget.ts';
import { NOTHING, NUMBER, PRINTED, textContent, UNKNOWN } from './content.ts';
import { type Field, literalField, showFields, withoutPrefix } from './field.ts';
import { locate } from './locate-path.ts';
import { readArguments } from './read-arguments.ts';
import { addFinding } from './report.ts';
import type { ShellState } from './shell-state.ts';
import { noticeVariable, runIndexes } from './variable-effects.ts';

import { forgetVariable, refer, setVariable, variableText } from './variables.ts';

const cd: Handler = ({ args, state, analysis }) => {
  const { operands } = readArguments(args);
  const [target] = operands;
  const home = variableText(state, 'HOME') ?? analysis.place.home;
  const before = state.directory;
  const field = target ?? literalField(home);
  const isBack = field.text === '-';
  const located = isBack ? undefined : locate(field, state.directory, analysis.place);
  const back = isBack ? variableText(state, 'OLDPWD') : undefined;
  const path = located?.path ?? back;
  if (before !== undefined) setVariable(state, 'OLDPWD', { value: textContent(before), items: undefined });
  if (field.text === '') return NOTHING;
  const { realPath } = analysis.place;
  if (!spend(analysis, (path?.length ?? 0) / 6)) return NOTHING;
  const others = state.otherDirectories;
  const reached = isBack
    ? []
    : others.flatMap((directory) => locate(field, directory, analysis.place)?.path ?? []);
  state.directory = path === undefined ? undefined : (realPath?.(path) ?? path);
  state.certainDirectories = [...new Set(reached)].filter((each) => each !== state.directory);
  const failed = before === undefined || state.stopsOnError ? others : [...others, before];
  const all = new Set([
    ...state.certainDirectories,
    ...(state.stopsOnError ? [] : failed),
    ...elsewhere(field, state, analysis),
  ]);
  state.certainDirectories = [...state.certainDirectories, ...elsewhere(field, state, analysis)];
  state.otherDirectories = [...all].filter((each) => each !== state.directory).slice(-4);
  return NOTHING;
};

/** Where else a name is looked for. */
function elsewhere({ text }: Field, state: ShellState, { place }: Analysis): string[] {
  const path = variableText(state, 'CDPATH');
  if (path === undefined || text === undefined || /^\.{0,2}(?:\/|$)/.test(text)) return [];
  const directories = path.split(':', 4).filter((directory) => directory !== '');
  return directories.flatMap(
    (each) => locate(literalField(`${each}/${text}`), state.directory, place)?.path ?? [],
  );
}

const popd: Handler = ({ state }) => {
  state.directory = undefined;
  return NOTHING;
};

const declare: Handler = ({ args, command, name, state, analysis }) => {
  const prints = args.every(({ text }) => /^-[px]+$/.test(text ?? ''));
  if (prints && name !== 'local') {
    if (name !== 'alias') addFinding(analysis.report, 'cred-expose', showFields(command));
    return { ...PRINTED, secret: 'environment' };
  }
  const isReference = name !== 'export' && args.some(({ text }) => /^-[A-Za-z]*n/.test(text ?? ''));
  for (const field of args) {
    const match = /^([A-Za-z_]\w*)\+?=/.exec(field.text ?? field.pattern);
    if (match === null) continue;
    const value = withoutPrefix(field, match[0].length);
    if (isReference && value.text !== undefined) {
      refer(state, match[1] ?? '', value.text);
      continue;
    }
    setVariable(state, match[1] ?? '', {
      value: { ...value, isDynamic: value.text === undefined && value.isDynamic },
      items: undefined,
    });
    noticeVariable(match[1] ?? '', value, state, analysis);
  }
  return NOTHING;
};

const unset: Handler = ({ args, state, analysis }) => {
  if (analysis.hasHiddenIndex) addFinding(analysis.report, 'dynamic-exec', 'unset');
  for (const { text } of args) if (text !== undefined && /^\w+$/.test(text)) forgetVariable(state, text);
  return NOTHING;
};

const read: Handler = ({ args, state }) => {
  const { operands } = readArguments(args, { letters: 'adinNptu' });
  const isArray = args.some(({ text }) => text === '-a');
  const names = operands.length === 0 ? ['REPLY'] : operands.map(({ text }) => text ?? '');
  for (const [index, name] of names.entries()) {
    const value = names.length === 1 ? lineOf(state) : wordOf(state, index, index === names.length - 1);
    setVariable(state, name, { value, items: undefined });
  }
  if (isArray) forgetVariable(state, args[args.findIndex(({ text }) => text === '-a') + 1]?.text ?? 'REPLY');
  return NOTHING;
};

/** What one line of the input can be. */
function lineOf({ input }: ShellState): Field {
  const base = {
    ...UNKNOWN,
    ...input,
    isList: false,
    isProse: false,
    shown: '…',
    names: undefined,
    file: undefined,
  };
  if (input.text !== undefined) {
    const lines = [...new Set(input.text.split('\n').filter((line) => line !== ''))];
    const [only] = lines;
    if (lines.length === 1 && only !== undefined) return { ...base, text: only, shown: only };
    return {
      ...base,
      text: undefined,
      pattern: '*',
      choices: lines.slice(0, 8),
      isDynamic: lines.length > 8,
    };
  }
  const [pattern, ...more] = input.names ?? [];
  return pattern === undefined || more.length > 0 ? base : { ...base, pattern, isDynamic: false };
}

function wordOf(state: ShellState, index: number, isLast: boolean): Field {
  const { text } = lineOf(state);
  const separators = variableText(state, 'IFS') ?? ' \t\n';
  const words = text === undefined ? [] : splitWords(text, separators);
  const word = isLast && words.length > index ? words.slice(index).join(separators.charAt(0)) : words[index];
  return word === undefined
    ? { ...UNKNOWN, origin: state.input.origin, isList: false, isProse: false, shown: '…' }
    : literalField(word);
}

function splitWords(text: string, separators: string): string[] {
  const words = [''];
  for (const letter of text.trim()) {
    if (!separators.includes(letter)) words.push((words.pop() ?? '') + letter);
    else if (words.at(-1) !== '' || letter.trim() !== '') words.push('');
  }
  return words;
}

const set: Handler = ({ args, command, state, analysis }) => {
  if (args.length === 0) {
    addFinding(analysis.report, 'cred-expose', showFields(command));
    return { ...PRINTED, secret: 'environment' };
  }
  for (const [index, { text }] of args.entries()) {
    if (text === '--' || (text !== undefined && !/^[-+]/.test(text)) || text === undefined) {
      if (text !== '--' && args[index - 1]?.text?.endsWith('o') === true) continue;
      state.positional = args
        .slice(text === '--' ? index + 1 : index)
        .map((field): Field => ({ ...field, isList: true }));
      state.arePositionalSet = true;
      break;
    }
    if (/^-[a-z]*e/.test(text)) state.stopsOnError = true;
  }
  return NOTHING;
};

const shift: Handler = ({ args, state }) => {
  const count = Number(args[0]?.text ?? '1');
  state.positional = Number.isInteger(count) ? state.positional?.slice(count) : undefined;
  return NOTHING;
};

const mapfile: Handler = ({ args, state }) => {
  const { operands } = readArguments(args, { letters: 'dnOsuCc' });
  forgetVariable(state, operands[0]?.text ?? 'MAPFILE');
  return NOTHING;
};

const test: Handler = ({ args, command, state, analysis }) => {
  const evaluates = args.some(({ text }) => text === undefined || text === '-v' || text === '-R');
  if (evaluates && analysis.hasHiddenIndex) addFinding(analysis.report, 'dynamic-exec', showFields(command));
  if (args.some(({ text }) => text === '-v')) runIndexes({ args, command, state, analysis });
  return NOTHING;
};

/** Arithmetic, in which a variable with a substitution as its index is run. */
const evaluateArithmetic: Handler = ({ args, command, analysis, state }) => {
  if (analysis.hasHiddenIndex) addFinding(analysis.report, 'dynamic-exec', showFields(command));
  runIndexes({ args, command, state, analysis });
  for (const { text } of args) {
    const name = /^([A-Za-z_]\w*)\s*[-+*/%]?=/.exec(text ?? '')?.[1];
    if (name !== undefined) setVariable(state, name, { value: NUMBER, items: undefined });
  }
  return NOTHING;
};

const getopts: Handler = ({ args, state }) => {
  forgetVariable(state, args[1]?.text ?? 'opt');
  forgetVariable(state, 'OPTARG');
  return NOTHING;
};

const nothing: Handler = () => NOTHING;

export const BUILTINS: readonly (readonly [string, Handler])[] = [
  ['cd', cd],
  ['pushd', cd],
  ['popd', popd],
  ['export', declare],
  ['declare', declare],
  ['typeset', declare],
  ['local', declare],
  ['readonly', declare],
  ['unset', unset],
  ['read', read],
  ['set', set],
  ['shift', shift],
  ['mapfile', mapfile],
  ['readarray', mapfile],
  ['test', test],
  ['[', test],
  ['let', evaluateArithmetic],
  ['getopts', getopts],
  ...[
    ':',
    'true',
    'false',
    'exit',
    'return',
    'break',
    'continue',
    'shopt',
    'wait',
    'umask',
    'ulimit',
    'sleep',
  ].map((name) => [name, nothing] as const),
];
