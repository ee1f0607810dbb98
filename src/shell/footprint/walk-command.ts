import { argumentOf } from '../programs/argument.ts';
import { isKnownProgram } from '../programs/known-programs.ts';
import { isOrdinaryVariable } from '../programs/read-only-programs.ts';
import type {
  Command,
  CompoundCommand,
  Redirect,
  ShellScript,
  SimpleCommand,
  Test,
  Word,
} from '../shell-script.ts';
import { doubt, type Findings, mention, mentionChanged } from './findings.ts';
import { runProgram } from './run-program.ts';
import { isHarmlessVariable } from './variables.ts';
import { expandAll, expandArithmetic } from './walk-word.ts';

/** Nothing is stored behind these. */
const DEVICES = ['/dev/null', '/dev/stdout', '/dev/stderr'];
/** Questions of `[[ … ]]` that evaluate arithmetic in their operands. */
const EVALUATES = /^-(?:eq|ne|lt|le|gt|ge|v|R)$/;

export function walkScript({ statements }: ShellScript, findings: Findings): void {
  for (const [index, { command, isBackground }] of statements.entries()) {
    const before = findings.directory;
    if (isBackground) findings.isDetached = true;
    walkCommand(command, findings);
    if (isBackground) findings.directory = before;
    // Nobody asks whether the change of directory worked.
    else if (findings.directory !== before && index < statements.length - 1) findings.directory = undefined;
  }
}

/** Walks what runs in a process of its own: its directory is its own too. */
function walkSeparately(script: ShellScript, findings: Findings): void {
  const before = findings.directory;
  walkScript(script, findings);
  findings.directory = before;
}

function walkCommand(command: Command, findings: Findings): void {
  switch (command.type) {
    case 'simple':
      walkSimple(command, findings);
      return;
    case 'and-or':
      walkAndOr(command, findings);
      return;
    case 'pipeline':
      walkPipeline(command.commands, findings);
      return;
    case 'compound':
      walkCompound(command, findings);
      return;
    case 'function':
      // Wherever it is called, what it does is counted here.
      if (isKnownProgram(command.name)) findings.isReadOnly = false;
      findings.isComplete = false;
      walkCommand(command.body, findings);
      return;
    case 'coprocess':
      findings.isDetached = true;
      findings.isComplete = false;
      walkCommand(command.body, findings);
      return;
    default:
      command satisfies never;
      doubt(findings);
  }
}

function walkAndOr({ commands, operators }: Extract<Command, { type: 'and-or' }>, findings: Findings): void {
  const start = findings.directory;
  for (const [index, command] of commands.entries()) {
    const before = findings.directory;
    walkCommand(command, findings);
    const isAlternative = operators[index - 1] === '||' && findings.directory !== before;
    if (isAlternative || (operators[index] === '||' && findings.directory !== start))
      findings.directory = undefined;
  }
}

function walkPipeline(commands: readonly Command[], findings: Findings): void {
  const before = findings.directory;
  for (const command of commands) {
    walkCommand(command, findings);
    if (commands.length > 1) findings.directory = before;
  }
  // A single one stands behind `time` or `!`: what follows may run because it failed.
  if (findings.directory !== before) findings.directory = undefined;
}

function walkCompound(command: CompoundCommand, findings: Findings): void {
  if (command.variable !== undefined && !isOrdinaryVariable(command.variable)) doubt(findings);
  const before = findings.directory;
  expandAll(command.words, findings, walkSeparately);
  for (const redirect of command.redirects) walkRedirect(redirect, findings);
  for (const test of command.tests) walkTest(test, findings);
  for (const arithmetic of command.arithmetic) expandArithmetic(arithmetic, findings, walkSeparately);
  for (const body of command.bodies) walkScript(body, findings);
  if (command.kind === 'subshell') findings.directory = before;
  // It may have happened or not, once or often.
  else if (findings.directory !== before) {
    findings.directory = undefined;
    findings.isComplete = false;
  }
}

function walkTest({ operator, operands }: Test, findings: Findings): void {
  const isConstant = operands.every((word) => /^-?\d+$/.test(argumentOf(word).value ?? ''));
  if (EVALUATES.test(operator) && !isConstant) doubt(findings);
  expandAll(operands, findings, walkSeparately);
}

function walkSimple({ assignments, words, redirects }: SimpleCommand, findings: Findings): void {
  for (const { name, index, isArray, values } of assignments) {
    const isHarmless = isHarmlessVariable(name) || (words.length === 0 && isOrdinaryVariable(name));
    if (!isHarmless || index !== undefined || (isArray && values.some(hasIndex))) doubt(findings);
    expandAll(index === undefined ? values : [index, ...values], findings, walkSeparately);
  }
  expandAll(words, findings, walkSeparately);
  for (const redirect of redirects) walkRedirect(redirect, findings);
  if (words.length > 0) runProgram(words.map(argumentOf), findings, walkSeparately);
}

/** `[i]=x` among the elements of an array; the brackets read like a pattern. */
function hasIndex({ parts: [first] }: Word): boolean {
  return first?.type === 'pattern' || (first?.type === 'literal' && first.value.startsWith('['));
}

function walkRedirect({ type, target, setsVariable }: Redirect, findings: Findings): void {
  if (setsVariable) doubt(findings);
  const path = argumentOf(target).value;
  expandAll([target], findings, walkSeparately);
  if (type === 'text' || type === 'duplicate') return;
  if (path === undefined) findings.isComplete = false;
  if (path !== undefined && DEVICES.includes(path)) return;
  if (type === 'read') {
    if (path !== undefined) mention(findings, path);
    return;
  }
  findings.isReadOnly = false;
  if (path !== undefined) mentionChanged(findings, path);
}
