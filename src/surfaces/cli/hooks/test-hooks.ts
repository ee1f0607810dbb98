import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import type { EventName } from '../../../kernel/events/index.ts';
import { getString, type JsonObject } from '../../../kernel/json/index.ts';
import { resolvePath } from '../../../platform/paths/index.ts';
import {
  type ConsentCheck,
  consentStatus,
  failsClosed,
  type HookDocument,
  hookDocument,
} from '../../../safety/hooks/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { printable, printableLine } from '../output/printable.ts';
import type { VerbContext } from '../verb.ts';
import { checkConsent } from './check-consent.ts';
import { type GateAnswer, gateAnswer, gateAnswerText } from './gate-answer.ts';
import { hookText, seconds } from './hook-text.ts';
import { isToolEvent, type OpenedHooks } from './open-hooks.ts';
import { readPayloadFile } from './read-payload-file.ts';
import { argsOf, syntheticFields } from './synthetic-fields.ts';
import { type ToldTarget, toldTargetDocument, toldTargets, toldTargetText } from './told-targets.ts';
import { directiveDocument, directiveOf, isFailure, type Trial, tryHook } from './try-hook.ts';

const SHOWN_CHARS = 400;

export interface TestChoice {
  readonly event: EventName;
  readonly tool: string | undefined;
  readonly payloadFile: string | undefined;
}

interface Tried {
  readonly trial: Trial;
  readonly consent: ConsentCheck;
}

/**
 * `hooks test`: runs the hooks of an event on made-up fields, approved or not, and says what would come of it. Nothing is sent to
 * outbound webhooks. Exit code 1 when a hook blocks, 2 when one does not work.
 */
export async function testHooks(
  context: VerbContext,
  { shell, config }: OpenedHooks,
  choice: TestChoice,
): Promise<ExitCode> {
  const { event, tool } = choice;
  const { signal } = context;
  const fields = await fieldsOf(context, choice);
  if (!fields.ok) return context.fail(fields);
  const hooks = shell.hooks.filter((hook) => hook.event === event);
  const told = await toldTargets(config.hooks.outbound, choice, context.environment);
  if (hooks.length === 0 && told.length === 0)
    return context.fail(fail('no_hooks', `No hooks are configured for ${event}.`, 'See `herma hooks list`.'));
  const document = documentOf(event, fields.value, context.workingDirectory());
  const tried: Tried[] = [];
  for (const hook of hooks) {
    const consent = await checkConsent(shell, hook, signal);
    const trial = await tryHook(hook, { document, ports: shell.ports, tool, signal });
    tried.push({ trial, consent });
  }
  const directives = tried.flatMap(({ trial }) => directiveOf(trial) ?? []);
  const answer = gateAnswer(directives, argsOf(fields.value));
  const stdin = JSON.stringify(document);
  if (context.json)
    context.printJson({
      event,
      stdin,
      hooks: tried.map(triedDocument),
      outbound: told.map(toldTargetDocument),
      gate: { ...answer },
    });
  else printTried(context, { choice, stdin, tried, told, answer });
  if (tried.some(({ trial }) => isFailure(trial))) return EXIT.couldNot;
  return answer.decision === 'block' ? EXIT.no : EXIT.done;
}

async function fieldsOf(
  context: VerbContext,
  { event, tool, payloadFile }: TestChoice,
): Promise<Result<JsonObject>> {
  if (tool !== undefined && !isToolEvent(event))
    return fail('usage', `${event} is not about a tool`, 'leave out --for-tool');
  if (payloadFile === undefined) return succeed(syntheticFields(event, tool));
  const given = await readPayloadFile(resolvePath(context.workingDirectory(), payloadFile), event);
  if (!given.ok) return given;
  const named = getString(given.value, 'tool_name');
  if (tool !== undefined && named !== undefined && named !== tool)
    return fail('bad_payload', `The file names the tool ${named}, and --for-tool ${tool}.`, 'Name it once.');
  return succeed({ ...syntheticFields(event, tool ?? named), ...given.value });
}

function documentOf(event: EventName, fields: JsonObject, cwd: string): HookDocument {
  const { profile, ...rest } = fields;
  return hookDocument(event, rest, { cwd, ...(typeof profile === 'string' ? { profile } : {}) });
}

interface Printed {
  readonly choice: TestChoice;
  readonly stdin: string;
  readonly tried: readonly Tried[];
  readonly told: readonly ToldTarget[];
  readonly answer: GateAnswer;
}

