import { type Failure, fail } from '../../../kernel/errors/index.ts';
import type { Clock } from '../../../platform/clock/index.ts';
import type { Logger } from '../../../platform/logging/index.ts';
import { displayPath } from '../../../platform/paths/index.ts';
import type { Added, AllowlistFile } from './allowlist-file.ts';
import type { ApprovalRecord } from './approval-record.ts';
import { type BindErrorCode, type BoundContent, bindContent } from './bind-content.ts';
import { type Comparison, compareContent } from './compare-content.ts';
import type { ConsentCheck } from './consent-check.ts';
import { consentQuestion } from './consent-question.ts';
import type { ConsentSubject } from './consent-subject.ts';
import { NOBODY_APPROVED } from './describe-consent.ts';
import { FileInspector } from './file-inspector.ts';
import { type ConsentPrompt, type FirstUseHatches, openHatch } from './first-use.ts';
import { toIsoTime } from './iso-time.ts';
import type { UnusableCode } from './read-allowlist.ts';

export interface HookConsentOptions {
  readonly allowlist: AllowlistFile;
  /** `hooks_consent`: `path` binds the command only, as Hermes does, and a changed script runs. */
  readonly mode: 'content' | 'path';
  readonly clock: Clock;
  /** Whether this process was started by an agent (`HERMA_SESSION` is set): it then gives and takes no consent. */
  readonly isInsideAgent: boolean;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** A consent that was given. */
export interface Approval {
  readonly record: ApprovalRecord;
  /** One line each: that it holds for this run only, or where an unintelligible allowlist was kept. */
  readonly warnings: readonly string[];
}

export type ApproveErrorCode = BindErrorCode | UnusableCode | 'inside_agent';
export type RevokeErrorCode = UnusableCode | 'not_written' | 'inside_agent';

export interface FirstUseOptions {
  readonly hook: ConsentSubject;
  readonly hatches: FirstUseHatches;
  /** Absent where nobody can be asked. */
  readonly prompt?: ConsentPrompt;
  readonly signal?: AbortSignal;
}

export interface ReviewOptions {
  readonly hook: ConsentSubject;
  readonly prompt: ConsentPrompt;
  readonly signal?: AbortSignal;
}

/** Whether a hook is registered. */
export type FirstUse =
  | {
      readonly allowed: true;
      readonly by: 'listed' | 'hatch' | 'person';
      readonly warnings: readonly string[];
    }
  /** `warning`: one line for the person, with what to do. */
  | { readonly allowed: false; readonly check: ConsentCheck; readonly warning: string };

/**
 * Whether shell hooks may run: a person's consent per event and exact command, bound to the content of the script and to the
 * program that runs it (path, owner and content).
 *
 * Fails closed: what cannot be read, compared or understood may not run.
 *
 * Not covered: files that the script loads or sources, and data it reads; what `bash -c`, `npx` and their like fetch or run;
 * the program inside of a wrapper other than `env`, `timeout` and such; the moment between {@link HookConsent.check} and the
 * spawn; programs of the system, which the superuser may change (told in the notes), and everything, where an agent itself runs
 * as the superuser.
 */
export class HookConsent {
  readonly #options: HookConsentOptions;
  readonly #inspector: FileInspector;

  constructor(options: HookConsentOptions) {
    this.#options = options;
    this.#inspector = new FileInspector(options.clock);
  }

  /** To be asked immediately before every spawn. Sees every change of the allowlist and of the script. */
  async check(hook: ConsentSubject, signal?: AbortSignal): Promise<ConsentCheck> {
    const { records, problems, unusable } = await this.#options.allowlist.read();
    const command = hook.command.trim();
    const listed = records.filter((record) => record.event === hook.event && record.command === command);
    const hashed = listed.filter(({ content }) => content.type !== 'none');
    let last: ConsentCheck | undefined;
    for (const record of hashed.length > 0 ? hashed : listed) {
      last = await this.#checkRecord(hook, record, signal);
      if (last.mayRun) break;
    }
    if (last !== undefined) return { ...last, notes: [...last.notes, ...problems] };
    const reason =
      unusable === undefined
        ? NOBODY_APPROVED
        : `${unusable.message}: nothing counts as approved; ${unusable.remedy ?? 'mend it'}`;
    return { state: 'not_allowlisted', mayRun: false, reason, notes: problems };
  }

