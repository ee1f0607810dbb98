import type { Analysis, Call, Handler } from './analysis.ts';
import { type Content, NOTHING, PRINTED, textContent, UNKNOWN } from './content.ts';
import { type Field, literalField, showFields, withoutPrefix } from './field.ts';
import { isInterpreter } from './interpreter-names.ts';
import { scanScript } from './interpreters.ts';
import { followLinks, isWithin, locate } from './locate-path.ts';
import { addFinding, addPath } from './report.ts';
import { forkState, type ShellState } from './shell-state.ts';

const SHELLS = new Set([
  'sh',
  'bash',
  'zsh',
  'dash',
  'ksh',
  'ksh93',
  'mksh',
  'pdksh',
  'ash',
  'rbash',
  'yash',
  'posh',
  'fish',
  'csh',
  'tcsh',
]);
const VALUED_NAMES = new Set(['--rcfile', '--init-file']);
const MAX_SCRIPT = 32_768;

export function isShell(name: string): boolean {
  return SHELLS.has(name);
}

/** What it means when a text that came from somewhere is run as code. */
export function runContent(
  content: Content,
  evidence: string,
  state: ShellState,
  analysis: Analysis,
): Content {
  const { report } = analysis;
  if (content.origin === 'network') addFinding(report, 'pipe-to-shell', evidence);
  else if (content.origin === 'encoded') addFinding(report, 'decode-exec', evidence);
  for (const choice of content.choices) analysis.runText(choice, state);
  if (content.text !== undefined) return analysis.runText(content.text, state);
  if (content.file !== undefined && content.origin === 'here')
    return runFile(literalField(content.file), evidence, state, analysis);
  if (content.origin === 'here' && (content.isDynamic || content.choices.length === 0))
    addFinding(report, 'dynamic-exec', evidence);
  return UNKNOWN;
}

/** A shell that is started with these arguments. */
const runShell: Handler = ({ args, command, state, analysis }) => {
  const evidence = showFields(command);
  // These run nothing; with `-n` a script is only read.
  if (/^-(?:-version|-help|n)$/.test(args[0]?.text ?? '')) return PRINTED;
  const { code, rest, readsInput } = readShellArguments(args);
  for (const [index, { text }] of args.entries()) {
    const startUp = VALUED_NAMES.has(text ?? '') ? args[index + 1] : undefined;
    if (startUp !== undefined) runFile(startUp, evidence, forkState(state), analysis);
  }
  if (code !== undefined) {
    const [zero, ...positional] = rest;
    const child = forkState(state, {
      positional,
      scriptName: zero ?? textContent('bash'),
      arePositionalSet: false,
    });
    return runContent(code, evidence, child, analysis);
  }
  const [script, ...positional] = rest;
  if (script === undefined || readsInput) {
    // The commands it reads would read what is left of them.
    const child = forkState(state, {
      positional: readsInput ? rest : [],
      arePositionalSet: false,
      input: NOTHING,
    });
    return runContent(state.input, evidence, child, analysis);
  }
  return runFile(script, evidence, forkState(state, { positional, arePositionalSet: false }), analysis);
};

interface ShellArguments {
  readonly code: Field | undefined;
  readonly rest: readonly Field[];
  readonly readsInput: boolean;
}

function readShellArguments(args: readonly Field[]): ShellArguments {
  let hasCode = false;
  let readsInput = false;
  for (let index = 0; index < args.length; index += 1) {
    const text = args[index]?.text;
    const isOption = text !== undefined && /^[-+]./.test(text);
    if (!isOption) {
      const rest = args.slice(index);
      if (text === '-' && !hasCode)
        return { code: undefined, rest: rest.slice(1), readsInput: rest.length === 1 };
      return hasCode
        ? { code: rest[0], rest: rest.slice(1), readsInput }
        : { code: undefined, rest, readsInput };
    }
    if (text === '--') {
      const rest = args.slice(index + 1);
      return hasCode
        ? { code: rest[0], rest: rest.slice(1), readsInput }
        : { code: undefined, rest, readsInput };
    }
    if (text.startsWith('--')) {
      if (VALUED_NAMES.has(text)) index += 1;
      continue;
    }
    hasCode ||= text.startsWith('-') && text.includes('c');
    readsInput ||= text.startsWith('-') && text.includes('s');
    // Each `o` and `O` takes a value of its own.
    index += text
      .slice(1)
      .split('')
      .filter((letter) => letter === 'o' || letter === 'O').length;
  }
  return { code: undefined, rest: [], readsInput };
}

/** A file that is run as code of a shell, or as whatever its first line says. */
function runFile(field: Field, evidence: string, state: ShellState, analysis: Analysis): Content {
  const { place, report, files } = analysis;
  if (field.isDynamic || field.text === undefined) {
    addFinding(report, 'dynamic-exec', evidence);
    return UNKNOWN;
  }
  if (field.text === '/dev/stdin') return runContent(state.input, evidence, state, analysis);
  const path = locate(field, state.directory, place)?.path;
  if (path === undefined) return UNKNOWN;
  const written = files.get(path);
  if (path.startsWith('/dev/fd/')) return runContent(written ?? UNKNOWN, evidence, state, analysis);
  const followed = followLinks(path, place);
  addPath(report.runs, followed);
  if (written !== undefined) return runWritten(written, path, evidence, { state, analysis });
  return readScript(followed, evidence, state, analysis);
}