function printTried(context: VerbContext, { choice, stdin, tried, told, answer }: Printed): void {
  const { event, tool } = choice;
  context.print(`Standard input of the scripts:\n${printable(stdin)}`);
  for (const each of tried) {
    context.print(`\n  - ${hookText(each.trial.hook, consentStatus(each.consent))}`);
    for (const line of trialLines(each.trial, tool)) context.print(`    ${printableLine(line)}`);
  }
  if (told.length > 0) context.print('\n[outbound]');
  for (const target of told) context.print(`  - ${printableLine(toldTargetText(target))}`);
  if (tool === undefined && tried.some(({ trial }) => trial.hook.matcher !== undefined))
    context.print('\nℹ matchers were not applied; --for-tool <name> applies them');
  context.print(`\n${printable(gateAnswerText(event, answer))}`);
  const closed = tried.filter(({ consent }) => !consent.mayRun);
  if (closed.length === 0) return;
  const blocks = closed.some(({ trial }) => failsClosed(trial.hook));
  context.print(
    `ℹ a passing test is no consent: what is not approved does not run at runtime${blocks ? ', and blocks with fail_closed' : ''}; see \`herma hooks doctor\``,
  );
}

function trialLines(trial: Trial, tool: string | undefined): readonly string[] {
  switch (trial.type) {
    case 'not_matched':
      return [`not run: its matcher does not match ${tool ?? ''}`];
    case 'broken':
      return [`not run: ${trial.reason}`];
    case 'ran':
      break;
    default:
      return trial satisfies never;
  }
  const { run, answer, warnings } = trial.outcome;
  const { directive, ignoredDirective, problems } = answer;
  const quiet = problems.filter(({ isQuiet }) => isQuiet === true && !answer.isFailedClosed);
  return [
    ...(run.error === null ? [`${endOf(run)} elapsed=${seconds(run.elapsedMs)}s`] : []),
    ...shownOutput('stdout', run.stdout),
    ...shownOutput('stderr', run.stderr),
    directive === undefined
      ? 'answer: none, it contributed nothing'
      : `answer: ${JSON.stringify(directiveDocument(directive))}`,
    ...(ignoredDirective === undefined
      ? []
      : [`⚠ its "${ignoredDirective}" has no effect on ${trial.hook.event}`]),
    ...(answer.hasStrayText ? ['ℹ there is stray text around its answer'] : []),
    ...(answer.hasStrayObjects ? ['ℹ there are stray JSON objects beside its answer'] : []),
    ...warnings.map((warning) => `⚠ ${warning}`),
    ...quiet.map(({ text }) => `ℹ it ${text}`),
  ];
}

type Run = Extract<Trial, { type: 'ran' }>['outcome']['run'];

function endOf({ timedOut, signal, exitCode }: Run): string {
  if (timedOut) return 'timed out';
  return signal === null ? `exit=${String(exitCode)}` : `signal=${signal}`;
}

function shownOutput(name: string, text: string): readonly string[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  const characters = Array.from(trimmed);
  const isCut = characters.length > SHOWN_CHARS;
  return [`${name}: ${characters.slice(0, SHOWN_CHARS).join('')}${isCut ? '…' : ''}`];
}

function triedDocument({ trial, consent }: Tried): JsonObject {
  const { hook } = trial;
  const about: JsonObject = {
    command: hook.command,
    matcher: hook.matcher ?? null,
    timeout: hook.timeoutMs / 1000,
    fail_closed: hook.failClosed,
    state: consent.state,
    may_run: consent.mayRun,
  };
  if (trial.type === 'not_matched') return { ...about, ran: false, reason: 'its matcher does not match' };
  if (trial.type === 'broken') return { ...about, ran: false, reason: trial.reason };
  const { run, answer, warnings } = trial.outcome;
  const { directive, ignoredDirective, problems } = answer;
  return {
    ...about,
    ran: run.error === null,
    ...(run.error === null ? {} : { reason: run.error.detail }),
    exit_code: run.exitCode,
    signal: run.signal,
    timed_out: run.timedOut,
    elapsed_seconds: Number(seconds(run.elapsedMs)),
    stdout: run.stdout,
    stderr: run.stderr,
    answer: directive === undefined ? null : directiveDocument(directive),
    ignored_answer: ignoredDirective ?? null,
    failed_closed: answer.isFailedClosed,
    has_stray_text: answer.hasStrayText,
    has_stray_objects: answer.hasStrayObjects,
    problems: problems.map(({ text }) => text),
    warnings,
  };
}
