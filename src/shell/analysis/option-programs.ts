import type { Call, Handler } from './analysis.ts';
import { type Content, PRINTED } from './content.ts';
import { showFields } from './field.ts';
import { readFiles } from './programs-read.ts';
import { optionValues, readArguments } from './read-arguments.ts';
import { addFinding } from './report.ts';
import { forkState } from './shell-state.ts';

/** Options by which programs of an ordinary name run another one. */
const RUNNING_OPTIONS = new Map<string, readonly string[]>([
  ['sort', ['compress-program']],
  ['rg', ['pre', 'hostname-bin']],
  ['man', ['P', 'pager', 'H', 'html']],
  ['ag', ['pager']],
  ['split', ['filter']],
  ['zip', ['TT', 'unzip-command']],
  ['tcpdump', ['z']],
  ['wget', ['use-askpass']],
  ['less', ['k']],
  ['gdb', ['ex', 'eval-command']],
  ['nmap', ['script']],
]);

const EDITOR = /^(?:vim?|nvim|view|ex|less|more|vimdiff)$/;

/** `vim -c '!command'` and `less '+!command'`. */
function noticeEditor(call: Call): void {
  const { options } = readArguments(call.args, { letters: 'cS', names: ['cmd'] });
  const given = options.flatMap(({ name, value }) =>
    name === 'c' || name === 'cmd' ? (value?.text ?? []) : [],
  );
  const plus = call.args.flatMap(({ text }) => (text?.startsWith('+') === true ? [text.slice(1)] : []));
  for (const text of [...given, ...plus]) {
    const code = /^:?\s*(?:(?:silent!?|sil!?|exe(?:cute)?)\s+)*!(.*)$/s.exec(text)?.[1];
    if (code === undefined && !/\b(?:system|systemlist|job_start|termopen)\s*\(/.test(text)) continue;
    addFinding(call.analysis.report, 'interpreter-exec', showFields(call.command));
    const called = /\b(?:system|systemlist|job_start|termopen)\s*\(\s*["']((?:[^"'\\]|\\.)*)["']/.exec(
      text,
    )?.[1];
    for (const each of [code, called])
      if (each !== undefined) call.analysis.runText(each, forkState(call.state));
  }
}

/** Rules that are given at the input run commands. */
function noticeMake(call: Call): void {
  const { options } = readArguments(call.args, { letters: 'fCjIoW', names: ['file', 'makefile', 'eval'] });
  for (const { text } of call.args) {
    const shell = /^(?:\.?SHELL|\.SHELLFLAGS)=(.*)$/s.exec(text ?? '')?.[1];
    if (shell === undefined) continue;
    addFinding(call.analysis.report, 'interpreter-exec', showFields(call.command));
    call.analysis.runText(shell, forkState(call.state));
  }
  for (const { name, value } of options) {
    const isInput = (name === 'f' || name === 'file' || name === 'makefile') && value?.text === '-';
    if (isInput || name === 'eval')
      addFinding(call.analysis.report, 'interpreter-exec', showFields(call.command));
  }
}

/** Runs what such an option names, and says that it was hidden there. */
export function noticeOptions(call: Call): void {
  if (EDITOR.test(call.name)) noticeEditor(call);
  if (call.name === 'make' || call.name === 'gmake') noticeMake(call);
  const names = RUNNING_OPTIONS.get(call.name);
  if (names === undefined) return;
  const read = readArguments(call.args, {
    letters: names.filter((name) => name.length === 1).join(''),
    names,
    hasLongNames: call.name === 'zip',
  });
  for (const value of optionValues(read, ...names)) {
    if (call.name === 'man' && /^(?:cat|less|more)$/.test(value.text ?? '')) continue;
    addFinding(call.analysis.report, 'interpreter-exec', showFields(call.command));
    if (value.text !== undefined) call.analysis.runText(value.text, forkState(call.state));
  }
}

/** A text of awk: it can run commands and open pipes. */
const awk: Handler = (call) => {
  const { args, state, analysis, command } = call;
  const read = readArguments(args, { letters: 'vfF', names: ['assign', 'file', 'field-separator'] });
  const [file] = optionValues(read, 'f', 'file');
  const script = file === undefined ? read.operands[0] : undefined;
  const isInput = file?.text === '-' || file?.text === '/dev/stdin';
  const text = (isInput ? state.input.text : script?.text) ?? '';
  const evidence = showFields(command);
  for (const match of withoutPatterns(text).matchAll(
    /\bsystem\s*\(\s*(?:"((?:[^"\\]|\\.)*)"\s*\))?|(?:print|printf)\b[^|"\n;}]{0,200}(?:"(?:[^"\\]|\\.)*"[^|"\n;}]{0,200}){0,20}\|&?\s*(?:"((?:[^"\\]|\\.)*)")?|"((?:[^"\\]|\\.)*)"\s*\|&?\s*getline/g,
  )) {
    addFinding(analysis.report, 'interpreter-exec', evidence);
    const code = match[1] ?? match[2] ?? match[3];
    const codes = code === undefined ? assignedTexts(text) : [code];
    for (const each of codes) analysis.runText(each.replaceAll(/\\(.)/g, '$1'), forkState(state));
  }
  for (const match of text.matchAll(/getline\s*(?:\w+\s*)?<\s*"((?:[^"\\]|\\.)*)"/g))
    readAlso(match[1] ?? '', call);
  if (script !== undefined && script.text === undefined && script.isDynamic && script.isList)
    addFinding(analysis.report, 'dynamic-exec', evidence);
  return readFiles(call);
};

