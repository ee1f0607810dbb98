import { type Result, succeed } from '../../kernel/errors/index.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json/index.ts';
import type { Redactor } from '../../kernel/redact/index.ts';
import type { ToolCall } from '../../kernel/tool-call/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import { findOwner, type ProcessIdentity, processIdentity } from '../../platform/process/index.ts';
import type { CallbackRegistry } from '../../safety/hooks/index.ts';
import type { Approver } from '../approval/approver.ts';
import { capResult } from '../cap-result.ts';
import { type Admission, type EarlierQuestion, Gate, type GateParts } from '../gate.ts';
import type { EndedCall } from '../observers.ts';
import { textOf } from '../tool-outcome.ts';
import type { ForeignCall, ForeignOutcome, SettledCall } from './foreign-payload.ts';
import type { OpenCall } from './open-call.ts';
import { type OpenCallStore, unknownTicket } from './open-call-store.ts';
import { type ReturnedTicket, TicketApprover } from './ticket-approver.ts';

/**
 * What the other program is to do. On `ask` its own person decides; it may then run the call without coming back, and
 * names this ticket when the call has ended, or come back with the ticket as `approved`.
 */
export interface ForeignDecision {
  readonly decision: 'allow' | 'block' | 'ask';
  /** Empty when the call is allowed. */
  readonly reason: string;
  /** The arguments the call is to run with. */
  readonly toolInput: JsonValue;
  /** Names the call from now on. Empty when there is nothing to name: it is blocked, or goes on unrecorded. */
  readonly ticket: string;
  readonly warnings: readonly string[];
}

export interface ForeignGateParts {
  readonly gate: Omit<GateParts, 'approver' | 'unknownTools'>;
  /** Knows what a person approved here for longer than once; a `refused` of it becomes an `ask`. */
  readonly remembered: Approver;
  readonly calls: OpenCallStore;
  readonly callbacks: CallbackRegistry;
  readonly redactor: Redactor;
  readonly clock: Clock;
  /** Name of the calling agent. */
  readonly agent: string;
  /** What the model of a session is to know besides what hooks say. Never rejects. */
  readonly briefing?: (
    sessionId: string,
  ) => Promise<{ readonly text: string; readonly warnings: readonly string[] }>;
}

/**
 * The gate for a program that runs its tools itself: `before` and `after` come from two processes.
 *
 * Fails closed: a call that has an effect and cannot be recorded is blocked; only a read may go on unrecorded. A tool that
 * is not known here can do anything.
 */
export class ForeignGate {
  readonly #parts: ForeignGateParts;

  constructor(parts: ForeignGateParts) {
    this.#parts = parts;
  }

