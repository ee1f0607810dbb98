import { fail, type Result } from '../../../kernel/errors/index.ts';
import type { EventName } from '../../../kernel/events/index.ts';
import type { JsonObject } from '../../../kernel/json/index.ts';
import { resolvePath } from '../../../platform/paths/index.ts';
import {
  AllowlistFile,
  type Approval,
  type ConsentSubject,
  type ShellHook,
} from '../../../safety/hooks/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { printableLine } from '../output/printable.ts';
import type { VerbContext } from '../verb.ts';
import { createConsentPrompt } from './consent-prompt.ts';
import type { OpenedHooks } from './open-hooks.ts';

export interface ApproveChoice {
  readonly event: EventName;
  readonly command: string;
}

/** `hooks approve`: shows what would run, asks, and records exactly that. */
export async function approveHook(
  context: VerbContext,
  { shell }: OpenedHooks,
  { event, command }: ApproveChoice,
): Promise<ExitCode> {
  const configured = shell.hooks.find((hook) => hook.event === event && hook.command === command.trim());
  const subject = subjectOf(shell, configured, { event, command });
  if (!subject.ok) return context.fail(subject);
  if (configured === undefined) {
    const others = shell.hooks.filter((hook) => hook.event === event).map((hook) => hook.command);
    const told = others.length === 0 ? 'none' : others.map(printableLine).join(', ');
    context.note(`warning: this command is not configured for ${event}; configured are: ${told}`);
  }
  const approved = await approve(context, shell, subject.value);
  if (!approved.ok && approved.code === 'not_approved') {
    if (context.json) context.printJson({ approved: false, reason: approved.message });
    else context.print(`not approved: ${approved.message}`);
    return EXIT.no;
  }
  if (!approved.ok) return context.fail(approved);
  const { record, warnings } = approved.value;
  if (!(await isKept(context, record))) return context.fail(fail('not_written', warnings.join('; ')));
  for (const warning of warnings) context.note(`warning: ${printableLine(warning)}`);
  if (context.json) context.printJson(documentOf(record));
  else {
    context.print(`approved: ${event}: ${printableLine(record.command)}`);
    for (const line of boundLines(record)) context.print(`  ${printableLine(line)}`);
  }
  return EXIT.done;
}

/** What consent is asked about; a command that is not configured has no settings to remember. */
function subjectOf(
  shell: OpenedHooks['shell'],
  configured: ShellHook | undefined,
  { event, command }: ApproveChoice,
): Result<ConsentSubject> {
  const wanted = { event, command: command.trim(), timeoutMs: 60_000, failClosed: false, env: [] };
  const subject = shell.subjectOf(configured ?? wanted);
  if (subject === undefined)
    return fail(
      'bad_command',
      `${JSON.stringify(command)} cannot be split into words.`,
      'Give the command as it is in config.yaml, in quotes.',
    );
  if (configured !== undefined) return { ok: true, value: subject };
  const { words, cwd, searchPath } = subject;
  return { ok: true, value: { event, command: wanted.command, words, cwd, searchPath } };
}

async function approve(
  context: VerbContext,
  { consent }: OpenedHooks['shell'],
  hook: ConsentSubject,
): Promise<Result<Approval>> {
  if (context.yes) return consent.approve(hook, context.signal);
  const prompt = createConsentPrompt(context, 'You are about to approve a shell hook.');
  if ((context.environment['HERMA_SESSION'] ?? '') !== '' || prompt !== undefined)
    return consent.review({ hook, prompt: prompt ?? nobody, signal: context.signal });
  return fail(
    'not_confirmed',
    'Nobody is here to be shown the script and to answer.',
    'Add -y once you have read it.',
  );
}

/** An approval that only this process knows of is none. */
async function isKept(
  { paths, clock }: VerbContext,
  { event, command }: Approval['record'],
): Promise<boolean> {
  const lockPath = resolvePath(paths.locks, 'shell-hooks-allowlist');
  const { records } = await new AllowlistFile({ path: paths.shellHooksAllowlist, lockPath, clock }).read();
  return records.some((record) => record.event === event && record.command === command);
}

async function nobody(): Promise<boolean> {
  return Promise.resolve(false);
}

type ApprovalRecord = Approval['record'];

function boundLines({ content }: ApprovalRecord): readonly string[] {
  if (content.type !== 'bound') return ['not bound to the content of a script'];
  const { script, sha256, interpreter } = content;
  return [
    `script ${script ?? ''}, sha256 ${sha256.slice(0, 12)}…`,
    ...(interpreter === undefined || interpreter.path === script ? [] : [`run by ${interpreter.path}`]),
  ];
}

function documentOf({ event, command, approvedAt, scriptMtime, content }: ApprovalRecord): JsonObject {
  const bound = content.type === 'bound' ? content : undefined;
  return {
    approved: true,
    event,
    command,
    approved_at: approvedAt ?? null,
    script_mtime_at_approval: scriptMtime ?? null,
    script: bound?.script ?? null,
    sha256: bound?.sha256 ?? null,
    interpreter: bound?.interpreter?.path ?? null,
  };
}
