import {
  footprintOf,
  parseShell,
  type Redirect,
  type ShellScript,
  type SimpleCommand,
  type Word,
} from '../../../../shell/index.ts';
import { isInert, textOf, textsOf } from './word-texts.ts';

/** A file the shell opens for a program to write to. */
export interface StepOutput {
  /** As it is written. */
  readonly path: string;
  readonly isAppended: boolean;
  /** All that is written to it; undefined when that is not known. */
  readonly content: string | undefined;
}

/** One program of a command, in the order in which they start. */
export interface Step {
  /** The program first, without its directory where that is one of the system's; undefined when a word of it is not known. */
  readonly argv: readonly string[] | undefined;
  /** Known to change no file by itself. */
  readonly isHarmless: boolean;
  readonly outputs: readonly StepOutput[];
  /** A part of a pipeline, which does not change the shell it was started from. */
  readonly isPiped: boolean;
}

export interface Steps {
  readonly steps: readonly Step[];
  /** Whether the command is nothing but these steps. */
  readonly isWhole: boolean;
}

/** Programs behind which nothing of the script need run, or anything can. */
const TURNS = new Set(
  'exit return exec break continue eval trap source . alias unalias shopt enable hash builtin command'.split(
    ' ',
  ),
);
/** Variables that change what programs and paths are meant. */
const STEERING = /^(?:HOME|PATH|CDPATH|IFS|PWD|OLDPWD|BASH\w*|GIT_\w+|LD_\w+)$/;
/** What a program may be given without doing something else. */
const HARMLESS_FOR_PROGRAMS = /^(?:LC_\w+|LANG|TZ|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE))$/;
const SYSTEM_PROGRAM = /^\/(?:usr\/)?bin\/([^/]+)$/;

/**
 * The programs a command runs one after the other: simple commands in lines, in pipelines and joined with `;` and `&&`. What stands
 * in loops, conditions, functions, groups, substitutions and behind `||` is left out, and so is all after a word that leads elsewhere.
 *
 * @param home what `~` stands for.
 */
export function stepsOf(command: string, home: string): Steps {
  const parsed = parseShell(command);
  if (!parsed.ok) return { steps: [], isWhole: false };
  const walk = new Walk(home);
  walk.script(parsed.script);
  return { steps: walk.steps, isWhole: walk.isWhole };
}

type Command = ShellScript['statements'][number]['command'];

class Walk {
  readonly steps: Step[] = [];
  isWhole = true;
  #isOver = false;
  readonly #home: string;

  constructor(home: string) {
    this.#home = home;
  }

  script({ statements }: ShellScript): void {
    for (const { command, isBackground } of statements) {
      if (isBackground) this.isWhole = false;
      else this.#command(command);
    }
  }

  #command(command: Command): void {
    if (this.#isOver) {
      this.isWhole = false;
      return;
    }
    switch (command.type) {
      case 'simple':
        this.#simple(command, false);
        return;
      case 'pipeline':
        for (const part of command.commands) {
          if (part.type === 'simple') this.#simple(part, command.commands.length > 1);
          else this.isWhole = false;
        }
        return;
      case 'and-or':
        this.#joined(command.commands, command.operators);
        return;
      case 'function':
      case 'coprocess':
        this.#stop();
        return;
      case 'compound':
        // It may change the directory or a variable, unless it is a process of its own or a question.
        if (['subshell', 'test', 'arithmetic'].includes(command.kind)) this.isWhole = false;
        else this.#stop();
    }
  }

  #joined(commands: readonly Command[], operators: readonly ('&&' | '||')[]): void {
    const alternative = operators.indexOf('||');
    const certain = alternative < 0 ? commands : commands.slice(0, alternative + 1);
    for (const command of certain) this.#command(command);
    for (const command of commands.slice(certain.length)) {
      this.#alternative(command);
    }
  }

  /** What may run or not: nothing is said of it, and where it would change what follows, of that neither. */
  #alternative(command: Command): void {
    if (command.type !== 'simple') {
      this.#stop();
      return;
    }
    const step = stepOf(command, this.#home, false);
    if (isTurn(command, step) || step?.argv?.[0] === 'cd') this.#stop();
    else if (step?.isHarmless !== true || step.outputs.length > 0) this.isWhole = false;
  }

  #simple(command: SimpleCommand, isPiped: boolean): void {
    if (this.#isOver) {
      this.isWhole = false;
      return;
    }
    const step = stepOf(command, this.#home, isPiped);
    const steers = command.words.length === 0 && command.assignments.some(({ name }) => STEERING.test(name));
    if (isTurn(command, step) || steers) this.#stop();
    else if (step === undefined) this.isWhole = false;
    else this.steps.push(step);
  }

  #stop(): void {
    this.#isOver = true;
    this.isWhole = false;
  }
}

