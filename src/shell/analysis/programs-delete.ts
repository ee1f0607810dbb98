import type { Analysis, Handler } from './analysis.ts';
import { spend } from './budget.ts';
import { classifyFile, classifyPattern, classifyTree } from './classify-deletion.ts';
import { NOTHING, PRINTED } from './content.ts';
import {
  type Field,
  fieldPattern,
  knownPrefix,
  literalField,
  patternField,
  showFields,
  UNKNOWN_FIELD,
} from './field.ts';
import { followBase, followLinks, followParents, type Located, locate, locateAll } from './locate-path.ts';
import { matchesEverything } from './match-pattern.ts';
import { isDevice } from './protected-files.ts';
import { hasOption, readArguments } from './read-arguments.ts';
import { addFinding, addPath } from './report.ts';
import { forkState, type ShellState } from './shell-state.ts';

interface Removal {
  readonly evidence: string;
  /** With everything below it. */
  readonly isTree: boolean;
}

/** Files or directories are removed. */
export function removeTargets(
  targets: readonly Field[],
  removal: Removal,
  state: ShellState,
  analysis: Analysis,
): void {
  for (const target of targets) {
    if (target.text === '') continue;
    if (!spend(analysis, target.text === undefined ? 4 : 1)) return;
    if (target.isDynamic) removeUnknown(target, removal, analysis);
    else
      for (const located of locateAll(target, state, analysis.place))
        removeLocated(located, removal, analysis);
  }
}

function removeUnknown(target: Field, { evidence }: Removal, { report, place }: Analysis): void {
  addFinding(report, 'delete-unknown', evidence);
  const prefix = knownPrefix(target);
  if (prefix.startsWith(`${place.hermaHome}/`)) addFinding(report, 'self-tamper', evidence);
}

function removeLocated(located: Located | undefined, removal: Removal, analysis: Analysis): void {
  const { report, place } = analysis;
  const { evidence, isTree } = removal;
  if (located === undefined) {
    addFinding(report, 'delete-unknown', evidence);
    return;
  }
  const { path, pattern } = located;
  if (path === undefined) {
    for (const each of new Set([pattern ?? '*', followBase(pattern ?? '*', place)]))
      for (const found of classifyPattern(each, isTree, place)) addFinding(report, found, evidence, [each]);
    return;
  }
  const target = located.isDirectory ? followLinks(path, place) : followParents(path, place);
  addPath(report.writes, target);
  const classes = new Set(
    [target, path].map((each) => (isTree ? classifyTree(each, place) : classifyFile(each, place))),
  );
  for (const found of classes) if (found !== undefined) addFinding(report, found, evidence, [target]);
}

const rm: Handler = ({ args, command, state, analysis }) => {
  const read = readArguments(args);
  const mayBeOption = args.some(
    (field) => field.text === undefined && field.isDynamic && field.isList && knownPrefix(field) === '',
  );
  const isTree =
    hasOption(read, 'r', 'R', 'recursive') ||
    read.options.some(({ name }) => name.length > 1 && 'recursive'.startsWith(name)) ||
    (mayBeOption && read.operands.length > 1);
  removeTargets(read.operands, { evidence: showFields(command), isTree }, state, analysis);
  return NOTHING;
};

/** Programs that remove whatever they are given. */
const removeTrees: Handler = ({ args, command, state, analysis }) => {
  const { operands } = readArguments(args, { names: ['max-retries', 'impl', 'tmp'] });
  removeTargets(operands, { evidence: showFields(command), isTree: true }, state, analysis);
  return NOTHING;
};

/** Only a directory in which nothing is. */
const rmdir: Handler = ({ args, state, analysis }) => {
  for (const operand of readArguments(args).operands) {
    const path = locate(operand, state.directory, analysis.place)?.path;
    if (path !== undefined) addPath(analysis.report.writes, path);
  }
  return NOTHING;
};

