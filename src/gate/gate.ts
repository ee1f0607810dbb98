import { type Failure, messageOf } from '../kernel/errors/index.ts';
import { redact as defaultRedactor } from '../kernel/redact/index.ts';
import type { ToolCall } from '../kernel/tool-call/index.ts';
import { type CallGuard, type Decision, foldOpinions } from '../kernel/verdict/index.ts';
import type { Clock } from '../platform/clock/index.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from './approval/approver.ts';
import type { CallRequest } from './call-request.ts';
import { consultGuards } from './consult-guards.ts';
import { normalise, type ToolCatalog } from './normalise.ts';
import type { CallAudience, EndedCall } from './observers.ts';
import { issueTicket, type Ticket } from './ticket.ts';

/** What a gate is made of. Each part is a step; a step that does not exist yet has no place here. */
export interface GateParts {
  readonly catalog: ToolCatalog;
  /** What becomes of a tool nobody declared: refused in our own agent, taken as `external` from a foreign one. */
  readonly unknownTools: 'refuse' | 'external';
  /** Those to ask, in this order; looked up for every call, so that none added later is missed. */
  readonly guards: () => readonly CallGuard[];
  readonly approver: Approver;
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
 * The steps of the first half are fixed: normalise, guards, approval. The call fails closed at each of them; see the
 * steps for how.
 */
export class Gate {
  readonly #parts: GateParts;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /** The same gate for somebody who has only the tools of `catalog`, such as a delegated child. */
  restrictedTo(catalog: ToolCatalog): Gate {
    return new Gate({ ...this.#parts, catalog });
  }

  /**
   * Decides whether a call runs. Rejects only when `signal` is aborted: then the call has not run and will not, and
   * observers are told that it was cancelled.
   */
  async before(request: CallRequest, signal: AbortSignal): Promise<Admission> {
    const { catalog, unknownTools } = this.#parts;
    const normalised = normalise(request, catalog, unknownTools);
    if (!normalised.ok) return { type: 'invalid', failure: normalised };
    try {
      const admission = await this.#decide(normalised.value, signal);
      signal.throwIfAborted();
      return admission;
    } catch (error) {
      await this.#tellCancelled(normalised.value);
      throw error;
    }
  }

  async #decide(asked: ToolCall, signal: AbortSignal): Promise<Admission> {
    const { catalog, unknownTools, guards, approver, clock, newTicketId } = this.#parts;
    const { call, opinions, warnings } = await consultGuards(asked, {
      guards: guards(),
      catalog,
      unknownTools,
      clock,
      signal,
    });
    const decision = foldOpinions(opinions);
    if (decision.type === 'block') return this.#refuse(call, decision, warnings, signal);
    if (decision.type === 'abstain')
      return { type: 'admitted', ticket: issueTicket(newTicketId(), call), warnings };
    const approval = await decideSafely(approver, { ...decision, call }, signal);
    if (approval.type === 'refused') {
      return this.#refuse(call, { by: 'approval', message: approval.message }, warnings, signal);
    }
    const ticket = issueTicket(newTicketId(), call);
    if (approval.type === 'deferred')
      return { type: 'asked', ticket, by: decision.by, message: decision.message, warnings };
    return { type: 'admitted', ticket, approval, warnings };
  }

  async #tellCancelled(call: ToolCall): Promise<void> {
    const message = 'the call was cancelled before it ran';
    const ended: EndedCall = {
      call,
      status: 'cancelled',
      result: message,
      errorMessage: message,
      durationMs: 0,
    };
    await this.#parts.audience.observe(ended, new AbortController().signal);
  }

  /** Takes note of how a call ended and gives back what the model may read of it. */
  async after(given: EndedCall, signal: AbortSignal): Promise<Settlement> {
    const { audience, redact = withoutSecrets } = this.#parts;
    const ended = given.status === 'ok' ? given : redactEnded(given, redact);
    const observed = await audience.observe(ended, signal);
    const { text, warnings } = await audience.transform(ended, signal);
    return { text, errorMessage: ended.errorMessage ?? '', warnings: [...observed, ...warnings] };
  }

  async #refuse(
    call: ToolCall,
    { by, message: reason }: Pick<Extract<Decision, { type: 'block' }>, 'by' | 'message'>,
    warnings: readonly string[],
    signal: AbortSignal,
  ): Promise<Admission> {
    const message = (this.#parts.redact ?? withoutSecrets)(reason);
    const ended: EndedCall = {
      call,
      status: 'blocked',
      result: message,
      errorMessage: message,
      durationMs: 0,
    };
    const observed = await this.#parts.audience.observe(ended, signal);
    return { type: 'refused', call, by, message, warnings: [...warnings, ...observed] };
  }
}

/** An approver that breaks has approved nothing. */
async function decideSafely(
  approver: Approver,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  try {
    return await approver.decide(request, signal);
  } catch (error) {
    signal.throwIfAborted();
    return {
      type: 'refused',
      choice: 'cancelled',
      message: `approval could not be asked for: ${messageOf(error)}`,
    };
  }
}

function redactEnded(ended: EndedCall, redact: (text: string) => string): EndedCall {
  const { errorMessage, result } = ended;
  return {
    ...ended,
    result: redact(result),
    ...(errorMessage === undefined ? {} : { errorMessage: redact(errorMessage) }),
  };
}

function withoutSecrets(text: string): string {
  return defaultRedactor.text(text);
}
