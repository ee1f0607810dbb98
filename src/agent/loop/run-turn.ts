import { HermaError, messageOf } from '../../kernel/errors/index.ts';
import { estimateTokens, type TokenUsage } from '../llm/index.ts';
import type { Message } from '../sessions/index.ts';
import type { AgentParts } from './agent-parts.ts';
import { AutoCompression } from './auto-compression.ts';
import { historyOf } from './history.ts';
import { type Reply, requestReply } from './request-reply.ts';
import { StreamTeller } from './stream-teller.ts';
import { TurnCalls } from './turn-calls.ts';
import { TurnContext, type TurnOptions } from './turn-context.ts';
import type { TurnEnd, TurnEvent, TurnResult } from './turn-event.ts';
import { Verification } from './verification.ts';

/**
 * Runs one turn: the person's message, model requests and tool calls in turn, until the model answers without a call.
 *
 * Everything is stored when it exists: an assistant message before the first of its calls runs, a result as soon as
 * it is there. Never rejects for what the model, a tool or a hook does; the result says how the turn ended. Rejects
 * with a `HermaError` when the session cannot be stored (a full disk): then nothing further was started, and all
 * calls that ran have ended.
 */
export async function runTurn(parts: AgentParts, options: TurnOptions): Promise<TurnResult> {
  return new Turn(new TurnContext(parts, options)).run();
}

class Turn {
  readonly #context: TurnContext;
  readonly #verification: Verification;
  readonly #calls: TurnCalls;
  readonly #compression: AutoCompression;
  #requests = 0;
  #usage: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  #capped = false;
  /** The last words of the model that were no failure. */
  #lastAnswer = '';

  constructor(context: TurnContext) {
    const { verify, maxVerifyNudges } = context.parts;
    this.#context = context;
    this.#verification = new Verification({ commands: verify, maxNudges: maxVerifyNudges });
    this.#calls = new TurnCalls(context, (report) => this.#verification.note(report));
    this.#compression = new AutoCompression(context, (usage) => this.#addUsage(usage));
  }

  async run(): Promise<TurnResult> {
    let result: TurnResult;
    try {
      await this.#begin();
      result = await this.#iterate();
    } catch (error) {
      await this.#end('failed', HermaError.isInstance(error) ? error.code : messageOf(error));
      throw error;
    }
    await this.#tellAnswer(result);
    await this.#end(result.end, result.failure?.code ?? result.end);
    return result;
  }

