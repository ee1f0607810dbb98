import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json/index.ts';
import type { Redactor } from '../../kernel/redact/index.ts';
import type { ToolCall } from '../../kernel/tool-call/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import { findOwner, processIdentity } from '../../platform/process/index.ts';
import type { CallbackRegistry } from '../../safety/hooks/index.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../approval/approver.ts';
import { Gate, type GateParts } from '../gate.ts';
import type { ForeignCall, ForeignOutcome } from './foreign-payload.ts';
import type { OpenCallStore } from './open-call-store.ts';

/** What the other program is to do. `ask` may be answered by its own person; the call then runs on the same ticket. */
export interface ForeignDecision {
  readonly decision: 'allow' | 'block' | 'ask';
  readonly reason: string;
  /** The arguments the call is to run with. */
  readonly toolInput: JsonValue;
  /** Empty when the call is blocked. */
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
}

/**
 * The gate for a program that runs its tools itself: `before` and `after` come from two processes.
 *
 * Fails closed: a call that has an effect and cannot be recorded is blocked; only a read may go on unrecorded.
 */
export class ForeignGate {
  readonly #parts: ForeignGateParts;

  constructor(parts: ForeignGateParts) {
    this.#parts = parts;
  }

  async before(foreign: ForeignCall, signal: AbortSignal): Promise<Result<ForeignDecision>> {
    const { calls, agent } = this.#parts;
    const approved = foreign.approved === undefined ? undefined : await calls.get(foreign.approved);
    if (approved?.ok === false) return approved;
    if (approved?.value.state === 'running') {
      return fail(
        'not_awaiting_approval',
        `The ticket "${approved.value.ticket}" was no question.`,
        'Pass the ticket of an earlier "ask".',
      );
    }
    const gate = this.#gateFor(approved?.value.call);
    const admission = await gate.before(
      {
        tool: foreign.tool,
        args: foreign.args,
        callId: foreign.callId,
        sessionId: foreign.sessionId,
        rootSessionId: foreign.sessionId,
        turnId: foreign.turnId,
        ordinal: 0,
        cwd: foreign.cwd,
        origin: { kind: 'foreign', agent },
      },
      signal,
    );
    switch (admission.type) {
      case 'invalid':
        return succeed({
          decision: 'block',
          reason: admission.failure.message,
          toolInput: foreign.args,
          ticket: '',
          warnings: [],
        });
      case 'refused':
        return succeed(
          blocked(admission.call.args, `${admission.by}: ${admission.message}`, admission.warnings),
        );
      case 'asked':
      case 'admitted': {
        const { ticket, warnings } = admission;
        if (approved !== undefined) await calls.remove(approved.value.ticket);
        const isAsk = admission.type === 'asked';
        const decision: ForeignDecision = {
          decision: isAsk ? 'ask' : 'allow',
          reason: isAsk ? admission.message : '',
          toolInput: ticket.call.args,
          ticket: ticket.id,
          warnings,
        };
        return succeed(await this.#record(ticket.call, decision, foreign.ownerPid));
      }
    }
  }

  async after(
    outcome: ForeignOutcome,
    signal: AbortSignal,
  ): Promise<Result<{ readonly warnings: readonly string[] }>> {
    const { calls, clock } = this.#parts;
    const open =
      'ticket' in outcome.call
        ? await calls.get(outcome.call.ticket)
        : await calls.find(outcome.call.callId, outcome.call.sessionId);
    if (!open.ok) return open;
    const { call, openedAt, ticket } = open.value;
    const { status, result, errorType } = outcome;
    const settlement = await this.#gateFor(undefined).after(
      {
        call,
        status,
        result,
        ...(errorType === undefined ? {} : { errorType }),
        ...(status === 'ok' ? {} : { errorMessage: result }),
        durationMs: Math.max(0, clock.now() - openedAt),
      },
      signal,
    );
    await calls.remove(ticket);
    return succeed({ warnings: settlement.warnings });
  }

  /** What hooks want the model of that session to read before its next turn. */
  async context(
    sessionId: string,
    signal: AbortSignal,
  ): Promise<{ readonly context: string; readonly warnings: readonly string[] }> {
    const { callbacks, agent } = this.#parts;
    const { texts, warnings } = await callbacks.inject(
      'pre_llm_call',
      {
        sessionId,
        turnId: '',
        model: '',
        platform: agent,
        userMessage: '',
        conversationHistory: [],
        isFirstTurn: false,
      },
      signal,
    );
    return { context: texts.join('\n\n'), warnings };
  }

  #gateFor(approved: ToolCall | undefined): Gate {
    const { gate, remembered } = this.#parts;
    return new Gate({ ...gate, unknownTools: 'external', approver: foreignApprover(remembered, approved) });
  }

  async #record(
    call: ToolCall,
    decision: ForeignDecision,
    ownerPid: number | undefined,
  ): Promise<ForeignDecision> {
    const { calls, clock, redactor } = this.#parts;
    const owner = ownerPid === undefined ? findOwner() : processIdentity(ownerPid);
    const stored = await calls.put({
      ticket: decision.ticket,
      call: { ...call, args: redactedArgs(redactor, call.args) },
      state: decision.decision === 'ask' ? 'awaiting_approval' : 'running',
      openedAt: clock.now(),
      ...(owner === undefined ? {} : { owner }),
    });
    await calls.sweep();
    if (stored.ok) return decision;
    if (call.effect === 'none')
      return {
        ...decision,
        warnings: [...decision.warnings, `The call goes on unrecorded: ${stored.message}`],
      };
    return blocked(
      call.args,
      `a call that cannot be recorded does not run: ${stored.message}`,
      decision.warnings,
    );
  }
}

/** Approves what was approved already, exactly as it was; passes everything else on to the agent that asks. */
function foreignApprover(remembered: Approver, approved: ToolCall | undefined): Approver {
  return {
    decide: async (request: ApprovalRequest, signal): Promise<ApprovalAnswer> => {
      const { call } = request;
      if (
        approved !== undefined &&
        approved.sessionId === call.sessionId &&
        approved.fingerprint === call.fingerprint
      ) {
        return { type: 'approved', choice: 'once', remembered: true };
      }
      const earlier = await remembered.decide(request, signal);
      return earlier.type === 'approved' ? earlier : { type: 'deferred' };
    },
  };
}

function blocked(toolInput: JsonValue, reason: string, warnings: readonly string[]): ForeignDecision {
  return { decision: 'block', reason, toolInput, ticket: '', warnings };
}

function redactedArgs(redactor: Redactor, args: JsonObject): JsonObject {
  const redacted = redactor.value(args);
  return isJsonObject(redacted) ? redacted : {};
}
