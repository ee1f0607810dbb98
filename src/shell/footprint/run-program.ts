import { parseShell } from '../parser/parse-shell.ts';
import type { Argument } from '../programs/argument.ts';
import { detaches } from '../programs/detaching-programs.ts';
import { isReadOnlyCall } from '../programs/read-only-programs.ts';
import { isShell, readShellCode } from '../programs/shell-code.ts';
import { isWrapper, unwrap } from '../programs/wrappers.ts';
import { pathsWritten } from '../programs/writing-programs.ts';
import { doubt, type Findings, inDirectory, isPlainPath, mention, mentionChanged } from './findings.ts';
import { isHarmlessVariable } from './variables.ts';
import type { WalkNested } from './walk-word.ts';

const MAX_DEPTH = 8;
/** Where the programs of the system are; a path anywhere else can be anything. */
const SYSTEM_PROGRAM = /^\/(?:usr\/)?bin\/([^/]+)$/;
/** Builtins that run their arguments as commands in this very shell. */
const EVALUATORS = ['eval', 'trap'];

/** What a program with these arguments does; the first is its name. */
export function runProgram(command: readonly Argument[], findings: Findings, walk: WalkNested): void {
  const [first, ...args] = command;
  const path = first?.value;
  if (path === undefined || findings.depth >= MAX_DEPTH) {
    doubt(findings);
    findings.isDetached = true;
    mentionAll(args, findings);
    return;
  }
  findings.depth += 1;
  const name = SYSTEM_PROGRAM.exec(path)?.[1] ?? path;
  if (name === 'cd' && name === path) changeDirectory(args, findings);
  else if (isQuery(name, args)) mentionAll(args, findings);
  else if (isWrapper(name)) runWrapped(name, args, findings, walk);
  else if (isShell(name)) runShell(name, args, findings, walk);
  else if (EVALUATORS.includes(name)) evaluate(args, findings, walk);
  else runPlain(name, args, findings);
  findings.depth -= 1;
}

function isQuery(name: string, args: readonly Argument[]): boolean {
  return name === 'command' && /^-[vV]$/.test(args[0]?.value ?? '');
}

function runPlain(name: string, args: readonly Argument[], findings: Findings): void {
  const values = args.flatMap(({ value }) => value ?? []);
  if (values.length < args.length) findings.isComplete = false;
  mentionAll(args, findings);
  if (isReadOnlyCall(name, args)) return;
  findings.isReadOnly = false;
  if (detaches(name, args)) findings.isDetached = true;
  const paths = pathsWritten(name, values);
  if (paths === undefined) findings.isComplete = false;
  for (const written of paths ?? []) mentionChanged(findings, written);
}

function runWrapped(name: string, args: readonly Argument[], findings: Findings, walk: WalkNested): void {
  const unwrapped = unwrap(name, args);
  if (unwrapped === undefined) {
    doubt(findings);
    findings.isDetached = true;
    mentionAll(args, findings);
    return;
  }
  if (name === 'xargs') findings.isComplete = false;
  if (unwrapped.detaches) {
    findings.isDetached = true;
    // `nohup` may put the output into a file of its own.
    findings.isComplete = false;
  }
  if (!unwrapped.variables.every(isHarmlessVariable)) doubt(findings);
  // Of those that may stand alone, `env` prints and `sudo -k` and the like concern no file of anybody's.
  if (unwrapped.command.length > 0) runExternal(unwrapped.command, findings, walk);
}

/** A program started by another one is never a builtin of this shell. */
function runExternal(command: readonly Argument[], findings: Findings, walk: WalkNested): void {
  const before = findings.directory;
  runProgram(command, findings, walk);
  if (findings.directory !== before) findings.directory = undefined;
}

function runShell(name: string, args: readonly Argument[], findings: Findings, walk: WalkNested): void {
  const code = readShellCode(name, args);
  const parsed = code === undefined ? undefined : parseShell(code.text);
  if (code === undefined || parsed?.ok !== true || (code.isPlainShell && !parsed.isPortable)) {
    doubt(findings);
    if (args.some(({ value }) => value === undefined || /^-[a-z]*c/.test(value))) findings.isDetached = true;
    mentionAll(args, findings);
  }
  if (parsed?.ok === true) walk(parsed.script, findings);
}

/** What is evaluated is looked at for its words only; when and how often it runs is not known. */
function evaluate(args: readonly Argument[], findings: Findings, walk: WalkNested): void {
  doubt(findings);
  const isKnown = args.every(({ value }) => value !== undefined);
  const parsed = isKnown ? parseShell(args.map(({ value }) => value ?? '').join(' ')) : undefined;
  if (parsed?.ok === true) walk(parsed.script, findings);
  else findings.isDetached = true;
}

/** A directory that is not certain is no reason to doubt a command that reads. */
function changeDirectory(args: readonly Argument[], findings: Findings): void {
  const [directory, ...more] = args[0]?.value === '--' ? args.slice(1) : args;
  const path = directory?.value ?? '';
  const before = findings.directory;
  const isCertain =
    more.length === 0 &&
    path !== '' &&
    !path.startsWith('-') &&
    before !== undefined &&
    isPlainPath(path, before);
  findings.directory = isCertain ? inDirectory(before, path) : undefined;
  if (!isCertain) findings.isComplete = false;
}

/** The literal words that may name a file, and what stands behind `=` in them. */
function mentionAll(args: readonly Argument[], findings: Findings): void {
  for (const { value } of args) {
    if (value === undefined) {
      findings.isComplete = false;
      continue;
    }
    if (!value.startsWith('-')) mention(findings, value);
    const assigned = /^-*[A-Za-z][\w-]*=(.+)$/s.exec(value)?.[1];
    if (assigned !== undefined) mention(findings, assigned);
  }
}