  async #begin(): Promise<void> {
    const context = this.#context;
    const { conversation, text, signal } = context.options;
    const isFirstTurn = conversation.messages.length === 0;
    if (isFirstTurn) await context.observe('on_session_start', () => context.sessionFields());
    await this.#compression.ifLarge(estimateTokens(text));
    const { callbacks } = context.parts;
    const injected = callbacks.has('pre_llm_call')
      ? await callbacks.inject(
          'pre_llm_call',
          {
            ...context.turnFields(),
            ...context.parentField(),
            userMessage: text,
            conversationHistory: historyOf(conversation.messages),
            isFirstTurn,
          },
          signal,
        )
      : { texts: [], warnings: [] };
    if (!signal.aborted) context.warn(injected.warnings);
    const briefed = await this.#brief();
    const added = [...briefed, ...injected.texts].join('\n\n');
    this.#append({ role: 'user', text, ...(added === '' ? {} : { context: added }) });
  }

  /** What the program itself wants the model to know. */
  async #brief(): Promise<readonly string[]> {
    const { parts, options } = this.#context;
    const { conversation } = options;
    const told = conversation.messages.flatMap((message) =>
      message.role === 'user' && message.context !== undefined ? [message.context] : [],
    );
    const briefing = await parts.briefing?.(conversation.rootSessionId, (mark) =>
      told.some((text) => text.includes(mark)),
    );
    if (briefing === undefined) return [];
    this.#context.warn(briefing.warnings);
    return briefing.text === '' ? [] : [briefing.text];
  }

  async #iterate(): Promise<TurnResult> {
    const context = this.#context;
    let mayCompress = true;
    while (this.#requests < context.parts.maxIterations) {
      if (context.isInterrupted) return this.#result('interrupted', this.#lastAnswer);
      const reply = await this.#request();
      if (!reply.ok) {
        const isTooLong = reply.failure.code === 'context_too_long';
        if (!isTooLong || !mayCompress || !(await this.#compression.afterRefusal())) return this.#fail(reply);
        mayCompress = false;
        if (reply.partial !== '') context.emit({ type: 'restarted' });
        continue;
      }
      const ended = await this.#follow(reply);
      if (ended !== undefined) return ended;
    }
    if (context.isInterrupted) return this.#result('interrupted', this.#lastAnswer);
    this.#capped = true;
    context.warn([`The turn was ended after ${this.#requests} model requests (agent.max_iterations).`]);
    return this.#result('iteration_limit', this.#lastAnswer);
  }

  /** Does what a reply asks for; undefined when the model is to be asked again. */
  async #follow({ text, calls, reason }: Extract<Reply, { ok: true }>): Promise<TurnResult | undefined> {
    if (reason === 'length') this.#context.warn(['The reply was cut off at the length limit of the model.']);
    if (reason === 'content-filter')
      this.#context.warn(['The reply was cut off by a content filter of the provider.']);
    if (calls.length === 0) return this.#stop(text);
    if (text !== '') this.#tellInterim(text);
    await this.#calls.run(text, calls);
    if (text !== '') this.#lastAnswer = text;
    if (!this.#context.isInterrupted) await this.#compression.ifLarge();
    return undefined;
  }

  #tellInterim(text: string): void {
    const { sessionId, turnId, model, platform } = this.#context.turnFields();
    this.#context.post('on_interim_message', () => ({
      sessionId,
      turnId,
      model,
      surface: platform,
      iteration: this.#requests,
      text,
      alreadyStreamed: !this.#isHeldBack,
    }));
  }

  /** Ends the turn with a failure; what was streamed of a reply is kept. */
  #fail({ failure, partial }: Extract<Reply, { ok: false }>): TurnResult {
    if (partial !== '') this.#append({ role: 'assistant', text: partial, calls: [] });
    const final = partial === '' ? this.#lastAnswer : partial;
    if (failure.code === 'cancelled') return this.#result('interrupted', final);
    return { ...this.#result('failed', final), failure };
  }

  async #request(): Promise<Reply> {
    const { model, toolBox, callbacks, clock, newId, system } = this.#context.parts;
    const { conversation, signal } = this.#context.options;
    this.#requests += 1;
    const messages = conversation.repaired(toolBox);
    const teller = new StreamTeller(this.#context, this.#requests);
    const reply = await requestReply({
      model,
      callbacks,
      clock,
      onEvent: (event) => this.#passOn(event, teller),
      request: { system, messages, tools: toolBox.declarations(), signal },
      fields: {
        ...this.#context.turnFields(),
        apiRequestId: newId('req'),
        apiCallCount: this.#requests,
      },
    });
    teller.end(reply.ok ? undefined : reply.failure.message);
    if (reply.ok) {
      this.#addUsage(reply.usage);
      conversation.noteInputTokens(reply.usage.inputTokens);
    }
    return reply;
  }

  /** Shows what happens during a request. Text that a hook may still change or push back is not shown as it streams. */
  #passOn(event: TurnEvent, teller: StreamTeller): void {
    if (event.type === 'text-delta') teller.delta(event.text);
    if (event.type === 'restarted') teller.restart();
    const isText = event.type === 'text-delta' || event.type === 'restarted';
    if (!isText || !this.#isHeldBack) this.#context.emit(event);
  }

  get #isHeldBack(): boolean {
    const { callbacks } = this.#context.parts;
    return callbacks.has('transform_llm_output') || callbacks.has('pre_verify');
  }

  /** The stop gate: undefined when the model is sent on. */
  async #stop(text: string): Promise<TurnResult | undefined> {
    const context = this.#context;
    const { signal, onEvent } = context.options;
    const failures = await this.#verification.run({
      signal,
      onEvent,
      perform: async (command, attempt) => this.#calls.runCommand(`verify_${attempt}`, command),
    });
    if (failures !== undefined && !signal.aborted && this.#verification.mayNudge()) {
      this.#append({ role: 'assistant', text, calls: [], pushedBack: true });
      context.emit({ type: 'message-completed', text, final: false });
      this.#append({ role: 'user', text: failures, synthetic: 'verification_required' });
      this.#lastAnswer = text;
      return undefined;
    }
    if (signal.aborted) {
      this.#append({ role: 'assistant', text, calls: [] });
      return this.#result('interrupted', text);
    }
    if (failures !== undefined) this.#giveUpVerifying();
    else if (await this.#isSentOn(text)) return undefined;
    return this.#answer(text);
  }

  /** Asks the hooks whether a turn that edited files is done. What they push back stays in the history, and is not shown. */
  async #isSentOn(text: string): Promise<boolean> {
    const context = this.#context;
    const { parts, options } = context;
    const changedPaths = this.#verification.changedPaths();
    if (changedPaths.length === 0 || !parts.callbacks.has('pre_verify')) return false;
    if (this.#verification.isExhausted) {
      this.#capped ||= parts.maxVerifyNudges > 0;
      return false;
    }
    const { message, warnings } = await parts.callbacks.verify(
      () => ({
        ...context.sessionFields(),
        coding: parts.isCodeProject,
        attempt: this.#verification.nudges,
        finalResponse: text,
        changedPaths: [...changedPaths],
      }),
      options.signal,
    );
    context.warn(warnings);
    if (message === undefined || options.signal.aborted || !this.#verification.mayNudge()) return false;
    this.#append({ role: 'assistant', text, calls: [], pushedBack: true });
    this.#append({ role: 'user', text: message, synthetic: 'verification_required' });
    this.#lastAnswer = text;
    return true;
  }

  #giveUpVerifying(): void {
    this.#capped = true;
    const { maxVerifyNudges } = this.#context.parts;
    this.#context.warn([
      `Verification still fails, and the model was sent on ${maxVerifyNudges} times (agent.max_verify_nudges); the answer is given as it is.`,
    ]);
  }

  async #answer(text: string): Promise<TurnResult> {
    const answer = await this.#transform(text);
    this.#append({ role: 'assistant', text: answer, calls: [] });
    this.#context.emit({ type: 'message-completed', text: answer, final: true });
    if (answer === '') this.#context.warn(['The model answered with nothing.']);
    return this.#result('completed', answer);
  }

  async #transform(text: string): Promise<string> {
    const { callbacks } = this.#context.parts;
    if (text === '' || !callbacks.has('transform_llm_output')) return text;
    const fields = this.#context.sessionFields();
    const { text: transformed, warnings } = await callbacks.transform(
      'transform_llm_output',
      (responseText) => ({ ...fields, responseText }),
      text,
      this.#context.options.signal,
    );
    this.#context.warn(warnings);
    return transformed === '' ? text : transformed;
  }

  async #tellAnswer({ end, final }: TurnResult): Promise<void> {
    if (end !== 'completed' || final === '') return;
    const { conversation, text } = this.#context.options;
    await this.#context.observe('post_llm_call', () => ({
      ...this.#context.turnFields(),
      userMessage: text,
      assistantResponse: final,
      conversationHistory: historyOf(conversation.messages),
    }));
  }

  async #end(end: TurnEnd, turnExitReason: string): Promise<void> {
    await this.#context.observe('on_session_end', () => ({
      ...this.#context.turnFields(),
      completed: end === 'completed',
      failed: end === 'failed',
      interrupted: end === 'interrupted',
      turnExitReason,
    }));
  }

  #append(message: Message): void {
    this.#context.options.conversation.append(message, this.#context.turnId);
  }

  #addUsage({ inputTokens, outputTokens }: TokenUsage): void {
    this.#usage = {
      inputTokens: this.#usage.inputTokens + inputTokens,
      outputTokens: this.#usage.outputTokens + outputTokens,
    };
  }

  #result(end: TurnEnd, final: string): TurnResult {
    return {
      end,
      final,
      turnId: this.#context.turnId,
      requests: this.#requests,
      capped: this.#capped,
      calls: this.#calls.reports(),
      usage: this.#usage,
    };
  }
}
