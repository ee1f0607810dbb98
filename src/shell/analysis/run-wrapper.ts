import type { Call } from './analysis.ts';
import { type Content, NOTHING, PRINTED, textContent } from './content.ts';
import { type Field, literalField, patternField, showFields, UNKNOWN_FIELD, withoutPrefix } from './field.ts';
import { locate } from './locate-path.ts';
import { noticeSudo } from './programs-system.ts';
import { hasOption, optionValues, type ReadArguments } from './read-arguments.ts';
import { addFinding } from './report.ts';
import { runTexts } from './run-code.ts';
import { forkState, type ShellState } from './shell-state.ts';
import { noticeVariable } from './variable-effects.ts';
import { setVariable } from './variables.ts';
import type { Peeled } from './wrappers.ts';

const MAX_VALUES = 50;

/** What a wrapper starts. */
export function runWrapper(peeled: Peeled, call: Call): Content {
  const { name, analysis, command } = call;
  if (peeled.isQuery) {
    const asked = name === 'command' ? command.at(-1)?.text : undefined;
    return asked === undefined || asked.includes('/') ? PRINTED : textContent(`/usr/bin/${asked}\n`);
  }
  noticeSudo(peeled.read, call);
  if (name === 'xargs') return runXargs(peeled, call);
  if (name === 'parallel') return runParallel(peeled, call);
  runTexts(peeled.texts, call);
  const inner = innerState(peeled, call);
  const split = name === 'env' ? optionValues(peeled.read, 'S', 'split-string') : [];
  if (split.length > 0) return runSplit(split, peeled.command, inner, call);
  if (peeled.command.length > 0) return analysis.runArguments(peeled.command, inner);
  if (name === 'sudo' && hasOption(peeled.read, 's', 'i', 'shell', 'login'))
    return analysis.runArguments([literalField('bash')], inner);
  if (/^(?:su|runuser)$/.test(name) && peeled.texts.length === 0)
    return analysis.runArguments([literalField('bash')], inner);
  if (name === 'env' && !hasOption(peeled.read, 'i', 'ignore-environment', 'help', 'version')) {
    addFinding(analysis.report, 'cred-expose', showFields(command));
    return { ...PRINTED, secret: 'environment' };
  }
  // What it prints is made to be run.
  return name === 'ssh-agent' ? NOTHING : PRINTED;
}

/** Builtins that run a command stay in this shell, all others have one of their own. */
function innerState({ assignments, own, read }: Peeled, { name, state, analysis }: Call): ShellState {
  const isSame =
    name === 'command' || name === 'builtin' || name === 'exec' || name === 'time' || name === 'noglob';
  const inner = isSame ? state : forkState(state);
  for (const assignment of assignments) {
    const variable = /^[A-Za-z_]\w*(?:%%)?/.exec(assignment.text ?? assignment.pattern)?.[0] ?? '';
    const value = withoutPrefix(assignment, variable.length + 1);
    setVariable(inner, variable, { value, items: undefined });
    noticeVariable(variable, value, inner, analysis);
  }
  const [directory] =
    name === 'env'
      ? optionValues(read, 'C', 'chdir')
      : name === 'sudo'
        ? optionValues(read, 'D', 'chdir')
        : [];
  if (directory !== undefined) inner.directory = locate(directory, state.directory, analysis.place)?.path;
  // Behind another root everything is somewhere else.
  if (name === 'chroot' && own[0]?.text !== '/') inner.directory = '/';
  return inner;
}

/** `env -S 'a b'`: words in one text. */
function runSplit(
  texts: readonly Field[],
  command: readonly Field[],
  state: ShellState,
  { analysis, command: whole }: Call,
): Content {
  const [text] = texts;
  if (text?.text === undefined) {
    addFinding(analysis.report, 'dynamic-exec', showFields(whole));
    return PRINTED;
  }
  const words = text.text
    .trim()
    .replace(/^(?:-\S+\s+)*/, '')
    .match(/(?:[^\s'"\\]|'[^']*'|"(?:[^"\\]|\\.)*"|\\.)+/gs)
    ?.map((word) => literalField(unquoted(word)));
  if (words === undefined) return analysis.runArguments(command, state);
  const start = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word.text ?? ''));
  return analysis.runArguments([...words.slice(Math.max(0, start)), ...command], state);
}

