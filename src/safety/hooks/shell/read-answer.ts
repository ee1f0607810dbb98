import { EVENTS, type EventName } from '../../../kernel/events/index.ts';
import type { JsonObject } from '../../../kernel/json/index.ts';
import { type FoundDocuments, findDocuments } from './find-documents.ts';
import type { DirectiveType, HookDirective } from './hook-directive.ts';
import { type ObjectReading, readObject } from './read-object.ts';
import { goOnMessage, saysGoOn } from './read-verify.ts';
import { MAX_STDERR_BYTES, MAX_STDOUT_BYTES, type ShellRun } from './run-shell-hook.ts';
import { failsClosed, type ShellHook } from './shell-hook.ts';

/** What a guard says that blocks and does not say why. */
const DEFAULT_BLOCK_MESSAGE = 'Blocked by shell hook.';

const BLOCK_EXIT_CODE = 2;
const STDERR_CHARACTERS = 400;

/** Something about a run that is not as it ought to be. */
export interface HookProblem {
  /** What the hook did, as in "the hook …": may be shown to the model. */
  readonly text: string;
  /** More, for the person only. */
  readonly detail?: string;
  /** Told to whoever examines the hook; not worth a warning at every run. */
  readonly isQuiet?: boolean;
}

/** What the run of a hook amounts to. */
export interface HookAnswer {
  /** Undefined when it wants nothing, which lets a call pass. */
  readonly directive: HookDirective | undefined;
  readonly problems: readonly HookProblem[];
  /** `fail_closed` made a block of the problems. */
  readonly isFailedClosed: boolean;
  /** What it wanted that its event cannot honour. */
  readonly ignoredDirective: DirectiveType | undefined;
  /** There was other text around its answer. */
  readonly hasStrayText: boolean;
  /** There was more than one JSON object; the strictest counts. */
  readonly hasStrayObjects: boolean;
}

/**
 * Reads what a script answered, in every dialect.
 *
 * On `pre_tool_call` a block that can be read anywhere in the output blocks, whatever else went wrong, and so does exit code 2
 * without any output. Otherwise a hook with `failClosed` blocks when anything went wrong, and the others let the call pass:
 * what they said counts after a failing exit code too, but after a time-out, or an output that was cut, only where it is a
 * question to a person.
 */
export function readAnswer(
  hook: Pick<ShellHook, 'event' | 'failClosed' | 'timeoutMs'>,
  label: string,
  run: ShellRun,
): HookAnswer {
  const documents = findDocuments(run.stdout);
  const readings = documents.objects.map(readObject);
  const wanted = directivesOf(hook, run, documents, readings);
  const honoured = wanted.filter(({ type }) => isHonoured(hook.event, type));
  const isBlocking = honoured.some(({ type }) => type === 'block');
  const problems = isBlocking ? [] : problemsOf(hook, run, documents, readings);
  const isFailedClosed = failsClosed(hook) && problems.length > 0;
  return {
    directive: isFailedClosed ? brokenGuard(label, problems) : honoured[0],
    problems,
    isFailedClosed,
    ignoredDirective: wanted.find(({ type }) => !isHonoured(hook.event, type))?.type,
    hasStrayText: documents.hasStrayText,
    hasStrayObjects: documents.objects.length > 1,
  };
}

/** Says that the guard is broken, so that nobody takes it for a rule and looks for a way round. */
export function brokenGuard(label: string, problems: readonly Pick<HookProblem, 'text'>[]): HookDirective {
  const reasons = problems.map(({ text }) => text).join('; ');
  return {
    type: 'block',
    message: `hook ${label} failed closed: it ${reasons}. This is a broken guard, not a policy decision; the call stays blocked until somebody repairs the hook (herma hooks doctor).`,
  };
}

/** Whether a directive has any effect on an event. */
function isHonoured(event: EventName, type: DirectiveType): boolean {
  switch (type) {
    case 'block':
    case 'ask':
    case 'modify':
      return event === 'pre_tool_call';
    case 'continue':
      return event === 'pre_verify';
    case 'context':
      return EVENTS[event].mode === 'inject';
  }
}

/** All that the output wants, strictest first. */
function directivesOf(
  { event }: Pick<ShellHook, 'event'>,
  run: ShellRun,
  { objects }: FoundDocuments,
  readings: readonly ObjectReading[],
): readonly HookDirective[] {
  const isWhole = !run.timedOut && run.overflow !== 'stdout';
  const changes = readings.flatMap(({ args }) => (args === undefined || !isWhole ? [] : [args]));
  const args: JsonObject | undefined =
    changes.length === 0 ? undefined : changes.reduce((merged, change) => ({ ...merged, ...change }));
  const ask = askOf(readings, args);
  const modify: readonly HookDirective[] = args === undefined ? [] : [{ type: 'modify', args }];
  return [
    ...(event === 'pre_verify' ? goOn(isWhole ? objects : []) : blockOf(event, run, readings)),
    ...(ask === undefined ? modify : [ask]),
    ...contextOf(isWhole ? readings : []),
  ];
}

