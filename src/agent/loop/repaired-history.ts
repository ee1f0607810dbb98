import { type Message, type RepairOptions, repairMessages } from '../sessions/index.ts';

/** Stands for all that came before, so that a later part is not taken for a beginning. */
const EARLIER: Message = { role: 'user', text: '' };

/**
 * A list of messages that grows at its end, as it can be sent to a model: the same as `repairMessages` of all of it, at
 * the cost of what was added since the last time. What was added is repaired by itself where it has nothing to do with
 * what came before: its results answer its own calls, and its ids are new. Otherwise all of it is.
 */
export class RepairedHistory {
  #repaired: readonly Message[] = [];
  #callIds = new Set<string>();
  #count = 0;

  /** @param messages the list of the last time, with or without more behind it. */
  of(messages: readonly Message[], options: RepairOptions): readonly Message[] {
    const added = messages.slice(this.#count);
    if (added.length === 0) return this.#repaired;
    const isBegun = this.#count > 0 && messages[0]?.role === 'user';
    const repaired = isBegun ? this.#alone(added, options) : undefined;
    if (repaired === undefined) {
      this.#repaired = repairMessages(messages, options);
      this.#callIds = new Set(this.#repaired.flatMap(callIdsOf));
    } else {
      this.#repaired = [...this.#repaired, ...repaired];
      for (const callId of repaired.flatMap(callIdsOf)) this.#callIds.add(callId);
    }
    this.#count = messages.length;
    return this.#repaired;
  }

  /** What was added, repaired by itself; undefined when that would not be what repairing all of it makes of it. */
  #alone(added: readonly Message[], options: RepairOptions): readonly Message[] | undefined {
    const own = new Set(added.flatMap(callIdsOf));
    const isForeign = (message: Message): boolean => message.role === 'tool' && !own.has(message.callId);
    if (added.some(isForeign)) return undefined;
    const [, ...repaired] = repairMessages([EARLIER, ...added], options);
    const ids = [...own, ...repaired.flatMap(callIdsOf)];
    return ids.some((callId) => this.#callIds.has(callId)) ? undefined : repaired;
  }
}

function callIdsOf(message: Message): readonly string[] {
  return message.role === 'assistant' ? message.calls.map(({ callId }) => callId) : [];
}
