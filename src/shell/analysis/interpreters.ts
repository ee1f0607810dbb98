import type { Analysis, Handler } from './analysis.ts';
import { type Content, PRINTED } from './content.ts';
import { type Field, literalField, patternField, showFields } from './field.ts';
import { readFile, writeFile } from './files-touched.ts';
import { type CodeAction, readCode } from './interpreter-code.ts';
import { followLinks, locate } from './locate-path.ts';
import { hostOf, noteHost } from './network.ts';
import { removeTargets } from './programs-delete.ts';
import { isDevice, isOwnData } from './protected-files.ts';
import { type Option, readArguments } from './read-arguments.ts';
import { addFinding, addPath } from './report.ts';
import { forkState, type ShellState } from './shell-state.ts';

/** Options with code, and others with a value, by interpreter. */
const CODE_OPTIONS: readonly (readonly [
  RegExp,
  { readonly code: readonly string[]; readonly letters: string; readonly names?: readonly string[] },
])[] = [
  [/^(?:python|pypy|ipython)/, { code: ['c'], letters: 'cmWX' }],
  [
    /^(?:node|nodejs|bun|tsx|ts-node)$/,
    {
      code: ['e', 'p', 'pe', 'eval', 'print'],
      letters: 'epr',
      names: ['eval', 'print', 'require', 'import', 'loader', 'env-file'],
    },
  ],
  [/^deno$/, { code: ['eval'], letters: '' }],
  [/^perl/, { code: ['e', 'E'], letters: 'eEMmI' }],
  [/^ruby/, { code: ['e'], letters: 'erI' }],
  [/^php/, { code: ['r', 'B', 'R', 'E'], letters: 'rBREfdcS' }],
  [/./, { code: ['e', 'c', 'command', 'Command'], letters: 'ecl', names: ['command', 'Command'] }],
];

interface Place {
  readonly state: ShellState;
  readonly analysis: Analysis;
}

export const runInterpreter: Handler = ({ name, args, command, state, analysis }) => {
  const evidence = showFields(command);
  const rules = CODE_OPTIONS.find(([names]) => names.test(name))?.[1] ?? { code: ['e'], letters: 'e' };
  const args0 =
    name === 'deno' && args[0]?.text === 'eval'
      ? [{ ...literalField('--eval'), shown: 'eval' }, ...args.slice(1)]
      : args.map((arg) =>
          arg.text === '-pe' && /^(?:node|nodejs|bun|tsx)$/.test(name) ? { ...arg, text: '--print' } : arg,
        );
  const { options, operands } = readArguments(args0, {
    letters: rules.letters,
    names: [...(rules.names ?? []), ...rules.code],
    endsAtOperand: true,
  });
  const codes = options.filter(({ name: option }) => rules.code.includes(option));
  if (codes.length > 0) {
    const changes = options.some(({ name: option }) => option === 'i');
    for (const file of operands) {
      readFile(file, { evidence }, state, analysis);
      if (changes) writeFile(file, { evidence }, state, analysis);
    }
    return runCodes(name, codes, evidence, { state, analysis });
  }
  const [script] = operands;
  if (options.some(({ name: option }) => option === 'm')) return PRINTED;
  if (script !== undefined && script.text !== '-' && script.text !== '/dev/stdin')
    return runScriptFile(script, name, evidence, { state, analysis });
  if (options.some(({ name: option }) => /^(?:V|version|help)$/.test(option))) return PRINTED;
  if (
    options.some(({ name: option }) => /^(?:V|v|h|version|help|i|-version|-help)$/.test(option)) &&
    state.input.text === ''
  )
    return PRINTED;
  return runInput(state.input, name, evidence, { state, analysis });
};

function runCodes(
  name: string,
  codes: readonly Option[],
  evidence: string,
  { state, analysis }: Place,
): Content {
  for (const { value } of codes) {
    if (value?.text !== undefined) {
      analysis.report.executed.add(value.text);
      act(readCode(name, value.text), evidence, { state, analysis });
    } else if (value !== undefined) runUnknown(value, evidence, analysis);
  }
  return PRINTED;
}