const unlink: Handler = ({ args, command, state, analysis }) => {
  removeTargets(
    readArguments(args).operands,
    { evidence: showFields(command), isTree: false },
    state,
    analysis,
  );
  return NOTHING;
};

const shred: Handler = ({ args, command, state, analysis }) => {
  const read = readArguments(args, { letters: 'ns', names: ['iterations', 'size', 'random-source'] });
  const evidence = showFields(command);
  for (const operand of read.operands)
    if (isDevice(locate(operand, state.directory, analysis.place)?.path ?? ''))
      addFinding(analysis.report, 'device', evidence);
  removeTargets(read.operands, { evidence, isTree: false }, state, analysis);
  return NOTHING;
};

const FILTERS = /^-(?:name|iname|path|ipath|wholename|regex|iregex|lname|empty)$/;
const NEGATIONS = new Set(['!', '-not', '-o', '-or']);
const ACTIONS = /^-(?:delete|exec|execdir|ok|okdir|fprint0?|fprintf|fls)$/;

const find: Handler = ({ args, command, state, analysis }) => {
  const evidence = showFields(command);
  const start = args.findIndex(
    ({ text }, index) =>
      (text?.startsWith('-') === true && !/^-[HLPDO]/.test(text)) ||
      text === '!' ||
      text === '(' ||
      (text === undefined && index > 0 && args[index]?.isList === true && args[index].isDynamic),
  );
  const before = start === -1 ? args : args.slice(0, start);
  const given = before.filter(({ text }) => !/^-[HLPDO]/.test(text ?? ''));
  const roots = given.length === 0 ? [literalField('.')] : given;
  const rest = start === -1 ? [] : args.slice(start);
  const filter = filterOf(rest);
  const found = roots.flatMap((root) => foundBelow(root, filter, state, analysis));
  if (rest.some(({ text }) => text === '-delete')) {
    if (roots.some(({ isDynamic }) => isDynamic)) addFinding(analysis.report, 'delete-unknown', evidence);
    removeFound(roots, filter, evidence, { state, analysis });
  }
  runActions(rest, roots, { filter, found, evidence, state, analysis });
  if (rest.some(({ text }) => ACTIONS.test(text ?? ''))) return PRINTED;
  const names = found.flatMap((each) => (each.isDynamic ? [] : [fieldPattern(each)]));
  return names.length === found.length ? { ...PRINTED, names } : PRINTED;
};

/** The names that are looked for, when nothing else is found. */
function filterOf(rest: readonly Field[]): string | undefined {
  if (rest.some(({ text }) => NEGATIONS.has(text ?? ''))) return undefined;
  const at = rest.findIndex(({ text }) => FILTERS.test(text ?? ''));
  if (at === -1) return undefined;
  const option = rest[at]?.text ?? '';
  if (option === '-empty') return '?*.empty';
  const pattern = rest[at + 1]?.text;
  if (pattern === undefined || matchesEverything(pattern)) return undefined;
  return option.endsWith('name') && !pattern.includes('/') ? pattern : '?*.found';
}

function foundBelow(
  root: Field,
  filter: string | undefined,
  state: ShellState,
  { place }: Analysis,
): Field[] {
  const located = locate(root, state.directory, place);
  const base = located?.path ?? located?.pattern;
  if (base === undefined) return [UNKNOWN_FIELD];
  const below =
    base === '/' ? '' : located?.path === undefined ? base : base.replaceAll(/[*?[\]\\]/g, String.raw`\$&`);
  return [patternField(`${below}/**${filter === undefined ? '' : `/${filter}`}`)];
}

interface Place {
  readonly state: ShellState;
  readonly analysis: Analysis;
}

