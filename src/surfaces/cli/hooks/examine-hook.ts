import { suggest } from '../../../kernel/errors/index.ts';
import type { Clock } from '../../../platform/clock/index.ts';
import { displayPath } from '../../../platform/paths/index.ts';
import {
  type ConsentCheck,
  type ConsentLine,
  type ConsentSubject,
  compileMatcher,
  consultShellHook,
  describeConsent,
  examineCommand,
  failsClosed,
  hookDocument,
  relativeScript,
  type ShellHook,
} from '../../../safety/hooks/index.ts';
import { relativeTime } from '../output/relative-time.ts';
import { checkConsent } from './check-consent.ts';
import { seconds } from './hook-text.ts';
import { isToolEvent, type LiveProcess, type OpenedHooks, processName, registeredIn } from './open-hooks.ts';
import { syntheticFields, TOOL_EXAMPLES, toolToTry } from './synthetic-fields.ts';
import type { FinishedRun } from './try-hook.ts';

/** One line about a hook. */
export interface DoctorLine extends ConsentLine {
  /** Something to be mended before the hook is relied upon. */
  readonly isIssue: boolean;
}

export interface Examined {
  readonly hook: ShellHook;
  readonly lines: readonly DoctorLine[];
}

export interface ExamineOptions {
  readonly shell: OpenedHooks['shell'];
  /** Where approved scripts are tried. */
  readonly cwd: string;
  readonly live: readonly LiveProcess[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Everything that can be said about a hook; an unapproved script is not run for it. */
export async function examineHook(hook: ShellHook, options: ExamineOptions): Promise<Examined> {
  const { shell, clock, signal } = options;
  const subject = shell.subjectOf(hook, options.cwd);
  const script = await scriptLines(subject, clock, signal);
  const check = await checkConsent(shell, hook, signal);
  const isThere = !script.some(({ isIssue }) => isIssue);
  return {
    hook,
    lines: [
      ...script,
      ...(isThere || check.state !== 'script_missing' ? consentLines(check) : []),
      ...(isThere ? await trialLines(hook, check, options) : []),
      ...(await settingLines(hook)),
      ...liveLines(hook, options),
    ],
  };
}

function good(text: string): DoctorLine {
  return { mark: '✓', text, isIssue: false };
}

function bad(text: string): DoctorLine {
  return { mark: '✗', text, isIssue: true };
}

function warn(text: string): DoctorLine {
  return { mark: '⚠', text, isIssue: true };
}

function tell(text: string): DoctorLine {
  return { mark: 'ℹ', text, isIssue: false };
}

async function scriptLines(
  subject: ConsentSubject | undefined,
  clock: Clock,
  signal: AbortSignal,
): Promise<readonly DoctorLine[]> {
  if (subject === undefined) return [bad('the command cannot be split into words: a quote is not closed')];
  const relative = await relativeScript(subject, clock);
  const moving =
    relative === undefined
      ? []
      : [
          warn(
            `${displayPath(relative)} is a relative path: in another working directory it is another file, or none; write an absolute path or ~/…`,
          ),
        ];
  const examined = await examineCommand(subject, clock, signal);
  if (!examined.ok)
    return [bad(`${examined.message} — hook will NOT fire at runtime`), ...shellHint(subject), ...moving];
  const { kind, path, isStarted, isExecutable } = examined.value;
  if (!isStarted) return [good('script exists and can be read'), ...shellHint(subject), ...moving];
  return [
    isExecutable
      ? good(`${kind} exists and is executable`)
      : bad(`${kind} exists and is not executable; chmod +x ${displayPath(path)}`),
    ...shellHint(subject),
    ...moving,
  ];
}

const OF_A_SHELL = /^(?:\|\|?|&&?|;|[0-9]?>>?|<|2>&1)$|^\$\w|^\$\{/;

/** A person who writes a command as for a shell is told that there is none. */
function shellHint({ words }: ConsentSubject): readonly DoctorLine[] {
  const word = words.find((each) => OF_A_SHELL.test(each));
  if (word === undefined) return [];
  return [
    warn(
      `no shell runs the command, so ${displayPath(word)} is an argument like any other and is not expanded`,
    ),
  ];
}

/** However many lines they take, they are one issue. */
function consentLines(check: ConsentCheck): readonly DoctorLine[] {
  const lines = describeConsent(check);
  const first = lines.findIndex(({ mark }) => mark === '✗' || mark === '⚠');
  return lines.map((line, index) => ({ ...line, isIssue: index === first }));
}

const SKIPPED: Readonly<Partial<Record<ConsentCheck['state'], string>>> = {
  not_allowlisted: 'not allowlisted yet.',
  drifted: 'modified since approval.',
};

/** Tries an approved script on made-up fields. It is asked for again before it starts, so that nothing else can run. */
async function trialLines(
  hook: ShellHook,
  check: ConsentCheck,
  { shell, cwd, signal }: ExamineOptions,
): Promise<readonly DoctorLine[]> {
  if (!check.mayRun)
    return [tell(`skipped JSON smoke test — ${SKIPPED[check.state] ?? 'there is nothing to run.'}`)];
  const fields = syntheticFields(hook.event, await toolToTry(hook.matcher));
  const document = hookDocument(hook.event, fields, { cwd });
  const outcome = await consultShellHook(hook, document, shell.ports, signal);
  if (outcome.type === 'not_permitted') return [tell(`skipped JSON smoke test — it ${outcome.reason}.`)];
  return outcomeLines(hook, outcome);
}

function outcomeLines(hook: ShellHook, { run, answer }: FinishedRun): readonly DoctorLine[] {
  const { directive, ignoredDirective, problems, isFailedClosed } = answer;
  const took = `(exit=${String(run.exitCode)}, ${seconds(run.elapsedMs)}s)`;
  const isSevere = ({ isQuiet }: (typeof problems)[number]): boolean => isFailedClosed || isQuiet !== true;
  const severe = problems.filter(isSevere);
  const lines: DoctorLine[] = severe.map(({ text, detail }) =>
    bad(`it ${text}${detail === undefined ? '' : `: ${detail}`} (${seconds(run.elapsedMs)}s)`),
  );
  if (severe.length === 0) {
    const isSilent = run.stdout.trim() === '';
    const isText = problems.length > 0 && !isSilent;
    const made = isSilent ? 'ran and printed nothing' : isText ? 'ran' : 'produced valid JSON';
    lines.push(good(`${made} on synthetic payload ${took}`));
  }
  if (directive !== undefined && !isFailedClosed)
    lines.push(tell(`its answer to the synthetic payload: ${JSON.stringify(directive)}`));
  if (ignoredDirective !== undefined)
    lines.push(warn(`its "${ignoredDirective}" is ignored: ${hook.event} cannot honour it`));
  if (answer.hasStrayText) lines.push(tell('there is stray text around its answer, which is ignored'));
  if (answer.hasStrayObjects)
    lines.push(tell('there are stray JSON objects beside its answer: of several, the strictest counts'));
  lines.push(...problems.filter((problem) => !isSevere(problem)).map(({ text }) => tell(`it ${text}`)));
  return lines;
}

async function settingLines(hook: ShellHook): Promise<readonly DoctorLine[]> {
  const { event, matcher, failClosed } = hook;
  const lines: DoctorLine[] = [];
  if (failClosed && !failsClosed(hook))
    lines.push(warn(`fail_closed has no effect on ${event}: only pre_tool_call has calls to block`));
  if (matcher === undefined) return lines;
  if (!isToolEvent(event))
    return [
      ...lines,
      warn(`matcher has no effect on ${event}, which is not about a tool: the hook always runs`),
    ];
  const compiled = await compileMatcher(matcher);
  if (!compiled.ok) {
    const effect = failsClosed(hook)
      ? 'the hook blocks every call'
      : 'it stands for the tool of that very name';
    return [...lines, bad(`${compiled.message}; ${effect}`)];
  }
  const known = [...TOOL_EXAMPLES.keys()];
  if (known.some((name) => compiled.value(name)) || /^mcp__\w+?__/.test(matcher)) return lines;
  const near = suggest(matcher.toLowerCase(), known);
  const hint =
    near === undefined ? 'tools of MCP servers are called mcp__SERVER__TOOL' : `did you mean ${near}?`;
  return [...lines, tell(`matcher ${JSON.stringify(matcher)} matches none of the built-in tools; ${hint}`)];
}

function liveLines(hook: ShellHook, { live, clock }: ExamineOptions): readonly DoctorLine[] {
  const having = new Set(registeredIn(hook, live));
  return live.map((process) => {
    if (having.has(process)) return tell(`registered in ${processName(process)}`);
    const since = relativeTime(process.startedAt, clock.now());
    return warn(`not registered in ${processName(process)}, which began ${since}; start it again`);
  });
}
