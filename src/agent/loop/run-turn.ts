import { type CallReport, type Gate, performCall } from '../../gate/index.ts';
import type { Result } from '../../kernel/errors/index.ts';
import type { EventName, EventPayload } from '../../kernel/events/index.ts';
import type { CallOrigin } from '../../kernel/tool-call/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import type { CallbackRegistry } from '../../safety/hooks/index.ts';
import { type CompressionSettings, isOverThreshold } from '../compression/index.ts';
import { type ChatModel, estimateTokens, type TokenUsage } from '../llm/index.ts';
import { type Message, type RequestedCall, repairMessages } from '../sessions/index.ts';
import type { ToolBox } from '../tools/index.ts';
import { compressConversation } from './compress-conversation.ts';
import type { Conversation } from './conversation.ts';
import { historyOf } from './history.ts';
import { requestReply } from './request-reply.ts';
import type { TurnEnd, TurnEvent, TurnResult } from './turn-event.ts';
import { Verification } from './verification.ts';

/** What a turn of the agent needs. */
export interface AgentParts {
  readonly model: ChatModel;
  readonly gate: Gate;
  readonly toolBox: ToolBox;
  readonly callbacks: CallbackRegistry;
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
  readonly system: string;
  /** Absolute path. */
  readonly cwd: string;
  readonly surface: string;
  /** Model requests one turn may make. */
  readonly maxIterations: number;
  /** Commands that must succeed before a turn that edited files may end. */
  readonly verify: readonly string[];
  readonly maxVerifyNudges: number;
  readonly compression: CompressionSettings;
}

export interface TurnOptions {
  readonly conversation: Conversation;
  /** What the person wrote. */
  readonly text: string;
  readonly signal: AbortSignal;
  readonly onEvent: (event: TurnEvent) => void;
}

/**
 * Runs one turn: the person's message, model requests and tool calls in turn, until the model answers without a call.
 *
 * Everything is stored when it exists: an assistant message before the first of its calls runs, a result as soon as
 * it is there. Never rejects for what the model, a tool or a hook does; the result says how the turn ended. Rejects
 * with a `HermaError` when the session cannot be stored (a full disk): then nothing further was started.
 */
export async function runTurn(parts: AgentParts, options: TurnOptions): Promise<TurnResult> {
  return await new Turn(parts, options).run();
}

class Turn {
  readonly #parts: AgentParts;
  readonly #options: TurnOptions;
  readonly #turnId: string;
  readonly #verification: Verification;
  readonly #reports = new Map<number, CallReport>();
  readonly #callIds = new Set<string>();
  #requests = 0;
  #usage: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  #capped = false;

  constructor(parts: AgentParts, options: TurnOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#turnId = parts.newId('turn');
    this.#verification = new Verification({ commands: parts.verify, maxNudges: parts.maxVerifyNudges });
  }

  async run(): Promise<TurnResult> {
    await this.#begin();
    const result = await this.#iterate();
    await this.#finish(result);
    return result;
  }

