import type { Result } from '../../kernel/errors/index.ts';
import type { ToolCall } from '../../kernel/tool-call/index.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../approval/approver.ts';
import type { OpenCall } from './open-call.ts';
import type { OpenCallStore } from './open-call-store.ts';

/** A ticket that came back with a call, and the open call it was looked up as. */
export interface ReturnedTicket {
  readonly ticket: string;
  /** Absent when there is no open call of that ticket. */
  readonly open: OpenCall | undefined;
}

export interface TicketApproverParts {
  readonly calls: OpenCallStore;
  /** Absent when the call came without one. */
  readonly returned: ReturnedTicket | undefined;
  /** Knows what a person approved here for longer than once; a `refused` of it passes the question on. */
  readonly remembered: Approver;
}

/**
 * The approver of a foreign agent's call: the ticket of an earlier question for the same call in the same session approves
 * it, once; else what is remembered does; else the question goes to the agent's own person.
 *
 * Fails closed: a ticket that is unknown, used, of a call that was no question, of another call or another session, or that
 * cannot be taken out of the store approves nothing.
 */
export class TicketApprover implements Approver {
  readonly #parts: TicketApproverParts;
  #refusal: string | undefined;
  #isTaken = false;

  constructor(parts: TicketApproverParts) {
    this.#parts = parts;
  }

  async decide(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    await this.settle(request.call);
    if (this.#isTaken) return { type: 'approved', choice: 'once', remembered: true };
    const earlier = await this.#parts.remembered.decide(request, signal);
    return earlier.type === 'approved' ? earlier : { type: 'deferred' };
  }

  /** Takes the ticket out when it belongs to `call`, approved or not: its question has come back. Does nothing twice. */
  async settle(call: ToolCall): Promise<void> {
    const { returned, calls } = this.#parts;
    if (returned === undefined || this.#isTaken || this.#refusal !== undefined) return;
    const misfit = misfitOf(returned.open, call);
    const taken: Result<boolean> | undefined =
      misfit === undefined ? await calls.remove(returned.ticket) : undefined;
    this.#isTaken = taken?.ok === true && taken.value;
    if (this.#isTaken) return;
    const reason = misfit ?? (taken?.ok === false ? `it cannot be taken (${taken.message})` : USED);
    this.#refusal = `the ticket ${shown(returned.ticket)} approves nothing: ${reason}`;
  }

  /** Why the ticket approved nothing; undefined when it did, there was none, or nobody asked. */
  get refusal(): string | undefined {
    return this.#refusal;
  }
}

const USED = 'it was used or settled, or never given out';

function misfitOf(open: OpenCall | undefined, call: ToolCall): string | undefined {
  if (open === undefined) return USED;
  if (open.state !== 'awaiting_approval') return 'it belongs to a call that was no question';
  if (open.call.sessionId !== call.sessionId) return 'it belongs to another session';
  return open.call.fingerprint === call.fingerprint ? undefined : 'it belongs to another call';
}

function shown(ticket: string): string {
  return JSON.stringify(ticket.length > 80 ? `${ticket.slice(0, 80)}…` : ticket);
}
