import type { Call } from './analysis.ts';
import { type Content, PRINTED } from './content.ts';
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

/** What a wrapper starts. */
export function runWrapper(peeled: Peeled, call: Call): Content {
  const { name, analysis, command } = call;
  if (peeled.isQuery) return PRINTED;
  noticeSudo(peeled.read, call);
  if (name === 'xargs') return runXargs(peeled, call);
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
  return PRINTED;
}

/** Builtins that run a command stay in this shell, all others have one of their own. */
function innerState({ assignments, own, read }: Peeled, { name, state, analysis }: Call): ShellState {
  const isSame =
    name === 'command' || name === 'builtin' || name === 'exec' || name === 'time' || name === 'noglob';
  const inner = isSame ? state : forkState(state);
  for (const assignment of assignments) {
    const variable = /^[A-Za-z_]\w*/.exec(assignment.text ?? assignment.pattern)?.[0] ?? '';
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
    .split(/\s+/)
    .map((word) => literalField(word.replaceAll(/^['"]|['"]$/g, '')));
  const start = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word.text ?? ''));
  return analysis.runArguments([...words.slice(Math.max(0, start)), ...command], state);
}

function runXargs({ read, command }: Peeled, { state, analysis }: Call): Content {
  const given = command.length === 0 ? [literalField('echo')] : command;
  const inner = forkState(state);
  const [mark] = replacement(read);
  const fields = inputOf(read, state);
  if (fields.length === 0) return PRINTED;
  if (mark === undefined) return analysis.runArguments([...given, ...fields], inner);
  let printed: Content = PRINTED;
  for (const field of fields)
    printed = analysis.runArguments(
      given.map((argument) => replaced(argument, mark, field)),
      inner,
    );
  return printed;
}

function replacement(read: ReadArguments): readonly string[] {
  const values = optionValues(read, 'I', 'replace').flatMap(({ text }) => text ?? []);
  return values.length === 0 && hasOption(read, 'i', 'replace') ? ['{}'] : values;
}

function inputOf(read: ReadArguments, { input }: ShellState): readonly Field[] {
  if (optionValues(read, 'a', 'arg-file').length > 0) return [UNKNOWN_FIELD];
  if (input.names !== undefined) return input.names.map(patternField);
  if (input.text === undefined)
    return [{ ...UNKNOWN_FIELD, origin: input.origin, secret: input.secret, isLocal: input.isLocal }];
  const separator = optionValues(read, 'I').length > 0 ? /[\n\0]+/ : /[\s\0]+/;
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
