import { type Failure, messageOf } from '../kernel/errors/index.ts';
import { redact as defaultRedactor } from '../kernel/redact/index.ts';
import type { ToolCall } from '../kernel/tool-call/index.ts';
import { type CallGuard, foldOpinions, type Opinion } from '../kernel/verdict/index.ts';
import type { Clock } from '../platform/clock/index.ts';
import type { ProcessIdentity } from '../platform/process/index.ts';
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type Approver,
  isApprovalAnswer,
} from './approval/approver.ts';
import type { CallRequest } from './call-request.ts';
import type { Captured, CheckpointStep } from './checkpoint/checkpoint-step.ts';
import { consultGuards } from './consult-guards.ts';
import { despiteInterrupt } from './despite-interrupt.ts';
import type { JournalStep, NotRun } from './journal/journal-step.ts';
import { normalise, type ToolCatalog } from './normalise.ts';
import type { CallAudience, EndedCall } from './observers.ts';
import type { SelfProtection } from './self-protection/self-protection.ts';
import { issueTicket, type Ticket } from './ticket.ts';

/** What a gate is made of. Each part is a step; a step that does not exist yet has no place here. */
export interface GateParts {
  readonly catalog: ToolCatalog;
  /** What becomes of a tool nobody declared: refused in our own agent, taken as `external` from a foreign one. */
  readonly unknownTools: 'refuse' | 'external';
  /** Those to ask, in this order; looked up for every call, so that none added later is missed. */
  readonly guards: () => readonly CallGuard[];
  readonly approver: Approver;
  /** Absent when nothing is captured. */
  readonly checkpoints?: CheckpointStep;
  /** Absent when nothing is recorded. */
  readonly journal?: JournalStep;
  /** Looks after what guards the person, while a call runs. Absent where nobody does. */
  readonly protection?: Pick<SelfProtection, 'before' | 'after'>;
  readonly audience: CallAudience;
  readonly clock: Clock;
  readonly newTicketId: () => string;
  /** Takes secrets out of what is said of a call that failed or was blocked; the kernel's redaction when absent. */
  readonly redact?: (text: string) => string;
}

/** The answer to a request: a ticket to run it, or why it does not run. */
export type Admission =
  | {
      readonly type: 'admitted';
      readonly ticket: Ticket;
      readonly approval?: ApprovalAnswer;
      readonly warnings: readonly string[];
    }
  /** A foreign agent asks its own person; it may go on with the ticket without coming back to us. */
  | {
      readonly type: 'asked';
      readonly ticket: Ticket;
      readonly by: string;
      readonly message: string;
      readonly warnings: readonly string[];
    }
  | {
      readonly type: 'refused';
      readonly call: ToolCall;
      readonly by: string;
      readonly message: string;
      readonly warnings: readonly string[];
    }
  | { readonly type: 'invalid'; readonly failure: Failure<'unknown_tool' | 'bad_arguments'> };

/** How a call ended, with what the model reads of it. */
export interface Settlement {
  readonly text: string;
  /** Why the call failed, without secrets; empty when it did not. */
  readonly errorMessage: string;
  readonly warnings: readonly string[];
}

/**
 * The one path by which a tool can run: {@link before}, the tool, {@link after}.
 *
 * The steps of the first half are fixed: normalise, guards, approval, checkpoint, journal. The call fails closed at each of
 * them, but for the checkpoint, which says itself when it blocks; see the steps for how.
 */
export class Gate {
  readonly #parts: GateParts;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /** What looks after the guards while a call runs; for whoever runs it. */
  get protection(): GateParts['protection'] {
    return this.#parts.protection;
  }