/** Whether what comes behind a program need not run, or can mean something else. */
function isTurn({ words }: SimpleCommand, step: Step | undefined): boolean {
  const [first, ...args] = words;
  if (first === undefined) return false;
  const name = textOf(first, '');
  if (name === undefined || TURNS.has(name)) return true;
  if (name === 'cd') return step?.argv === undefined;
  if (name === 'export' || name === 'declare')
    return !args.every((arg) => isInert(arg) && !STEERING.test(assignedName(arg)));
  return name === 'set' && step?.isHarmless !== true;
}

/** The variable an argument such as `a=b` sets; a name that steers when that is not known. */
function assignedName({ parts: [first] }: Word): string {
  const name = first?.type === 'literal' ? /^[A-Za-z_]\w*(?==|$)/.exec(first.value)?.[0] : undefined;
  return name ?? 'PATH';
}

/** Undefined when what it opens is not known. */
function stepOf(command: SimpleCommand, home: string, isPiped: boolean): Step | undefined {
  const argv = argvOf(command, home);
  const outputs = outputsOf(command, { argv, home });
  return outputs === undefined
    ? undefined
    : { argv, outputs, isPiped, isHarmless: isHarmless(command, argv) };
}

function argvOf({ words, assignments }: SimpleCommand, home: string): readonly string[] | undefined {
  if (!assignments.every(({ name }) => HARMLESS_FOR_PROGRAMS.test(name)) && words.length > 0)
    return undefined;
  const texts = words.map((word) => textsOf(word, home));
  if (!texts.every((each) => each !== undefined)) return undefined;
  const [name, ...args] = texts.flat();
  return name === undefined ? [] : [SYSTEM_PROGRAM.exec(name)?.[1] ?? name, ...args];
}

function isHarmless(command: SimpleCommand, argv: readonly string[] | undefined): boolean {
  const values = command.assignments.flatMap(({ index, values }) =>
    index === undefined ? values : [...values, index],
  );
  if (!values.every(isInert)) return false;
  const [name, ...args] = command.words;
  if (name === undefined) return true;
  // What they must not set has been looked at by then.
  if (['export', 'declare'].includes(textOf(name, '') ?? '')) return args.every(isInert);
  if (argv !== undefined) return footprintOf(argv.map(quoted).join(' ')).isReadOnly;
  return textOf(name, '') === 'echo' && command.assignments.length === 0 && args.every(isInert);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

interface OutputContext {
  readonly argv: readonly string[] | undefined;
  readonly home: string;
}

function outputsOf(command: SimpleCommand, context: OutputContext): readonly StepOutput[] | undefined {
  const written = command.redirects.filter(({ type }) => type === 'write');
  const outputs: StepOutput[] = [];
  for (const redirect of written) {
    const path = redirect.setsVariable ? undefined : textOf(redirect.target, context.home);
    if (path === undefined || path === '') return undefined;
    // Where several are opened, which one gets the output takes more to tell.
    const isOnly = written.length === 1 && !command.redirects.some(movesStdout);
    const isStdout = redirect.descriptor === undefined || redirect.descriptor === 1;
    const content = isOnly && isStdout ? contentOf(command, context) : undefined;
    outputs.push({ path, isAppended: redirect.isAppended, content });
  }
  return outputs;
}

/** `>&2`, as against `2>&1`. */
function movesStdout({ type, descriptor }: Redirect): boolean {
  return type === 'duplicate' && (descriptor === undefined || descriptor === 1);
}

/** What a program prints, for those that print what they are told to. */
function contentOf({ redirects }: SimpleCommand, { argv, home }: OutputContext): string | undefined {
  const [name, ...args] = argv ?? [];
  switch (name) {
    case 'echo':
      return args[0]?.startsWith('-') === true ? undefined : `${args.join(' ')}\n`;
    case 'printf':
      return args.length === 1 && !/[%\\]|^-/.test(args[0] ?? '') ? args[0] : undefined;
    case 'cat':
      return args.length === 0 ? textGiven(redirects, home) : undefined;
    case ':':
    case 'true':
      return '';
    case undefined:
    default:
      return undefined;
  }
}

function textGiven(redirects: readonly Redirect[], home: string): string | undefined {
  const inputs = redirects.filter(({ type }) => type === 'text' || type === 'read');
  const [only] = inputs;
  if (inputs.length !== 1 || only?.type !== 'text' || !hasKnownText(only.target)) return undefined;
  const text = textOf(only.target, home);
  return text === undefined ? undefined : text + (only.isString ? '\n' : '');
}

function hasKnownText(word: Word): boolean {
  return word.parts.every(({ type }) => type === 'literal');
}