  /**
   * Decides, when hooks are registered, about one that may be new: listed, accepted by a hatch (which is recorded and logged),
   * or by a person who is shown it. Hatches and question are for first use only: a changed script needs {@link HookConsent.approve}.
   */
  async decideFirstUse({ hook, hatches, prompt, signal }: FirstUseOptions): Promise<FirstUse> {
    const check = await this.check(hook, signal);
    if (check.mayRun) return { allowed: true, by: 'listed', warnings: [] };
    const refuse = (why: string): FirstUse => ({ allowed: false, check, warning: refusal(hook, why) });
    if (check.state !== 'not_allowlisted') return refuse(`${check.reason}; ${approveHint(hook)}`);
    if (this.#options.isInsideAgent)
      return refuse(`${check.reason}, and inside an agent nobody can approve it`);
    const hatch = openHatch(hatches);
    if (hatch === undefined && prompt === undefined)
      return refuse(
        check.reason === NOBODY_APPROVED ? `${check.reason}; ${waysToApprove(hook)}` : check.reason,
      );
    const bound = await this.#bind(hook, signal);
    if (!bound.ok) return refuse(`${bound.message}; approve it once it is there`);
    if (hatch === undefined && prompt !== undefined) {
      const refused = await this.#ask({ hook, prompt, bound: bound.value, signal });
      if (refused !== undefined) return refuse(refused);
    }
    const added = await this.#add(hook, bound.value, { isPerson: hatch === undefined, signal });
    if (!added.ok) return refuse(`${added.message}; ${added.remedy ?? 'mend the allowlist'}`);
    const after = await this.check(hook, signal);
    if (!after.mayRun) return { allowed: false, check: after, warning: refusal(hook, after.reason) };
    if (hatch !== undefined)
      this.#options.log.info(`shell hook auto-approved by ${hatch}`, {
        event: hook.event,
        command: hook.command,
      });
    return { allowed: true, by: hatch === undefined ? 'person' : 'hatch', warnings: added.value.warnings };
  }