function unquoted(word: string): string {
  return word.replaceAll(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs,
    (_whole, single?: string, double?: string, letter?: string) =>
      single ?? double?.replaceAll(/\\(.)/gs, '$1') ?? letter ?? '',
  );
}

function runXargs({ read, command }: Peeled, { state, analysis }: Call): Content {
  const given = command.length === 0 ? [literalField('echo')] : command;
  const inner = forkState(state);
  const [mark] = replacement(read);
  const fields = inputOf(read, state);
  if (fields.length === 0 && (mark !== undefined || hasOption(read, 'r', 'no-run-if-empty'))) return PRINTED;
  if (mark === undefined) return analysis.runArguments([...given, ...fields], inner);
  let printed: Content = PRINTED;
  for (const field of fields)
    printed = analysis.runArguments(
      given.map((argument) => replaced(argument, mark, field)),
      inner,
    );
  return printed;
}

/** Values stand behind `:::` or come in; each is put where the mark is, or at the end. */
function runParallel({ read, command }: Peeled, call: Call): Content {
  const { state, analysis } = call;
  const at = command.findIndex(({ text }) => /^:::\+?$/.test(text ?? ''));
  const words = at === -1 ? command : command.slice(0, at);
  const values =
    at === -1
      ? inputOf(read, state, true)
      : command.slice(at).filter(({ text }) => !/^:::\+?$/.test(text ?? ''));
  const [first] = words;
  const isText = words.length === 1 && first?.text !== undefined && /[;|&<>()$`'"]/.test(first.text);
  const pieces =
    words.length === 1 && first?.text !== undefined
      ? first.text.trim().split(/\s+/).map(literalField)
      : words;
  for (const value of values.slice(0, MAX_VALUES)) {
    const inner = forkState(state);
    if (words.length === 0) runTexts([value], call);
    else if (isText && value.text !== undefined) analysis.runText(withValue(first.text, value.text), inner);
    else if (isText) analysis.runText(first.text, inner);
    else {
      const filled = pieces.map((piece) => replaced(piece, '{}', value));
      const hasMark = pieces.some(({ text }) => text?.includes('{}') === true);
      analysis.runArguments(hasMark ? filled : [...filled, value], inner);
    }
  }
  return PRINTED;
}

function withValue(text: string, value: string): string {
  return text.includes('{}') ? text.replaceAll('{}', () => value) : `${text} ${value}`;
}

function replacement(read: ReadArguments): readonly string[] {
  const values = optionValues(read, 'I', 'replace').flatMap(({ text }) => text ?? []);
  return values.length === 0 && hasOption(read, 'i', 'replace') ? ['{}'] : values;
}

function inputOf(read: ReadArguments, { input }: ShellState, isLines = false): readonly Field[] {
  const [file] = optionValues(read, 'a', 'arg-file');
  if (file !== undefined && file.text !== '-' && file.text !== '/dev/stdin') return [UNKNOWN_FIELD];
  if (input.names !== undefined) return input.names.map(patternField);
  if (input.text === undefined)
    return [{ ...UNKNOWN_FIELD, origin: input.origin, secret: input.secret, isLocal: input.isLocal }];
  const separator = isLines || optionValues(read, 'I').length > 0 ? /[\n\0]+/ : /[\s\0]+/;
  const words = input.text
    .split(separator)
    .map((word) => word.trim())
    .filter((word) => word !== '');
  return words.slice(0, 50).map((word) => literalField(word.replaceAll(/^(["'])(.*)\1$/g, '$2')));
}

/** The mark stands for one line of the input. */
function replaced(argument: Field, mark: string, field: Field): Field {
  const { text } = argument;
  if (text === undefined || !text.includes(mark)) return argument;
  if (text === mark) return field;
  if (field.text !== undefined) return literalField(text.replaceAll(mark, field.text));
  return { ...field, pattern: text.replaceAll(mark, '*'), shown: argument.shown };
}
