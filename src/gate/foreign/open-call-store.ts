import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import {
  listDirectory,
  makeDirectory,
  readJsonFile,
  removeFile,
  writeFileAtomic,
} from '../../platform/files/index.ts';
import { isAlive } from '../../platform/process/index.ts';
import { decodeOpenCall, encodeOpenCall, type OpenCall } from './open-call.ts';

/** How long the record of a call is kept after its owner has died, in milliseconds. */
const KEEP_DEAD_MS = 24 * 60 * 60 * 1000;
/** Records above which those of dead owners are swept. */
const SWEEP_ABOVE = 500;

/** The open calls of foreign agents: one small file each, so that processes never wait for each other. */
export class OpenCallStore {
  readonly #directory: string;
  readonly #clock: Clock;

  constructor(directory: string, clock: Clock) {
    this.#directory = directory;
    this.#clock = clock;
  }

  /** Stores a call; durable when it resolves. */
  async put(call: OpenCall): Promise<Result<undefined>> {
    const made = await makeDirectory(this.#directory);
    if (!made.ok) return made;
    const written = await writeFileAtomic(this.#pathOf(call.ticket), JSON.stringify(encodeOpenCall(call)));
    return written.ok ? succeed(undefined) : written;
  }

  /** The call of a ticket; fails with `unknown_ticket` when there is none, or it is settled. */
  async get(ticket: string): Promise<Result<OpenCall>> {
    if (!/^[a-z0-9_]+$/.test(ticket)) return unknownTicket(ticket);
    const read = await readJsonFile(this.#pathOf(ticket));
    if (!read.ok) return read.code === 'not_found' ? unknownTicket(ticket) : read;
    const call = decodeOpenCall(read.value);
    return call === undefined
      ? fail('corrupt_ticket', `The record of ticket "${ticket}" is damaged.`)
      : succeed(call);
  }

  /** The newest open call with that id in that session. */
  async find(callId: string, sessionId: string): Promise<Result<OpenCall>> {
    const calls = await this.list();
    const found = calls
      .filter(({ call }) => call.callId === callId && call.sessionId === sessionId)
      .sort((a, b) => b.openedAt - a.openedAt);
    const [newest] = found;
    if (newest !== undefined) return succeed(newest);
    return fail(
      'unknown_call',
      `No open call "${callId}" is known in session "${sessionId}".`,
      'It was settled already, or never came through `herma gate before`.',
    );
  }

  /** All open calls; damaged records are left out. */
  async list(): Promise<readonly OpenCall[]> {
    const entries = await listDirectory(this.#directory);
    if (!entries.ok) return [];
    const tickets = entries.value.flatMap(({ name }) =>
      name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : [],
    );
    const calls = await Promise.all(tickets.map(async (ticket) => this.get(ticket)));
    return calls.flatMap((call) => (call.ok ? [call.value] : []));
  }

  async remove(ticket: string): Promise<void> {
    await removeFile(this.#pathOf(ticket));
  }

  /** Removes records of owners that died long ago, when there are many. */
  async sweep(): Promise<void> {
    const entries = await listDirectory(this.#directory);
    if (!entries.ok || entries.value.length <= SWEEP_ABOVE) return;
    const oldest = this.#clock.now() - KEEP_DEAD_MS;
    for (const { ticket, owner, openedAt } of await this.list()) {
      if (openedAt < oldest && (owner === undefined || isAlive(owner) === 'dead')) await this.remove(ticket);
    }
  }

  #pathOf(ticket: string): string {
    return `${this.#directory}/${ticket}.json`;
  }
}

function unknownTicket(ticket: string): Result<never> {
  return fail(
    'unknown_ticket',
    `There is no open call with the ticket "${ticket.slice(0, 80)}".`,
    'It was settled already, or never came through `herma gate before`.',
  );
}