function runInput(input: Content, name: string, evidence: string, { state, analysis }: Place): Content {
  if (input.text !== undefined) {
    if (input.text !== '') analysis.report.executed.add(input.text);
    act(readCode(name, input.text), evidence, { state, analysis });
  } else if (input.file !== undefined && input.origin === 'here')
    runScriptFile(literalField(input.file), name, evidence, { state, analysis });
  else runUnknown(input, evidence, analysis);
  return PRINTED;
}

function runUnknown({ origin }: Content, evidence: string, { report }: Analysis): void {
  const found =
    origin === 'network' ? 'pipe-to-shell' : origin === 'encoded' ? 'decode-exec' : 'dynamic-exec';
  addFinding(report, found, evidence);
}

function runScriptFile(script: Field, name: string, evidence: string, { state, analysis }: Place): Content {
  const { place, report, files, scripts } = analysis;
  const path = locate(script, state.directory, place)?.path;
  if (path === undefined) {
    if (script.isDynamic) addFinding(report, 'dynamic-exec', evidence);
    return PRINTED;
  }
  const written = files.get(path);
  const followed = followLinks(path, place);
  if (!path.startsWith('/dev/fd/')) addPath(report.runs, followed);
  if (written?.origin === 'network')
    addFinding(report, path.startsWith('/dev/fd/') ? 'pipe-to-shell' : 'download-exec', evidence, [path]);
  else if (written?.text !== undefined) return scanScript(name, written.text, path, { state, analysis });
  else if (written !== undefined && written.file === undefined) runUnknown(written, evidence, analysis);
  if (written !== undefined || scripts.has(followed) || !followed.startsWith(`${place.workspace}/`))
    return PRINTED;
  scripts.add(followed);
  const text = place.readScript?.(followed);
  return text === undefined || text.length > 65_536
    ? PRINTED
    : scanScript(name, text, followed, { state, analysis });
}

/** The program in a file: that it runs commands is its business, unless they are known to be a disaster. */
export function scanScript(name: string, text: string, path: string, { state, analysis }: Place): Content {
  const actions = readCode(name, text).filter(({ isKnown }) => isKnown);
  act(actions, path, { state: forkState(state), analysis }, true);
  return PRINTED;
}

function act(
  actions: readonly CodeAction[],
  evidence: string,
  { state, analysis }: Place,
  isFile = false,
): void {
  const { report, place } = analysis;
  for (const action of actions) {
    const target = homeField(action.text, place.home);
    switch (action.type) {
      case 'run':
        if (!isFile) addFinding(report, 'interpreter-exec', evidence);
        if (action.argv !== undefined) analysis.runArguments(action.argv.map(literalField), forkState(state));
        else if (action.isKnown) analysis.runText(action.text, forkState(state));
        break;
      case 'remove':
        if (!isFile) addFinding(report, 'interpreter-exec', evidence);
        if (action.isKnown)
          removeTargets([target], { isTree: action.isTree === true, evidence }, state, analysis);
        break;
      case 'finding':
        addFinding(report, action.found ?? 'dynamic-exec', evidence);
        break;
      case 'path':
        noticePath(target, action.writes === true && !isFile, evidence, { state, analysis });
        break;
      case 'host':
        noteHost(hostOf(action.text) ?? '', evidence, analysis);
        break;
      default:
        action.type satisfies never;
    }
  }
}

function homeField(text: string, home: string): Field {
  if (text === '~' || text.startsWith('~/')) return literalField(home + text.slice(1));
  return text.includes('*') ? patternField(text) : literalField(text);
}

/** A text in the code that is a path of credentials or of Herma's own. */
function noticePath(field: Field, writes: boolean, evidence: string, { state, analysis }: Place): void {
  const { place, report } = analysis;
  const candidates = [
    field,
    ...(field.text?.startsWith('/.') === true ? [literalField(place.home + field.text)] : []),
  ];
  for (const candidate of candidates) {
    const path = locate(candidate, state.directory, place)?.path;
    if (path === undefined) continue;
    if (writes && isOwnData(path, place)) addFinding(report, 'self-tamper', evidence, [path]);
    if (writes && isDevice(path)) addFinding(report, 'device', evidence, [path]);
    readFile(candidate, { evidence }, state, analysis);
  }
}