  /** Records a person's consent to what the command runs now, in the place of an earlier one. */
  async approve(
    hook: ConsentSubject,
    signal?: AbortSignal,
  ): Promise<{ readonly ok: true; readonly value: Approval } | Failure<ApproveErrorCode>> {
    if (this.#options.isInsideAgent) return insideAgent('approve');
    const bound = await this.#bind(hook, signal);
    if (!bound.ok) return bound;
    return this.#add(hook, bound.value, { isPerson: true, signal });
  }

  /**
   * As {@link HookConsent.approve}, once a person has been shown what the command runs now and said yes; what is recorded is
   * what was shown. Fails with `not_approved` otherwise.
   */
  async review({
    hook,
    prompt,
    signal,
  }: ReviewOptions): Promise<
    { readonly ok: true; readonly value: Approval } | Failure<ApproveErrorCode | 'not_approved'>
  > {
    if (this.#options.isInsideAgent) return insideAgent('approve');
    const bound = await this.#bind(hook, signal);
    if (!bound.ok) return bound;
    const refused = await this.#ask({ hook, prompt, bound: bound.value, signal });
    if (refused !== undefined) return fail('not_approved', refused);
    return this.#add(hook, bound.value, { isPerson: true, signal });
  }

  /** Takes back the consent to a command for all events, at once in every process; the value is how many there were. */
  async revoke(
    command: string,
    signal?: AbortSignal,
  ): Promise<{ readonly ok: true; readonly value: number } | Failure<RevokeErrorCode>> {
    if (this.#options.isInsideAgent) return insideAgent('revoke');
    return this.#options.allowlist.remove(command.trim(), signal);
  }

  async #checkRecord(
    subject: ConsentSubject,
    record: ApprovalRecord,
    signal: AbortSignal | undefined,
  ): Promise<ConsentCheck> {
    const comparison = await compareContent({ subject, record, inspector: this.#inspector, signal });
    const changes = changedSettings(subject, record);
    if (this.#options.mode === 'content') return toCheck(record, comparison, changes);
    const { reason, notes } = toCheck(record, comparison, changes);
    const isFine = comparison.type === 'same' || comparison.type === 'unbound';
    const told = isFine ? notes : [...notes, `${reason}; it runs, as hooks_consent is "path"`];
    return { state: 'approved', mayRun: true, record, reason: 'the command is approved', notes: told };
  }

  /** Undefined in mode `path` for what cannot be bound. */
  async #bind(
    hook: ConsentSubject,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly ok: true; readonly value: BoundContent | undefined } | Failure<BindErrorCode>> {
    const bound = await bindContent(hook, this.#inspector, signal);
    return bound.ok || this.#options.mode === 'content' ? bound : { ok: true, value: undefined };
  }

  /** Why not; undefined for yes. */
  async #ask({ hook, prompt, bound, signal }: Asked): Promise<string | undefined> {
    const changed = 'the script was changed while you were asked; look at it again';
    const { event, command } = hook;
    const question =
      bound === undefined
        ? { event, command: command.trim(), warnings: ['The script cannot be read.'] }
        : await consentQuestion(hook, bound, signal);
    if (question === undefined) return changed;
    if (!(await prompt(question, signal))) return 'you did not approve it';
    const now = await this.#bind(hook, signal);
    return now.ok && now.value?.content.sha256 === bound?.content.sha256 ? undefined : changed;
  }

  async #add(
    hook: ConsentSubject,
    bound: BoundContent | undefined,
    { isPerson, signal }: { readonly isPerson: boolean; readonly signal: AbortSignal | undefined },
  ): Promise<{ readonly ok: true; readonly value: Approval } | Failure<UnusableCode>> {
    const { matcher, timeoutSeconds, failClosed } = hook;
    const record: ApprovalRecord = {
      event: hook.event,
      command: hook.command.trim(),
      approvedAt: toIsoTime(this.#options.clock.now()),
      content: bound?.content ?? { type: 'none' },
      ...(bound === undefined ? {} : { scriptMtime: bound.scriptMtime }),
      ...(matcher === undefined ? {} : { matcher }),
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
      ...(failClosed === undefined ? {} : { failClosed }),
    };
    const added = await this.#options.allowlist.add(record, {
      replacesCorrupt: isPerson,
      onlyIfAbsent: !isPerson,
      ...(signal === undefined ? {} : { signal }),
    });
    if (!added.ok) return added;
    const warnings = warningsOf(added.value);
    for (const warning of warnings)
      this.#options.log.warn(warning, { event: hook.event, command: hook.command });
    return { ok: true, value: { record, warnings } };
  }
}

interface Asked {
  readonly hook: ConsentSubject;
  readonly prompt: ConsentPrompt;
  readonly bound: BoundContent | undefined;
  readonly signal: AbortSignal | undefined;
}

function toCheck(record: ApprovalRecord, comparison: Comparison, notes: readonly string[]): ConsentCheck {
  switch (comparison.type) {
    case 'same': {
      const reason = 'it is what was approved';
      return { state: 'approved', mayRun: true, record, reason, notes: [...comparison.notes, ...notes] };
    }
    case 'unbound': {
      const reason = 'it is approved by an entry that is not content-bound';
      return { state: 'not_content_bound', mayRun: true, record, reason, notes };
    }
    case 'missing':
      return { state: 'script_missing', mayRun: false, record, reason: comparison.reason, notes };
    case 'drifted': {
      const { reason, drift } = comparison;
      const drifted = { state: 'drifted', mayRun: false, record, reason, notes } as const;
      return drift === undefined ? drifted : { ...drifted, drift };
    }
    default:
      return comparison satisfies never;
  }
}

/** What is configured otherwise than when it was approved; consent holds all the same. */
function changedSettings(hook: ConsentSubject, { content, ...was }: ApprovalRecord): readonly string[] {
  if (content.type === 'none') return [];
  const settings = [
    ['matcher', was.matcher, hook.matcher],
    ['timeout', was.timeoutSeconds, hook.timeoutSeconds],
    ['fail_closed', was.failClosed, hook.failClosed],
  ] as const;
  return settings.flatMap(([name, before, now]) =>
    before === undefined || now === undefined || before === now
      ? []
      : [`${name} was ${JSON.stringify(before)} at approval and is ${JSON.stringify(now)} now`],
  );
}

function warningsOf(added: Added): readonly string[] {
  switch (added.type) {
    case 'written':
      return added.keptAside === undefined
        ? []
        : [
            `the allowlist was not understood; it is kept as ${displayPath(added.keptAside)}, and a new one begun`,
          ];
    case 'present':
      return [];
    case 'this_run':
      return [added.warning];
    default:
      return added satisfies never;
  }
}

function refusal({ event, command }: ConsentSubject, why: string): string {
  return `shell hook skipped (${event}: ${displayPath(command.trim())}): ${why}`;
}

function approveHint({ event }: ConsentSubject): string {
  return `review it, then \`herma hooks approve ${event} <command>\``;
}

function waysToApprove(hook: ConsentSubject): string {
  return `start with --accept-hooks, set HERMA_ACCEPT_HOOKS=1, or set hooks_auto_accept: true in config.yaml; or ${approveHint(hook)}`;
}

function insideAgent(verb: string): Failure<'inside_agent'> {
  return fail(
    'inside_agent',
    `consent to hooks is not for an agent to ${verb}: HERMA_SESSION is set here`,
    'do it in a terminal of your own',
  );
}
