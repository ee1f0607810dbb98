import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import type { JsonObject } from '../../kernel/json/index.ts';
import { fingerprintOfCall, type ToolCall } from '../../kernel/tool-call/index.ts';
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

/** How long the record of a call is kept whose owner has died, in milliseconds. */
const KEEP_DEAD_MS = 24 * 60 * 60 * 1000;
/** Records above which those of dead owners are swept. */
const SWEEP_ABOVE = 500;
/** Records one sweep looks at, the oldest: a sweep is part of a call and must stay short. */
const SWEPT_AT_ONCE = 50;
const SUFFIX = '.json';

/**
 * The open calls of foreign agents: one small file each, so that processes never wait for each other. Tickets sort by the
 * time they were made.
 */
export class OpenCallStore {
  readonly #directory: string;
  readonly #clock: Clock;

  /** @param directory absolute; created when the first call is stored. */
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

  /**
   * The call of a ticket. Fails with `unknown_ticket` when there is none, or it is settled; with `corrupt_ticket` when its
   * record is damaged; and with what is wrong when it cannot be read.
   */
  async get(ticket: string): Promise<Result<OpenCall>> {
    if (!isTicket(ticket)) return unknownTicket(ticket);
    const path = this.#pathOf(ticket);
    const read = await readJsonFile(path);
    if (!read.ok && read.code === 'not_found') return unknownTicket(ticket);
    if (!read.ok && read.code !== 'corrupt') return read;
    const call = read.ok ? decodeOpenCall(read.value) : undefined;
    if (call?.ticket === ticket) return succeed(call);
    return fail(
      'corrupt_ticket',
      `The record of ticket ${JSON.stringify(ticket)} is damaged.`,
      `Remove ${path}, and ask for the call again.`,
    );
  }

  /** The newest open call with that id in that session; fails with `unknown_call`. Damaged records are passed over. */
  async find(callId: string, sessionId: string): Promise<Result<OpenCall>> {
    const tickets = await this.#tickets();
    if (!tickets.ok) return tickets;
    for (const ticket of tickets.value.toReversed()) {
      const found = await this.get(ticket);
      if (found.ok && found.value.call.callId === callId && found.value.call.sessionId === sessionId)
        return found;
    }
    return fail(
      'unknown_call',
      `There is no open call ${shown(callId)} in session ${shown(sessionId)}.`,
      REMEDY,
    );
  }

  /**
   * The open call of a tool in that session, for an agent that gives its calls no ids: the one with those arguments, else the only one,
   * else the oldest. Fails with `unknown_call`. Damaged records are passed over.
   */
  async findByName({
    tool,
    sessionId,
    args,
  }: {
    readonly tool: string;
    readonly sessionId: string;
    readonly args?: JsonObject;
  }): Promise<Result<{ readonly open: OpenCall; readonly pairing: 'name' | 'name-fifo' }>> {
    const tickets = await this.#tickets();
    if (!tickets.ok) return tickets;
    const found: OpenCall[] = [];
    for (const ticket of tickets.value) {
      const open = await this.get(ticket);
      if (open.ok && open.value.call.tool === tool && open.value.call.sessionId === sessionId)
        found.push(open.value);
    }
    const same = args === undefined ? undefined : found.find(({ call }) => hasArguments(call, args));
    if (same !== undefined) return succeed({ open: same, pairing: 'name' });
    const [oldest] = found;
    if (oldest !== undefined)
      return succeed({ open: oldest, pairing: found.length === 1 ? 'name' : 'name-fifo' });
    return fail(
      'unknown_call',
      `There is no open call of ${shown(tool)} in session ${shown(sessionId)}.`,
      REMEDY,
    );
  }

  /** Takes a call out; the value is whether it was there. Of several callers at once exactly one is told so. */
  async remove(ticket: string): Promise<Result<boolean>> {
    return isTicket(ticket) ? removeFile(this.#pathOf(ticket)) : succeed(false);
  }

  /** When there are many records, removes some of those whose owners died long ago. What cannot be removed stays. */
  async sweep(): Promise<void> {
    const tickets = await this.#tickets();
    if (!tickets.ok || tickets.value.length <= SWEEP_ABOVE) return;
    const oldest = this.#clock.now() - KEEP_DEAD_MS;
    for (const ticket of tickets.value.slice(0, SWEPT_AT_ONCE)) {
      const found = await this.get(ticket);
      if (!found.ok || found.value.openedAt >= oldest) continue;
      const { owner } = found.value;
      if (owner === undefined || isAlive(owner) === 'dead') await this.remove(ticket);
    }
  }

  /** Oldest first. */
  async #tickets(): Promise<Result<readonly string[]>> {
    const entries = await listDirectory(this.#directory);
    if (!entries.ok) return entries.code === 'not_found' ? succeed([]) : entries;
    const names = entries.value.map(({ name }) => name).filter((name) => name.endsWith(SUFFIX));
    return succeed(names.map((name) => name.slice(0, -SUFFIX.length)).filter(isTicket));
  }

  #pathOf(ticket: string): string {
    return `${this.#directory}/${ticket}${SUFFIX}`;
  }
}

/** By the fingerprint: the arguments of the record are redacted. */
function hasArguments({ tool, cwd, fingerprint }: ToolCall, args: JsonObject): boolean {
  return fingerprintOfCall({ tool, args, cwd }) === fingerprint;
}

/** Whether a text can be a ticket: never the name of a file elsewhere. */
function isTicket(text: string): boolean {
  return /^[a-z0-9_]{1,64}$/.test(text);
}

const REMEDY = 'It was settled already, or never came through `herma gate before`.';

/** What is said of a ticket that names no open call. */
export function unknownTicket(ticket: string): Result<never> {
  return fail('unknown_ticket', `There is no open call with the ticket ${shown(ticket)}.`, REMEDY);
}

function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