  /** The same gate for somebody who has only the tools of `catalog`, such as a delegated child. */
  restrictedTo(catalog: ToolCatalog): Gate {
    return new Gate({ ...this.#parts, catalog });
  }

  /**
   * Decides whether a call runs. Rejects only when `signal` is aborted: then the call has not run and will not, and
   * observers are told that it was cancelled.
   *
   * @param from what is known of the other agent a call comes from.
   */
  async before(request: CallRequest, signal: AbortSignal, from: ForeignOrigin = {}): Promise<Admission> {
    const { catalog, unknownTools } = this.#parts;
    const normalised = normalise(request, catalog, unknownTools);
    if (!normalised.ok) {
      signal.throwIfAborted();
      return { type: 'invalid', failure: normalised };
    }
    const call = normalised.value;
    const row = { entry: '' };
    try {
      return await this.#decide({ asked: call, row, from }, signal);
    } catch (error) {
      const cancelled = {
        call,
        status: 'cancelled',
        why: CANCELLED,
        verdicts: [],
        entry: row.entry,
      } as const;
      await this.#tell(cancelled, signal);
      throw error;
    }
  }

  async #decide({ asked, row, from }: Question, signal: AbortSignal): Promise<Admission> {
    const { catalog, unknownTools, guards, approver, clock } = this.#parts;
    const consulted = await consultGuards(asked, { guards: guards(), catalog, unknownTools, clock, signal });
    const { call } = consulted;
    const warnings = consulted.warnings.map((line) => this.#redact(line));
    const verdicts = verdictsOf(consulted.opinions);
    const { earlier, owner } = from;
    const continues = earlier?.fingerprint === call.fingerprint ? earlier.entry : undefined;
    const judged: Judged = { call, warnings, verdicts, signal, continues, row, owner };
    const decision = foldOpinions(consulted.opinions);
    if (decision.type === 'block') return this.#refuse({ ...decision, ...judged });
    if (decision.type === 'abstain') return this.#admit({ type: 'admitted' }, judged);
    const { by, message } = decision;
    const approval = await decideSafely(approver, { ...decision, call }, signal);
    const answered = { ...judged, verdicts: [...verdicts, { by: 'approval', verdict: wordOf(approval) }] };
    switch (approval.type) {
      case 'approved':
        return this.#admit({ type: 'admitted', approval }, answered);
      case 'deferred':
        return this.#admit({ type: 'asked', by, message }, answered);
      case 'refused':
        return this.#refuse({ ...answered, by: 'approval', message: approval.message });
    }
  }

  /** The last steps of the first half. Nothing that was interrupted gets a ticket. */
  async #admit(kind: AdmissionKind, judged: Judged): Promise<Admission> {
    const { call, signal, verdicts, continues, owner } = judged;
    const captured = await this.#capture(call, signal);
    const told = [...judged.warnings, ...captured.warnings.map((line) => this.#redact(line))];
    if (captured.type === 'blocked')
      return this.#refuse({ ...judged, by: 'checkpoint', message: captured.message, warnings: told });
    const { checkpoint } = captured;
    await this.#stopIfAborted(signal, checkpoint);
    const awaitsApproval = kind.type === 'asked';
    const journalled = await this.#parts.journal?.before(call, {
      checkpoint,
      verdicts,
      awaitsApproval,
      continues,
      owner,
    });
    told.push(...(journalled?.warnings ?? []).map((line) => this.#redact(line)));
    if (journalled?.type === 'blocked') {
      told.push(...(await this.#settleCheckpoint(checkpoint)));
      return this.#refuse({ ...judged, by: 'journal', message: journalled.message, warnings: told });
    }
    judged.row.entry = journalled?.entry ?? '';
    await this.#stopIfAborted(signal, checkpoint);
    const ticket = issueTicket(this.#parts.newTicketId(), call, {
      checkpoint,
      entry: judged.row.entry,
    });
    return { ...kind, ticket, warnings: told };
  }

  async #stopIfAborted(signal: AbortSignal, checkpoint: string): Promise<void> {
    if (!signal.aborted) return;
    await this.#settleCheckpoint(checkpoint);
    signal.throwIfAborted();
  }

  async #capture(call: ToolCall, signal: AbortSignal): Promise<Captured> {
    signal.throwIfAborted();
    const { checkpoints } = this.#parts;
    return checkpoints?.before(call, signal) ?? { type: 'captured', checkpoint: '', warnings: [] };
  }

  /** Takes note of how a call ended and gives back what the model may read of it. */
  async after(given: EndedCall, signal: AbortSignal): Promise<Settlement> {
    const { audience } = this.#parts;
    const ended = given.status === 'ok' ? given : this.#withoutSecrets(given);
    const observed = await audience.observe(ended, signal);
    const settled = await this.#settle(ended);
    const { text, warnings } = await audience.transform(ended, signal);
    return {
      text,
      errorMessage: ended.errorMessage ?? '',
      warnings: [...observed, ...settled, ...warnings].map((line) => this.#redact(line)),
    };
  }

  /** Ends what was begun for a call that has its ticket and will not run. The value is one line for each thing that went wrong. */
  async withdraw({ call, checkpoint, entry }: Ticket, why: NotRun): Promise<readonly string[]> {
    const noted = await this.#parts.journal?.refused(call, why, { verdicts: [], entry });
    return [...(noted ?? []), ...(await this.#settleCheckpoint(checkpoint))].map((line) =>
      this.#redact(line),
    );
  }

  /** After the observers: a formatter among them may still have changed the file. */
  async #settle(ended: EndedCall): Promise<readonly string[]> {
    const journalled = await this.#parts.journal?.after(ended.entry ?? '', ended);
    return [...(journalled ?? []), ...(await this.#settleCheckpoint(ended.checkpoint ?? ''))];
  }

  async #settleCheckpoint(checkpoint: string): Promise<readonly string[]> {
    return checkpoint === '' ? [] : (this.#parts.checkpoints?.after(checkpoint) ?? []);
  }

  async #refuse(refusal: Refusal): Promise<Admission> {
    const { call, by, verdicts, signal, continues } = refusal;
    const message = this.#redact(refusal.message);
    const observed = await this.#tell(
      { call, status: 'blocked', why: message, by, verdicts, entry: continues },
      signal,
    );
    return { type: 'refused', call, by, message, warnings: [...refusal.warnings, ...observed] };
  }

  /** Tells observers of a call that did not run, and journals it. */
  async #tell(
    { call, status, why, by, verdicts, entry = '' }: NeverRun,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const { audience, clock, journal } = this.#parts;
    const ended: EndedCall = { call, status, result: why, errorMessage: why, durationMs: 0 };
    const observed = await despiteInterrupt(clock, signal, async (limited) =>
      audience.observe(ended, limited),
    );
    const noted = await journal?.refused(
      call,
      { message: why, ...(by === undefined ? {} : { by }) },
      { verdicts, entry },
    );
    return [...observed, ...(noted ?? [])].map((line) => this.#redact(line));
  }

  #redact(text: string): string {
    return this.#parts.redact?.(text) ?? defaultRedactor.text(text);
  }

  #withoutSecrets(ended: EndedCall): EndedCall {
    const { errorMessage, result } = ended;
    return {
      ...ended,
      result: this.#redact(result),
      ...(errorMessage === undefined ? {} : { errorMessage: this.#redact(errorMessage) }),
    };
  }
}

type AdmissionKind =
  | Pick<Extract<Admission, { type: 'admitted' }>, 'type' | 'approval'>
  | Pick<Extract<Admission, { type: 'asked' }>, 'type' | 'by' | 'message'>;

/** What is known of the other agent a call comes from. */
export interface ForeignOrigin {
  /** The call as it was when that agent was told to ask its person. */
  readonly earlier?: EarlierQuestion | undefined;
  /** The process that can still end the call; this one when absent. */
  readonly owner?: ProcessIdentity | undefined;
}

/** A question about a call that another agent's person was to answer. */
export interface EarlierQuestion {
  readonly fingerprint: string;
  /** Its row in the journal; empty when it has none. */
  readonly entry: string;
}

/** A call once its guards were heard. */
interface Judged {
  readonly call: ToolCall;
  readonly warnings: readonly string[];
  readonly verdicts: readonly PassedVerdict[];
  readonly signal: AbortSignal;
  /** Its row, when it was journalled before. */
  readonly continues: string | undefined;
  readonly row: NewRow;
  readonly owner: ProcessIdentity | undefined;
}

/** The row that a call gets, once it has it. */
interface NewRow {
  entry: string;
}

interface Question {
  readonly asked: ToolCall;
  readonly row: NewRow;
  readonly from: ForeignOrigin;
}

interface PassedVerdict {
  readonly by: string;
  readonly verdict: string;
}

/** What guards said, but for those that had nothing to say. */
function verdictsOf(opinions: readonly Opinion[]): readonly PassedVerdict[] {
  return opinions.flatMap(({ by, verdict: { type } }) => (type === 'abstain' ? [] : [{ by, verdict: type }]));
}

/** For the journal: who approved it and for how long, or that nobody was asked. */
function wordOf(approval: ApprovalAnswer): string {
  if (approval.type !== 'approved') return approval.type;
  if (approval.isUnasked === true) return 'approved:yolo';
  return `approved:${approval.remembered ? 'earlier' : approval.choice}`;
}

const CANCELLED = 'the call was cancelled before it ran';

interface NeverRun {
  readonly call: ToolCall;
  readonly status: 'blocked' | 'cancelled';
  readonly why: string;
  readonly by?: string;
  readonly verdicts: readonly PassedVerdict[];
  /** Its row, when it has one already. */
  readonly entry?: string | undefined;
}

type Refusal = Judged & { readonly by: string; readonly message: string };

/** An approver that breaks, or answers something that is no answer, has approved nothing. */
async function decideSafely(
  approver: Approver,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  try {
    const answer = await approver.decide(request, signal);
    if (isApprovalAnswer(answer)) return answer;
    throw new Error('what the approver answered is no answer');
  } catch (error) {
    signal.throwIfAborted();
    return {
      type: 'refused',
      choice: 'cancelled',
      message: `approval could not be asked for: ${messageOf(error)}`,
    };
  }
}
