import { messageOf } from '../../kernel/errors/index.ts';
import type { EventPayload } from '../../kernel/events/index.ts';
import type { ToolCall } from '../../kernel/tool-call/index.ts';
import { type Clock, within } from '../../platform/clock/index.ts';
import type { CallbackRegistry } from '../../safety/hooks/index.ts';
import { ruleOf } from './approval-record.ts';
import type { ApprovalStore } from './approval-store.ts';
import {
  APPROVAL_SCOPES,
  type ApprovalAnswer,
  type ApprovalRequest,
  type ApprovalScope,
  type Approver,
} from './approver.ts';

/** Shows a request to a person and waits for the answer. `signal` is aborted when the wait is over. */
export type ApprovalPrompt = (
  request: ApprovalRequest,
  signal: AbortSignal,
) => Promise<ApprovalScope | 'deny'>;

export interface PersonApproverParts {
  /** Absent when nobody is there to ask. */
  readonly prompt?: ApprovalPrompt;
  /** Answers every question with once, without asking. Lifts no block: those never come here. */
  readonly yolo: boolean;
  readonly store: ApprovalStore;
  /** Canonical path of the project that a directory belongs to. */
  readonly projectOf: (cwd: string) => string;
  /** One line that tells a person what would run. */
  readonly describe: (call: ToolCall) => string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly callbacks: CallbackRegistry;
  readonly surface: string;
  readonly onWarning: (text: string) => void;
}

type ApprovalPayload = EventPayload<'pre_approval_request'>;

/**
 * Asks a person, one question at a time, and remembers what was said for longer than once.
 *
 * Fails closed: silence, a broken prompt, an answer that is none, an unreadable memory and nobody to ask are all a no.
 */
export class PersonApprover implements Approver {
  readonly #parts: PersonApproverParts;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(parts: PersonApproverParts) {
    this.#parts = parts;
  }

  /** Rejects as soon as `signal` is aborted, also while other questions are before this one. */
  async decide(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    const turn = this.#queue.then(async () => this.#decideAlone(request, signal));
    this.#queue = turn.catch(() => undefined);
    const answer = await within(this.#parts.clock, null, signal, async () => turn);
    if (!answer.inTime) throw new Error('a wait without a limit ended without an answer');
    return answer.value;
  }

  async #decideAlone(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    const { prompt, yolo, store, projectOf, onWarning } = this.#parts;
    signal.throwIfAborted();
    const { call } = request;
    const rule = ruleOf(call, request.ruleKey);
    const project = projectOf(call.cwd);
    const remembered = await store.find(call, rule, project);
    if (!remembered.ok) onWarning(`${remembered.message} ${remembered.remedy ?? ''}`.trim());
    else if (remembered.value !== undefined) {
      return {
        type: 'approved',
        choice: remembered.value.sessionId === undefined ? 'always' : 'session',
        remembered: true,
      };
    }
    if (yolo) return { type: 'approved', choice: 'once', remembered: false, isUnasked: true };
    if (prompt === undefined) return unattended(request);
    const choice = await this.#ask(prompt, request, signal);
    if (choice.type === 'approved' && choice.choice !== 'once') {
      const kept = await store.remember({
        call,
        rule,
        project,
        scope: choice.choice,
        shown: this.#parts.describe(call),
      });
      if (!kept.ok) onWarning(`The answer holds this once only: ${kept.message}`);
    }
    return choice;
  }

  async #ask(prompt: ApprovalPrompt, request: ApprovalRequest, signal: AbortSignal): Promise<PersonsAnswer> {
    const { clock, timeoutMs, callbacks, onWarning } = this.#parts;
    const payload = (): ApprovalPayload => this.#payload(request);
    for (const line of await callbacks.observe('pre_approval_request', payload, signal)) onWarning(line);
    const answer = await this.#promptInTime(prompt, request, signal, { clock, timeoutMs });
    for (const line of await callbacks.observe(
      'post_approval_response',
      () => ({ ...payload(), choice: choiceFor(answer) }),
      signal,
    )) {
      onWarning(line);
    }
    return answer;
  }

  async #promptInTime(
    prompt: ApprovalPrompt,
    request: ApprovalRequest,
    signal: AbortSignal,
    { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
  ): Promise<PersonsAnswer> {
    try {
      const answer = await within(clock, timeoutMs, signal, async (limited) => prompt(request, limited));
      if (!answer.inTime) {
        const message = `${request.message}; nobody answered within ${String(timeoutMs / 1000)} s, so it did not run.`;
        return { type: 'refused', choice: 'timeout', message };
      }
      return this.#read(answer.value, request);
    } catch (error) {
      signal.throwIfAborted();
      return {
        type: 'refused',
        choice: 'cancelled',
        message: `${request.message}; the question could not be asked: ${messageOf(error)}`,
      };
    }
  }

  /** Prompts are written by others too: what is no scope is no yes. */
  #read(choice: ApprovalScope | 'deny', { message }: ApprovalRequest): PersonsAnswer {
    if (choice === 'deny')
      return { type: 'refused', choice: 'deny', message: `${message}; the person said no.` };
    if (!APPROVAL_SCOPES.includes(choice)) throw new Error(`"${String(choice)}" is no answer`);
    return { type: 'approved', choice, remembered: false };
  }

  #payload({ call, message, ruleKey }: ApprovalRequest): ApprovalPayload {
    const { describe, surface } = this.#parts;
    return {
      command: describe(call),
      description: message,
      patternKey: ruleOf(call, ruleKey),
      sessionKey: call.sessionId,
      surface,
      turnId: call.turnId,
      toolCallId: call.callId,
    };
  }
}

type PersonsAnswer = Exclude<ApprovalAnswer, { type: 'deferred' }>;

function choiceFor(answer: PersonsAnswer): ApprovalScope | 'deny' | 'timeout' | 'cancelled' {
  if (answer.type === 'approved') return answer.choice;
  return answer.choice === 'unattended' ? 'cancelled' : answer.choice;
}

function unattended({ message }: ApprovalRequest): ApprovalAnswer {
  return {
    type: 'refused',
    choice: 'unattended',
    message: `${message}, and nobody is here to ask. Run it in a terminal (herma chat), or approve it there for longer first.`,
  };
}
