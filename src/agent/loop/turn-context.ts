import type { EventName, EventPayload } from '../../kernel/events/index.ts';
import type { CallIds } from '../../kernel/tool-call/index.ts';
import type { AgentParts } from './agent-parts.ts';
import type { Conversation } from './conversation.ts';
import type { TurnEvent } from './turn-event.ts';

export interface TurnOptions {
  readonly conversation: Conversation;
  /** What the person wrote. */
  readonly text: string;
  /** Interrupts the turn. */
  readonly signal: AbortSignal;
  /** Told of everything that happens, in order. Must not throw. */
  readonly onEvent: (event: TurnEvent) => void;
}

interface SessionFields {
  readonly sessionId: string;
  readonly model: string;
  readonly platform: string;
}

/** What all steps of one turn share: what it runs with, and whom it tells. */
export class TurnContext {
  readonly parts: AgentParts;
  readonly options: TurnOptions;
  readonly turnId: string;

  constructor(parts: AgentParts, options: TurnOptions) {
    this.parts = parts;
    this.options = options;
    this.turnId = parts.newId('turn');
  }

  get isInterrupted(): boolean {
    return this.options.signal.aborted;
  }

  emit(event: TurnEvent): void {
    this.options.onEvent(event);
  }

  warn(lines: readonly string[]): void {
    for (const text of lines) this.emit({ type: 'warning', text });
  }

  /** The session changes when history is condensed, so these are read anew for every event. */
  sessionFields(): SessionFields {
    const { model, surface } = this.parts;
    return { sessionId: this.options.conversation.sessionId, model: model.model, platform: surface };
  }

  turnFields(): SessionFields & { readonly turnId: string } {
    return { ...this.sessionFields(), turnId: this.turnId };
  }

  parentField(): { readonly parentSessionId?: string } {
    const { parentSessionId } = this.options.conversation;
    return parentSessionId === undefined ? {} : { parentSessionId };
  }

  callIds(callId: string, ordinal: number): CallIds {
    const { sessionId, rootSessionId } = this.options.conversation;
    return { callId, ordinal, turnId: this.turnId, sessionId, rootSessionId, ...this.parentField() };
  }

  /** Tells the observers of an event beside the turn, which does not wait for them. */
  post<E extends EventName>(event: E, payload: () => EventPayload<E>): void {
    this.parts.callbacks.post(event, payload, (lines) => this.warn(lines));
  }

  /** Tells the observers of an event, also when the person interrupted the turn: what happened has happened. */
  async observe<E extends EventName>(event: E, payload: () => EventPayload<E>): Promise<void> {
    const { callbacks } = this.parts;
    if (!callbacks.has(event)) return;
    this.warn(await callbacks.observe(event, payload(), new AbortController().signal));
  }
}
