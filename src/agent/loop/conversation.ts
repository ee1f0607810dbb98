import { type Result, succeed, valueOrThrow } from '../../kernel/errors/index.ts';
import type {
  Message,
  NewSession,
  RepairOptions,
  Session,
  SessionStore,
  TurnMessage,
} from '../sessions/index.ts';

/**
 * One session as the loop works on it: its messages in memory, each of them stored before {@link append} returns.
 *
 * Storage faults (a full disk, a damaged file) are thrown as `HermaError`: nothing may go on that is not stored.
 */
export class Conversation {
  readonly #store: SessionStore;
  #session: Session;
  #entries: TurnMessage[];
  #inputTokens = 0;

  private constructor(store: SessionStore, session: Session, entries: readonly TurnMessage[]) {
    this.#store = store;
    this.#session = session;
    this.#entries = [...entries];
  }

  static start(store: SessionStore, session: NewSession): Result<Conversation> {
    const created = store.create(session);
    return created.ok ? succeed(new Conversation(store, created.value, [])) : created;
  }

  /**
   * Takes up a stored session where it was left. Calls without a result are answered truthfully, and that is stored.
   */
  static resume(store: SessionStore, sessionId: string, options: RepairOptions): Result<Conversation> {
    const session = store.currentOf(sessionId);
    if (!session.ok) return session;
    const messages = store.repair(session.value.id, options);
    return messages.ok ? succeed(new Conversation(store, session.value, messages.value)) : messages;
  }

  get sessionId(): string {
    return this.#session.id;
  }

  get rootSessionId(): string {
    return this.#session.rootSessionId;
  }

  get parentSessionId(): string | undefined {
    return this.#session.parentSessionId;
  }

  get messages(): readonly Message[] {
    return this.#entries.map(({ message }) => message);
  }

  /** Tokens of the last request, as the provider counted them; 0 before the first and after a compression. */
  get inputTokens(): number {
    return this.#inputTokens;
  }

  noteInputTokens(tokens: number): void {
    this.#inputTokens = tokens;
  }

  append(message: Message, turnId: string): void {
    valueOrThrow(this.#store.append(this.#session.id, message, turnId));
    this.#entries.push({ message, turnId });
  }

  /** Moves to a new session of the same lineage that begins with `messages`. On failure everything is as it was. */
  continueWith(messages: readonly Message[]): Result<undefined> {
    const turnOf = new Map(this.#entries.map(({ message, turnId }) => [message, turnId]));
    const lastTurn = this.#entries.at(-1)?.turnId ?? '';
    const entries = messages.map((message) => ({ message, turnId: turnOf.get(message) ?? lastTurn }));
    const continued = this.#store.startContinuation(this.#session.id, {
      reason: 'compression',
      messages: entries,
    });
    if (!continued.ok) return continued;
    this.#session = continued.value;
    this.#entries = entries;
    this.#inputTokens = 0;
    return succeed(undefined);
  }
}