/** A file that this very command has written before. */
function runWritten(
  content: Content,
  path: string,
  evidence: string,
  { state, analysis }: { readonly state: ShellState; readonly analysis: Analysis },
): Content {
  if (content.origin === 'network') {
    addFinding(analysis.report, 'download-exec', evidence, [path]);
    return UNKNOWN;
  }
  if (content.file !== undefined)
    return content.file === path ? PRINTED : runFile(literalField(content.file), evidence, state, analysis);
  return content.text === undefined
    ? runContent(content, evidence, state, analysis)
    : runScriptText(content.text, path, state, analysis);
}

function readScript(path: string, evidence: string, state: ShellState, analysis: Analysis): Content {
  const { place, report } = analysis;
  const isOnStack = state.frames.some(({ name, forks }) => name === path && state.forks > forks);
  if (isOnStack && !state.isConditional) addFinding(report, 'fork-bomb', evidence, [path]);
  if (analysis.scripts.has(path) || !isWithin(path, place.workspace)) return PRINTED;
  analysis.scripts.add(path);
  const text = place.readScript?.(path);
  if (text === undefined || text.length > MAX_SCRIPT) return PRINTED;
  const frames = [...state.frames, { name: path, forks: state.forks }];
  const { frames: before, isConditional } = state;
  state.frames = frames;
  state.isConditional = false;
  runScriptText(text, path, state, analysis);
  state.frames = before;
  state.isConditional = isConditional;
  return PRINTED;
}

function runScriptText(text: string, path: string, state: ShellState, analysis: Analysis): Content {
  const program = /^#!\s*(\S+)(?:[ \t]+(.*))?/.exec(text);
  const words = [program?.[1] ?? '', ...(program?.[2] ?? '').split(/\s+/)].map(
    (word) => word.split('/').at(-1) ?? '',
  );
  const name =
    words[0] === 'env'
      ? words.slice(1).find((word) => !word.startsWith('-') && !word.includes('='))
      : words[0];
  if (name !== undefined && isInterpreter(name)) return scanScript(name, text, path, { state, analysis });
  if (name === undefined || name === '' ? /\.(?:py|js|mjs|ts|rb|pl|php)$/.test(path) : !SHELLS.has(name))
    return PRINTED;
  const { scriptName } = state;
  state.scriptName = textContent(path);
  analysis.runText(text, state);
  state.scriptName = scriptName;
  return PRINTED;
}

const evaluate: Handler = ({ args, command, state, analysis }) => {
  const texts = args.flatMap(({ text }) => text ?? []);
  const evidence = showFields(command);
  if (texts.length === args.length) return analysis.runText(texts.join(' '), state);
  const [only] = args;
  if (args.length === 1 && only !== undefined) return runContent(only, evidence, state, analysis);
  for (const field of args)
    if (field.text === undefined)
      return runContent(
        { ...field, text: undefined, choices: [], file: undefined },
        evidence,
        state,
        analysis,
      );
  return UNKNOWN;
};

const source: Handler = ({ args, command, state, analysis }) => {
  const [file] = args[0]?.text === '--' ? args.slice(1) : args;
  if (file === undefined) return PRINTED;
  const inner = forkState(state);
  const printed = runFile(file, showFields(command), inner, analysis);
  // What it defines is defined here.
  for (const [name, body] of inner.functions.own) state.functions.set(name, body);
  for (const [name, variable] of inner.variables.own) state.variables.set(name, variable);
  state.directory = inner.directory;
  state.otherDirectories = inner.otherDirectories;
  return printed;
};

const trap: Handler = ({ args, command, state, analysis }) => {
  const [code, ...signals] = args[0]?.text === '--' ? args.slice(1) : args;
  if (code === undefined || signals.length === 0 || /^-?$|^-[lp]/.test(code.text ?? '?')) return PRINTED;
  return runContent(code, showFields(command), state, analysis);
};

const alias: Handler = ({ args, state, analysis }) => {
  for (const field of args) {
    const text = field.text ?? field.pattern;
    const equals = text.indexOf('=');
    if (equals > 0 && field.text !== undefined)
      analysis.runText(field.text.slice(equals + 1), forkState(state));
    else if (equals > 0)
      runContent(
        { ...withoutPrefix(field, equals + 1), choices: [] },
        field.shown,
        forkState(state),
        analysis,
      );
  }
  return PRINTED;
};

export const CODE_PROGRAMS: readonly (readonly [string, Handler])[] = [
  ...[...SHELLS].map((name) => [name, runShell] as const),
  ['eval', evaluate],
  ['source', source],
  ['.', source],
  ['trap', trap],
  ['alias', alias],
];

/** The texts that a wrapper hands to a shell. */
export function runTexts(texts: readonly Field[], { command, state, analysis }: Call): Content {
  for (const text of texts) runContent(text, showFields(command), forkState(state), analysis);
  return PRINTED;
}

/** A program given by a path that is not one of the system's. */
export function runLocalProgram({ command, state, analysis, args }: Call): Content {
  const [first] = command;
  if (first === undefined) return PRINTED;
  return runFile(
    first,
    showFields(command),
    forkState(state, { positional: args, arePositionalSet: false }),
    analysis,
  );
}