  /**
   * Decides about a call. Fails, which means block, when the ticket it comes with has a damaged or unreadable record.
   * Rejects only when `signal` is aborted.
   */
  async before(foreign: ForeignCall, signal: AbortSignal): Promise<Result<ForeignDecision>> {
    const { calls, remembered } = this.#parts;
    const returned = await this.#lookUp(foreign.approved);
    if (!returned.ok) return returned;
    const approver = new TicketApprover({ calls, remembered, returned: returned.value });
    const earlier = returned.value?.open?.checkpoint ?? '';
    if (earlier !== '') await this.#parts.gate.checkpoints?.after(earlier);
    const { owner, warnings } = ownerOf(foreign.ownerPid);
    const admission = await this.#gateWith(approver).before(this.#requestOf(foreign), signal, {
      earlier: questionOf(returned.value, foreign.sessionId),
      owner,
    });
    const call = callOf(admission);
    if (call !== undefined) await approver.settle(call);
    return succeed(
      await this.#decide(admission, { foreign, refusal: approver.refusal, owner, ownerWarnings: warnings }),
    );
  }

  /**
   * Settles an open call. Fails with `unknown_ticket` or `unknown_call` for one that is not open (any more), and when its
   * record is damaged or cannot be read. Of two that settle the same call at once one fails, but both may have told the
   * observers: a settlement that is cut short is made up for, never lost.
   */
  async after(
    outcome: ForeignOutcome,
    signal: AbortSignal,
  ): Promise<Result<{ readonly warnings: readonly string[] }>> {
    const { calls, remembered } = this.#parts;
    const named = await this.#openCallOf(outcome.call);
    if (!named.ok) return named;
    const { open, pairing } = named.value;
    const ended = { ...this.#ended(open, outcome), ...(pairing === undefined ? {} : { pairing }) };
    const { warnings } = await this.#gateWith(remembered).after(ended, signal);
    const removed = await calls.remove(open.ticket);
    if (!removed.ok) return succeed({ warnings: [...warnings, `The call stays open: ${removed.message}`] });
    return removed.value ? succeed({ warnings }) : unknownTicket(open.ticket);
  }

  async #openCallOf(name: SettledCall): Promise<Result<NamedCall>> {
    const { calls } = this.#parts;
    if ('tool' in name) return calls.findByName(name);
    const open =
      'ticket' in name ? await calls.get(name.ticket) : await calls.find(name.callId, name.sessionId);
    return open.ok ? succeed({ open: open.value }) : open;
  }

  /** What the journal and hooks want the model of that session to read before its next turn. */
  async context(
    sessionId: string,
    signal: AbortSignal,
  ): Promise<{ readonly context: string; readonly warnings: readonly string[] }> {
    const { callbacks, agent } = this.#parts;
    const { texts, warnings } = await callbacks.inject(
      'pre_llm_call',
      () => ({
        sessionId,
        turnId: '',
        model: '',
        platform: agent,
        userMessage: '',
        conversationHistory: [],
        isFirstTurn: false,
      }),
      signal,
    );
    const briefing = await this.#parts.briefing?.(sessionId);
    const briefed = briefing === undefined || briefing.text === '' ? [] : [briefing.text];
    return {
      context: [...briefed, ...texts].join('\n\n'),
      warnings: [...(briefing?.warnings ?? []), ...warnings],
    };
  }

  #gateWith(approver: Approver): Gate {
    const { gate, redactor } = this.#parts;
    const redact = (text: string): string => redactor.text(text);
    return new Gate({ redact, ...gate, unknownTools: 'external', approver });
  }

  #requestOf({ tool, args, callId, sessionId, turnId, cwd }: ForeignCall): Parameters<Gate['before']>[0] {
    const ids = { callId, sessionId, rootSessionId: sessionId, turnId, ordinal: 0 };
    return { ...ids, tool, args, cwd, origin: { kind: 'foreign', agent: this.#parts.agent } };
  }

  /** A ticket that names nothing approves nothing; one whose record cannot be judged is a failure. */
  async #lookUp(ticket: string | undefined): Promise<Result<ReturnedTicket | undefined>> {
    if (ticket === undefined) return succeed(undefined);
    const open = await this.#parts.calls.get(ticket);
    if (open.ok) return succeed({ ticket, open: open.value });
    return open.code === 'unknown_ticket' ? succeed({ ticket, open: undefined }) : open;
  }

  async #decide(
    admission: Admission,
    { foreign, refusal, owner, ownerWarnings }: Decided,
  ): Promise<ForeignDecision> {
    const { redactor } = this.#parts;
    switch (admission.type) {
      case 'invalid': {
        const { message, remedy } = admission.failure;
        return blocked(foreign.args, redactor.text([message, remedy].filter(Boolean).join(' ')), []);
      }
      case 'refused':
        return blocked(admission.call.args, `${admission.by}: ${admission.message}`, admission.warnings);
      case 'asked': {
        const reason = redactor.text([admission.message, refusal].filter(Boolean).join('; '));
        return this.#record(admission, owner, {
          decision: 'ask',
          reason,
          warnings: [...admission.warnings, ...ownerWarnings],
        });
      }
      case 'admitted': {
        const warnings = [
          ...admission.warnings,
          ...(refusal === undefined ? [] : [refusal]),
          ...ownerWarnings,
        ];
        return this.#record(admission, owner, { decision: 'allow', reason: '', warnings });
      }
    }
  }

  async #record(
    { ticket: given }: Extract<Admission, { type: 'admitted' | 'asked' }>,
    owner: ProcessIdentity | undefined,
    answer: Pick<ForeignDecision, 'reason' | 'warnings'> & { readonly decision: 'allow' | 'ask' },
  ): Promise<ForeignDecision> {
    const { calls, clock, redactor } = this.#parts;
    const { id: ticket, call, checkpoint, entry } = given;
    const stored = await calls.put({
      ticket,
      call: { ...call, args: redactedArgs(redactor, call.args) },
      state: answer.decision === 'ask' ? 'awaiting_approval' : 'running',
      openedAt: clock.now(),
      checkpoint,
      entry,
      ...(owner === undefined ? {} : { owner }),
    });
    await calls.sweep();
    const warnings = [...answer.warnings];
    if (stored.ok) return { ...answer, toolInput: call.args, ticket, warnings };
    if (call.effect !== 'none') {
      const message = `a call that cannot be recorded does not run: ${stored.message}`;
      const ended = await this.#gateWith(this.#parts.remembered).withdraw(given, { by: 'journal', message });
      return blocked(call.args, message, [...warnings, ...ended]);
    }
    if (checkpoint !== '') await this.#parts.gate.checkpoints?.after(checkpoint);
    const unrecorded = `The call goes on unrecorded: ${stored.message}`;
    return { ...answer, toolInput: call.args, ticket: '', warnings: [...warnings, unrecorded] };
  }

  #ended(
    { call, openedAt, checkpoint, entry }: OpenCall,
    { status, result, errorType }: ForeignOutcome,
  ): EndedCall {
    const capped = textOf(capResult({ status: 'ok', result }));
    return {
      call,
      status,
      result: capped,
      ...(errorType === undefined ? {} : { errorType }),
      ...(status === 'ok' ? {} : { errorMessage: capped }),
      durationMs: Math.max(0, this.#parts.clock.now() - openedAt),
      checkpoint,
      entry,
    };
  }
}

