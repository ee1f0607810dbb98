/**
 * Ids of calls as one request sends them: accepted by the provider, and each used once, though ids may repeat from
 * turn to turn and come from another provider. An id that needs no change keeps its form.
 */
export class CallIds {
  readonly #accepted: RegExp;
  readonly #used = new Set<string>();
  /** By how ids begin: the first number that may be free. */
  readonly #nextCount = new Map<string, number>();
  #open: ReadonlyMap<string, string> = new Map();

  /** @param accepted what the provider accepts; must accept `[A-Za-z0-9_-]{1,64}`. */
  constructor(accepted: RegExp) {
    this.#accepted = accepted;
  }

  /** Begins the calls of one message; {@link of} is about them from now on. */
  open(callIds: readonly string[]): void {
    this.#open = new Map(callIds.map((callId) => [callId, this.#claim(callId)]));
  }

  /** The id that is sent for a call of the latest message with calls. */
  of(callId: string): string {
    return this.#open.get(callId) ?? callId;
  }

  #claim(callId: string): string {
    const base = this.#accepted.test(callId) && callId.isWellFormed() ? callId : sanitise(callId);
    let id = base;
    const start = base.slice(0, 56);
    let count = this.#nextCount.get(start) ?? 2;
    for (; this.#used.has(id); count += 1) id = `${start}_${count}`;
    this.#nextCount.set(start, count);
    this.#used.add(id);
    return id;
  }
}

function sanitise(callId: string): string {
  const kept = callId.replace(/[^\w-]/g, '_').slice(0, 56);
  return kept === '' ? 'call' : kept;
}