function blockOf(
  event: EventName,
  { exitCode, stderr }: ShellRun,
  readings: readonly ObjectReading[],
): readonly HookDirective[] {
  const blocks = readings.flatMap(({ block }) => (block === undefined ? [] : [block]));
  const isBlockExit = event === 'pre_tool_call' && exitCode === BLOCK_EXIT_CODE;
  if (blocks.length === 0 && !isBlockExit) return [];
  const said = blocks.find(({ message }) => message !== undefined)?.message;
  const message = said ?? (isBlockExit ? beginningOf(stderr) : '');
  return [{ type: 'block', message: message === '' ? DEFAULT_BLOCK_MESSAGE : message }];
}

function askOf(readings: readonly ObjectReading[], args: JsonObject | undefined): HookDirective | undefined {
  const asks = readings.flatMap(({ ask }) => (ask === undefined ? [] : [ask]));
  const [first] = asks;
  if (first === undefined) return undefined;
  const ruleKey = asks.length === 1 ? first.ruleKey : undefined;
  return {
    type: 'ask',
    message: asks.flatMap(({ message }) => (message === undefined ? [] : [message.trim()])).join('; '),
    ...(ruleKey === undefined ? {} : { ruleKey }),
    ...(args === undefined ? {} : { args }),
  };
}

function contextOf(readings: readonly ObjectReading[]): readonly HookDirective[] {
  const texts = readings.flatMap(({ context }) => (context === undefined ? [] : [context]));
  return texts.length === 0 ? [] : [{ type: 'context', text: texts.join('\n\n') }];
}

function goOn(objects: readonly JsonObject[]): readonly HookDirective[] {
  const message = objects.map(goOnMessage).find((given) => given !== undefined);
  return message === undefined ? [] : [{ type: 'continue', message }];
}

function problemsOf(
  hook: Pick<ShellHook, 'event' | 'timeoutMs'>,
  run: ShellRun,
  documents: FoundDocuments,
  readings: readonly ObjectReading[],
): readonly HookProblem[] {
  const { mode } = EVENTS[hook.event];
  const outcome = runProblem(hook, run);
  // What an observer prints is its own affair: nothing it could say would have an effect.
  const isQuiet = mode === 'observe' || mode === 'transform';
  return [
    ...(outcome === undefined ? [] : [outcome]),
    ...(documents.problem === undefined ? [] : [{ text: documents.problem, isQuiet }]),
    ...(hook.event === 'pre_verify'
      ? verifyProblems(documents.objects)
      : readingProblems(hook.event, readings)),
  ];
}

function readingProblems(event: EventName, readings: readonly ObjectReading[]): readonly HookProblem[] {
  return readings.flatMap(({ problem }) =>
    problem === undefined
      ? []
      : [{ text: problem.text, isQuiet: !problem.isVerdictLike || event !== 'pre_tool_call' }],
  );
}

function verifyProblems(objects: readonly JsonObject[]): readonly HookProblem[] {
  return objects
    .filter((object) => saysGoOn(object) && goOnMessage(object) === undefined)
    .map(() => ({ text: 'wants the turn to go on and does not say what for' }));
}

/** What was wrong with the run itself; undefined when it ended by itself, with code 0 and all its output kept. */
function runProblem(
  { timeoutMs }: Pick<ShellHook, 'timeoutMs'>,
  { error, timedOut, overflow, signal, exitCode, stderr }: ShellRun,
): HookProblem | undefined {
  if (error !== null) return { text: `could not be started: ${error.message}`, detail: error.detail };
  const detail = beginningOf(stderr);
  const withDetail = (text: string): HookProblem => (detail === '' ? { text } : { text, detail });
  if (timedOut) return withDetail(`timed out after ${String(timeoutMs / 1000)}s`);
  if (overflow === 'stdout') return { text: `printed more than ${String(MAX_STDOUT_BYTES)} bytes` };
  if (overflow === 'stderr')
    return withDetail(`printed more than ${String(MAX_STDERR_BYTES)} bytes to its standard error`);
  if (signal !== null) return withDetail(`was ended by ${signal}`);
  if (exitCode === null) return withDetail('could not be ended');
  return exitCode === 0 ? undefined : withDetail(`exited with code ${String(exitCode)}`);
}

/** A few hundred characters, none of them cut in half. */
function beginningOf(text: string): string {
  return Array.from(text.trim()).slice(0, STDERR_CHARACTERS).join('');
}