/** Everything below the roots is removed, or only what has certain names. */
function removeFound(
  roots: readonly Field[],
  filter: string | undefined,
  evidence: string,
  { state, analysis }: Place,
): void {
  if (filter === undefined) {
    removeTargets(roots, { evidence, isTree: true }, state, analysis);
    return;
  }
  for (const root of roots) {
    const path = locate(root, state.directory, analysis.place)?.path;
    if (path === undefined) continue;
    const found = classifyFile(`${path === '/' ? '' : path}/${filter}`, analysis.place);
    if (found !== undefined) addFinding(analysis.report, found, evidence, [path]);
  }
}

function runActions(
  rest: readonly Field[],
  roots: readonly Field[],
  {
    filter,
    found,
    evidence,
    state,
    analysis,
  }: Place & {
    readonly filter: string | undefined;
    readonly found: readonly Field[];
    readonly evidence: string;
  },
): void {
  let at = nextAction(rest, 0);
  while (at !== -1) {
    const end = rest.findIndex(
      (field, index) =>
        index > at && (field.text === ';' || (field.text === '+' && rest[index - 1]?.text === '{}')),
    );
    const command = rest.slice(at + 1, end === -1 ? undefined : end);
    if (!spend(analysis, 1 + command.length / 16)) return;
    const program = command[0]?.text?.split('/').at(-1) ?? '';
    const isRemoval = /^(?:rm|unlink|shred)$/.test(program);
    if (isRemoval) removeFound(roots, filter, evidence, { state, analysis });
    const fields = isRemoval
      ? command.filter(({ text }) => text?.includes('{}') !== true && text !== '+')
      : command.flatMap((field) => replaced(field, found));
    analysis.runArguments(fields, forkState(state));
    at = end === -1 ? -1 : nextAction(rest, end);
  }
}

function nextAction(rest: readonly Field[], from: number): number {
  return rest.findIndex(
    ({ text }, index) => index >= from && /^-(?:exec|execdir|ok|okdir)$/.test(text ?? ''),
  );
}

/** `{}` stands for what was found. */
function replaced(field: Field, found: readonly Field[]): readonly Field[] {
  if (field.text === '{}') return found;
  return field.text?.includes('{}') === true ? [{ ...UNKNOWN_FIELD, shown: field.shown }] : [field];
}

/** `fd pattern [directory …] -x command`: like find with its action. */
const fd: Handler = ({ args, command, state, analysis }) => {
  const evidence = showFields(command);
  const at = args.findIndex(({ text }) => /^(?:-[xX]|--exec(?:-batch)?)$/.test(text ?? ''));
  const before = readArguments(at === -1 ? args : args.slice(0, at), {
    letters: 'deEtSocj',
    names: [
      'max-depth',
      'extension',
      'exclude',
      'type',
      'size',
      'owner',
      'color',
      'threads',
      'base-directory',
    ],
  });
  const [pattern, ...roots] = before.operands;
  const isAll = pattern === undefined || /^(?:\.\*?|\^|)$/.test(pattern.text ?? '.');
  const filter = isAll && !hasOption(before, 'e', 'extension') ? undefined : '?*.found';
  const from = roots.length === 0 ? [literalField('.')] : roots;
  const found = from.flatMap((root) => foundBelow(root, filter, state, analysis));
  const action = at === -1 ? [] : [{ ...literalField('-exec') }, ...args.slice(at + 1)];
  const hasMark = action.some(({ text }) => text?.includes('{}') === true);
  const whole = action.length === 0 || hasMark ? action : [...action, literalField('{}')];
  runActions(whole, from, { filter, found, evidence, state, analysis });
  return at === -1 ? { ...PRINTED, names: found.map(fieldPattern) } : PRINTED;
};

export const DELETE_PROGRAMS: readonly (readonly [string, Handler])[] = [
  ['rm', rm],
  ['rmdir', rmdir],
  ['unlink', unlink],
  ['shred', shred],
  ['srm', rm],
  ...['rimraf', 'del-cli', 'trash', 'trash-put', 'gio-trash'].map((name) => [name, removeTrees] as const),
  ['find', find],
  ['fd', fd],
  ['fdfind', fd],
];