  async #begin(): Promise<void> {
    const { conversation, text } = this.#options;
    const isFirstTurn = conversation.messages.length === 0;
    if (isFirstTurn) await this.#observe('on_session_start', this.#sessionFields());
    await this.#compressIfLarge();
    const { texts, warnings } = await this.#parts.callbacks.inject(
      'pre_llm_call',
      {
        ...this.#turnFields(),
        userMessage: text,
        conversationHistory: historyOf(conversation.messages),
        isFirstTurn,
        ...(conversation.parentSessionId === undefined
          ? {}
          : { parentSessionId: conversation.parentSessionId }),
      },
      this.#options.signal,
    );
    this.#warn(warnings);
    const context = texts.join('\n\n');
    conversation.append({ role: 'user', text, ...(context === '' ? {} : { context }) }, this.#turnId);
  }

  async #iterate(): Promise<TurnResult> {
    let lastAnswer = '';
    let compressedForLength = false;
    while (this.#requests < this.#parts.maxIterations) {
      if (this.#options.signal.aborted) return this.#result('interrupted', lastAnswer);
      const reply = await this.#request();
      if (!reply.ok) {
        const { failure, partial } = reply;
        if (failure.code === 'context_too_long' && !compressedForLength && (await this.#compress()).ok) {
          compressedForLength = true;
          continue;
        }
        if (partial !== '')
          this.#options.conversation.append({ role: 'assistant', text: partial, calls: [] }, this.#turnId);
        if (failure.code === 'cancelled') return this.#result('interrupted', partial || lastAnswer);
        return { ...this.#result('failed', partial || lastAnswer), failure };
      }
      if (reply.calls.length === 0) {
        const ended = await this.#stop(reply.text);
        if (ended !== undefined) return ended;
        lastAnswer = reply.text;
        continue;
      }
      await this.#runCalls(reply.text, reply.calls);
      if (reply.text !== '') lastAnswer = reply.text;
      if (!this.#options.signal.aborted) await this.#compressIfLarge();
    }
    this.#capped = true;
    this.#warn([`The turn was ended after ${String(this.#requests)} model requests (agent.max_iterations).`]);
    return this.#result('iteration_limit', lastAnswer);
  }

  async #request(): ReturnType<typeof requestReply> {
    const { model, toolBox, callbacks, clock, newId, system, surface } = this.#parts;
    const { conversation, signal, onEvent } = this.#options;
    this.#requests += 1;
    const reply = await requestReply({
      model,
      callbacks,
      clock,
      onEvent,
      request: { system, messages: this.#repaired(), tools: toolBox.declarations(), signal },
      fields: {
        ...this.#turnFields(),
        apiRequestId: newId('req'),
        apiCallCount: this.#requests,
        platform: surface,
        sessionId: conversation.sessionId,
      },
    });
    if (reply.ok) {
      this.#usage = {
        inputTokens: this.#usage.inputTokens + reply.usage.inputTokens,
        outputTokens: this.#usage.outputTokens + reply.usage.outputTokens,
      };
      conversation.noteInputTokens(reply.usage.inputTokens);
    }
    return reply;
  }

  /** Runs the calls of one message side by side; each result is stored when it is there. */
  async #runCalls(text: string, requested: readonly RequestedCall[]): Promise<void> {
    const { conversation, onEvent } = this.#options;
    const calls = requested.map((call) => ({ ...call, callId: this.#uniqueCallId(call.callId) }));
    const ordinalBase = this.#callIds.size - calls.length;
    conversation.append({ role: 'assistant', text, calls }, this.#turnId);
    onEvent({ type: 'message-completed', text, final: false });
    const settled = await Promise.allSettled(
      calls.map(async (call, index) => await this.#runAndStore(call, ordinalBase + index)),
    );
    for (const outcome of settled) if (outcome.status === 'rejected') throw outcome.reason;
  }

  async #runAndStore(call: RequestedCall, ordinal: number): Promise<void> {
    const { conversation, onEvent } = this.#options;
    const report = await this.#runCall(call, ordinal);
    const { callId, tool } = call;
    conversation.append(
      { role: 'tool', callId, tool, text: report.text, status: report.status },
      this.#turnId,
    );
    this.#reports.set(ordinal, report);
    this.#verification.note(report);
    onEvent({ type: 'call-finished', report });
    this.#warn(report.warnings);
  }

  async #runCall(call: RequestedCall, ordinal: number): Promise<CallReport> {
    const { gate, toolBox, clock } = this.#parts;
    const { signal, onEvent } = this.#options;
    if (call.args === null) return unreadableCall(call);
    return await performCall(
      {
        ...this.#ids(call.callId, ordinal),
        tool: call.tool,
        args: call.args,
        cwd: this.#parts.cwd,
        origin: this.#origin(),
      },
      {
        gate,
        clock,
        signal,
        toolOf: (name) => toolBox.lookup(name),
        onStart: (started) => onEvent({ type: 'call-started', call: started }),
        onProgress: (progress) => onEvent({ type: 'call-progress', callId: call.callId, text: progress }),
      },
    );
  }

  /** The stop gate: undefined when the model is sent on. */
  async #stop(text: string): Promise<TurnResult | undefined> {
    const { conversation, onEvent, signal } = this.#options;
    const failures = await this.#verification.run({
      onEvent,
      perform: async (command, attempt) =>
        await this.#runCall(
          { callId: `verify_${String(attempt)}`, tool: 'terminal', args: { command } },
          this.#callIds.size + attempt,
        ),
    });
    if (signal.aborted) return this.#result('interrupted', text);
    if (failures !== undefined && this.#verification.mayNudge()) {
      conversation.append({ role: 'assistant', text, calls: [], pushedBack: true }, this.#turnId);
      conversation.append({ role: 'user', text: failures, synthetic: 'verification_required' }, this.#turnId);
      return undefined;
    }
    if (failures !== undefined) {
      this.#capped = true;
      this.#warn([
        `Verification still fails after ${String(this.#parts.maxVerifyNudges)} attempts; the answer is given as it is.`,
      ]);
    }
    const answer = await this.#transformAnswer(text);
    conversation.append({ role: 'assistant', text: answer, calls: [] }, this.#turnId);
    onEvent({ type: 'message-completed', text: answer, final: true });
    return this.#result('completed', answer);
  }

  async #transformAnswer(text: string): Promise<string> {
    if (text === '') return text;
    const fields = this.#sessionFields();
    const { text: transformed, warnings } = await this.#parts.callbacks.transform(
      'transform_llm_output',
      (responseText) => ({ ...fields, responseText }),
      text,
      this.#options.signal,
    );
    this.#warn(warnings);
    return transformed === '' ? text : transformed;
  }

  async #finish(result: TurnResult): Promise<void> {
    const { conversation, text } = this.#options;
    if (result.end === 'completed' && result.final !== '') {
      await this.#observe('post_llm_call', {
        ...this.#turnFields(),
        userMessage: text,
        assistantResponse: result.final,
        conversationHistory: historyOf(conversation.messages),
      });
    }
    await this.#observe('on_session_end', {
      ...this.#turnFields(),
      completed: result.end === 'completed',
      failed: result.end === 'failed',
      interrupted: result.end === 'interrupted',
      turnExitReason: result.failure?.code ?? result.end,
    });
  }

  async #compressIfLarge(): Promise<void> {
    const { model, compression } = this.#parts;
    const { conversation } = this.#options;
    const tokens = Math.max(conversation.inputTokens, estimateTokens(conversation.messages));
    if (isOverThreshold(tokens, model, compression)) await this.#compress();
  }

  /** Condenses the history; only called while no call is open. A failure leaves it as it was. */
  async #compress(): Promise<Result<number>> {
    const { conversation, onEvent } = this.#options;
    const before = conversation.messages.length;
    const done = await compressConversation(this.#parts, conversation, this.#options.signal);
    if (done.ok) onEvent({ type: 'compressed', before, after: done.value });
    else if (done.code !== 'nothing_to_compress')
      this.#warn([`The history could not be condensed and stays as it is: ${done.message}`]);
    return done;
  }

  #repaired(): readonly Message[] {
    return repairMessages(this.#options.conversation.messages, { effectOf: this.#parts.toolBox.effectOf });
  }

  #uniqueCallId(callId: string): string {
    const id = this.#callIds.has(callId) || callId === '' ? this.#parts.newId('call') : callId;
    this.#callIds.add(id);
    return id;
  }

  #ids(
    callId: string,
    ordinal: number,
  ): {
    callId: string;
    ordinal: number;
    turnId: string;
    sessionId: string;
    rootSessionId: string;
    parentSessionId?: string;
  } {
    const { sessionId, rootSessionId, parentSessionId } = this.#options.conversation;
    const ids = { callId, ordinal, turnId: this.#turnId, sessionId, rootSessionId };
    return parentSessionId === undefined ? ids : { ...ids, parentSessionId };
  }

  #origin(): CallOrigin {
    return { kind: 'herma', surface: this.#parts.surface };
  }

  #sessionFields(): { sessionId: string; model: string; platform: string } {
    const { model, surface } = this.#parts;
    return { sessionId: this.#options.conversation.sessionId, model: model.model, platform: surface };
  }

  #turnFields(): { sessionId: string; model: string; platform: string; turnId: string } {
    return { ...this.#sessionFields(), turnId: this.#turnId };
  }

  #result(end: TurnEnd, final: string): TurnResult {
    return {
      end,
      final,
      turnId: this.#turnId,
      requests: this.#requests,
      capped: this.#capped,
      calls: [...this.#reports].sort(([a], [b]) => a - b).map(([, report]) => report),
      usage: this.#usage,
    };
  }

  /** Observers of the turn's ends are told even when the person interrupted it. */
  async #observe<E extends EventName>(event: E, payload: EventPayload<E>): Promise<void> {
    this.#warn(await this.#parts.callbacks.observe(event, payload, new AbortController().signal));
  }

  #warn(lines: readonly string[]): void {
    for (const text of lines) this.#options.onEvent({ type: 'warning', text });
  }
}

/** A call whose arguments are no JSON object: it cannot run, and the model is shown what arrived. */
function unreadableCall({ callId, tool, rawArgs = '' }: RequestedCall): CallReport {
  const message = `The arguments of ${tool} are not a JSON object: ${JSON.stringify(rawArgs.slice(0, 200))}. Call it again with valid JSON.`;
  return {
    callId,
    tool,
    args: null,
    status: 'error',
    executed: false,
    text: message,
    message,
    errorType: 'bad_arguments',
    durationMs: 0,
    warnings: [],
  };
}