/** An open call, and how it was found when not by an id. */
interface NamedCall {
  readonly open: OpenCall;
  readonly pairing?: 'name' | 'name-fifo';
}

interface Decided {
  readonly foreign: ForeignCall;
  readonly refusal: string | undefined;
  readonly owner: ProcessIdentity | undefined;
  readonly ownerWarnings: readonly string[];
}

/** The question a ticket stands for, as far as it is one of this session. */
function questionOf(returned: ReturnedTicket | undefined, sessionId: string): EarlierQuestion | undefined {
  const open = returned?.open;
  if (open?.state !== 'awaiting_approval' || open.call.sessionId !== sessionId) return undefined;
  return { fingerprint: open.call.fingerprint, entry: open.entry };
}

/** The call with its final arguments; undefined when it never was one. */
function callOf(admission: Admission): ToolCall | undefined {
  if (admission.type === 'invalid') return undefined;
  return admission.type === 'refused' ? admission.call : admission.ticket.call;
}

function ownerOf(pid: number | undefined): {
  readonly owner: ProcessIdentity | undefined;
  readonly warnings: readonly string[];
} {
  const named = pid === undefined ? undefined : processIdentity(pid);
  if (pid === undefined || named !== undefined) return { owner: named ?? findOwner(), warnings: [] };
  const owner = findOwner();
  const instead =
    owner === undefined ? 'the call has no owner' : `process ${String(owner.pid)} owns the call`;
  return { owner, warnings: [`"owner_pid" ${String(pid)} is no process that can be seen here; ${instead}.`] };
}

function blocked(toolInput: JsonValue, reason: string, warnings: readonly string[]): ForeignDecision {
  return { decision: 'block', reason, toolInput, ticket: '', warnings };
}

function redactedArgs(redactor: Redactor, args: JsonObject): JsonObject {
  const redacted = redactor.value(args);
  return isJsonObject(redacted) ? redacted : {};
}