/** What the variables of the script are set to. */
function assignedTexts(script: string): string[] {
  return [...script.matchAll(/\w\s*=\s*"((?:[^"\\]|\\.)*)"/g)].slice(0, 10).flatMap(([, text]) => text ?? []);
}

function readAlso(path: string, call: Call): Content {
  const file = { ...call.command[0], text: path, shown: path, pattern: '', isDynamic: false };
  return readFiles({
    ...call,
    name: 'cat',
    args: [{ ...PRINTED, isList: false, isProse: false, ...file, choices: [] }],
  });
}

/** Regular expressions are data. */
function withoutPatterns(script: string): string {
  return script.replaceAll(/(^|[~(,{;&|!\n]\s*)\/(?:[^/\\\n]|\\.)*\//g, '$1//');
}

const SED_EXECUTES =
  /(?:^|[;\n{}]|^-e)\s*(?:(?:\d+|\$|\/(?:[^/\\\n]|\\.)*\/)(?:\s*,\s*[+~]?(?:\d+|\$|\/(?:[^/\\\n]|\\.)*\/))?\s*!?\s*)?e(?:\s+([^\n]*)|\s*(?:$|[;\n}]))/g;

/** A text of sed: `e` runs commands, and so does a flag of `s`. */
const sed: Handler = (call) => {
  const { args, state, analysis, command } = call;
  const read = readArguments(args, { letters: 'efl', names: ['expression', 'file', 'line-length'] });
  const scripts = optionValues(read, 'e', 'expression');
  if (scripts.length === 0 && optionValues(read, 'f', 'file').length === 0)
    scripts.push(...read.operands.slice(0, 1));
  for (const { text } of scripts) {
    if (text === undefined) continue;
    for (const match of text.matchAll(SED_EXECUTES)) {
      addFinding(analysis.report, 'interpreter-exec', showFields(command));
      if (match[1] !== undefined) analysis.runText(match[1], forkState(state));
    }
    const code = executedBySubstitution(text);
    if (code === undefined) continue;
    addFinding(analysis.report, 'interpreter-exec', showFields(command));
    analysis.runText(code, forkState(state));
  }
  return readFiles(call);
};

/** `s/a/b/e` */
function executedBySubstitution(script: string): string | undefined {
  const match =
    /(?:^|[;\n{}\d$/])\s*s([/|,#@:%!])(?:(?!\1)[^\\\n]|\\.)*\1((?:(?!\1)[^\\\n]|\\.)*)\1([a-zA-Z0-9]*)/.exec(
      script,
    );
  return match?.[3]?.includes('e') === true ? match[2]?.replaceAll(/\\([^0-9])/g, '$1') : undefined;
}

export const OPTION_PROGRAMS: readonly (readonly [string, Handler])[] = [
  ...['awk', 'gawk', 'mawk', 'nawk'].map((name) => [name, awk] as const),
  ['sed', sed],
];
