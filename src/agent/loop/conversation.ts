import { type Result, succeed, valueOrThrow } from '../../kernel/errors/index.ts';
import { estimateTokens } from '../llm/index.ts';
import type {
  Message,
  NewSession,
  RepairOptions,
  Session,
  SessionStore,
  TurnMessage,
} from '../sessions/index.ts';
import { RepairedHistory } from './repaired-history.ts';

/**
 * One session as the loop works on it: its messages in memory, each of them stored before {@link append} returns.
 * Appending costs the same however long the conversation is.
 *
 * Storage faults (a full disk, a damaged file) are thrown as `HermaError`: nothing may go on that is not stored.
 */
export class Conversation {
  /** The session that delegated to the lineage of this one. */
  readonly parentSessionId: string | undefined;
  readonly #store: SessionStore;
  #session: Session;
  #entries: TurnMessage[];
  #messages: Message[];
  #repaired = new RepairedHistory();
  #estimatedTokens: number;
  #counted: { readonly tokens: number; readonly estimatedThen: number } | undefined;

  private constructor(
    store: SessionStore,
    lineage: { readonly session: Session; readonly parentSessionId: string | undefined },
    entries: readonly TurnMessage[],
  ) {
    this.#store = store;
    this.#session = lineage.session;
    this.parentSessionId = lineage.parentSessionId;
    this.#entries = [...entries];
    this.#messages = entries.map(({ message }) => message);
    this.#estimatedTokens = estimateTokens(this.#messages);
  }

  static start(store: SessionStore, session: NewSession): Result<Conversation> {
    const created = store.create(session);
    if (!created.ok) return created;
    const { parentSessionId } = created.value;
    return succeed(new Conversation(store, { session: created.value, parentSessionId }, []));
  }

  /**
   * Takes up a stored session where it was left. Calls without a result are answered truthfully, and that is stored.
   */
  static resume(store: SessionStore, sessionId: string, options: RepairOptions): Result<Conversation> {
    const session = store.currentOf(sessionId);
    if (!session.ok) return session;
    const root = store.get(session.value.rootSessionId);
    if (!root.ok) return root;
    const messages = store.repair(session.value.id, options);
    if (!messages.ok) return messages;
    const { parentSessionId } = root.value;
    return succeed(new Conversation(store, { session: session.value, parentSessionId }, messages.value));
  }

  get sessionId(): string {
    return this.#session.id;
  }

  get rootSessionId(): string {
    return this.#session.rootSessionId;
  }

  /** All messages, as they were stored. The list grows with the conversation: copy it to keep it. */
  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** All messages as they can be sent to a model: every call answered once, ids unique. */
  repaired(options: RepairOptions): readonly Message[] {
    return this.#repaired.of(this.#messages, options);
  }

  /**
   * The tokens of a request now: what the provider counted for the last one with an estimate of what came after, and
   * at least an estimate of all messages, since not every provider counts what it has cached.
   */
  get tokens(): number {
    if (this.#counted === undefined) return this.#estimatedTokens;
    const grown = this.#counted.tokens + this.#estimatedTokens - this.#counted.estimatedThen;
    return Math.max(grown, this.#estimatedTokens);
  }

  /** Takes note of what the provider counted for all messages there are; 0 where it does not say. */
  noteInputTokens(tokens: number): void {
    this.#counted = tokens === 0 ? undefined : { tokens, estimatedThen: this.#estimatedTokens };
  }

  append(message: Message, turnId: string): void {
    valueOrThrow(this.#store.append(this.#session.id, message, turnId));
    this.#entries.push({ message, turnId });
    this.#messages.push(message);
    this.#estimatedTokens += estimateTokens([message]);
  }

  /** Moves to a new session of the same lineage that begins with `messages`. On failure everything is as it was. */
  continueWith(messages: readonly Message[]): Result<undefined> {
    const entries = this.#withTurns(messages);
    const continued = this.#store.startContinuation(this.#session.id, {
      reason: 'compression',
      messages: entries,
    });
    if (!continued.ok) return continued;
    this.#session = continued.value;
    this.#entries = [...entries];
    this.#messages = [...messages];
    this.#repaired = new RepairedHistory();
    this.#estimatedTokens = estimateTokens(messages);
    this.#counted = undefined;
    return succeed(undefined);
  }

  /**
   * Takes that turn and all that came after it out of the conversation: it is as before the turn began. Fails with
   * `no_such_turn` when the turn is not in it (any more); then everything is as it was.
   */
  rewindToTurn(turnId: string): Result<{ readonly removedMessages: number }> {
    const rewound = this.#store.rewindToTurn(this.#session.id, turnId);
    if (!rewound.ok) return rewound;
    const first = this.#entries.findIndex((entry) => entry.turnId === turnId);
    this.#entries = this.#entries.slice(0, Math.max(0, first));
    this.#messages = this.#entries.map(({ message }) => message);
    this.#repaired = new RepairedHistory();
    this.#estimatedTokens = estimateTokens(this.#messages);
    this.#counted = undefined;
    return rewound;
  }

  /** What was not in the conversation so far belongs to the turn of the message before it. */
  #withTurns(messages: readonly Message[]): readonly TurnMessage[] {
    const known = new Map(this.#entries.map((entry) => [entry.message, entry]));
    let turnId = this.#entries[0]?.turnId ?? '';
    return messages.map((message) => {
      const entry = known.get(message);
      turnId = entry?.turnId ?? turnId;
      return entry ?? { message, turnId };
    });
  }
}
