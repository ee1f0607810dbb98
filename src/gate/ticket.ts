import type { ToolCall } from '../kernel/tool-call/index.ts';

const handedOutByTheGate = Symbol('handed out by the gate');

interface TicketText {
  readonly id: string;
  readonly call: ToolCall;
  readonly checkpoint: string;
  readonly entry: string;
}

/**
 * The right to run one call once, with exactly the arguments it carries. Only {@link Gate.before} hands it out, and
 * no tool runs without it.
 */
export class Ticket {
  readonly id: string;
  readonly call: ToolCall;
  /** Names what was captured before the call; empty when nothing was. */
  readonly checkpoint: string;
  /** Names its row in the journal; empty when it has none. */
  readonly entry: string;
  #redeemed = false;

  constructor(proof: symbol, { id, call, checkpoint, entry }: TicketText) {
    if (proof !== handedOutByTheGate) throw new Error('only the gate hands out tickets');
    this.id = id;
    this.call = call;
    this.checkpoint = checkpoint;
    this.entry = entry;
    Object.freeze(this);
  }

  /** Marks the ticket as used. Throws the second time: one ticket, one run. */
  redeem(): void {
    if (this.#redeemed) throw new Error(`ticket ${this.id} was used already`);
    this.#redeemed = true;
  }
}

/** For the gate alone; not exported from the gate's door. */
export function issueTicket(
  id: string,
  call: ToolCall,
  { checkpoint = '', entry = '' }: { readonly checkpoint?: string; readonly entry?: string } = {},
): Ticket {
  return new Ticket(handedOutByTheGate, { id, call, checkpoint, entry });
}
