import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessEntry } from './process-entry.ts';
import { processTable } from './process-table.ts';
import { sendSignal } from './send-signal.ts';

export interface KillOptions {
  /** How long SIGTERM may take before SIGKILL follows, in milliseconds; 0 sends SIGKILL at once. */
  readonly graceMs: number;
  /** The start time of the process meant. When the pid belongs to another one by now, nothing is signalled. */
  readonly startTime?: string | undefined;
}

/** `survived`: some were still there after SIGKILL, for example because they belong to another user. */
export type KillOutcome = 'gone' | 'survived';

export const DEFAULT_KILL_GRACE_MS = 2000;

/** How long processes get to vanish after SIGKILL before we give up on them. */
const KILL_LIMIT_MS = 2000;
const FIRST_POLL_MS = 5;
const LONGEST_POLL_MS = 50;

/** The processes to end, by pid. They are remembered because an orphan no longer shows whose child it was. */
type KnownProcesses = Map<number, ProcessEntry>;

function isSameProcess(known: ProcessEntry | undefined, now: ProcessEntry): boolean {
  return known !== undefined && known.startTime === now.startTime;
}

/** Adds every living member of the group and every living descendant of a known process or member. */
function extendTree(known: KnownProcesses, pid: number, listed: readonly ProcessEntry[]): void {
  const children = Map.groupBy(listed, (entry) => entry.ppid);
  const pending = listed.filter(
    (entry) => entry.pid === pid || entry.pgid === pid || isSameProcess(known.get(entry.pid), entry),
  );
  const seen = new Set<number>([process.pid]);
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    if (seen.has(entry.pid)) continue;
    seen.add(entry.pid);
    if (!entry.isZombie) known.set(entry.pid, entry);
    pending.push(...(children.get(entry.pid) ?? []));
  }
}

class ProcessTree {
  readonly #pid: number;
  readonly #startTime: string | undefined;
  readonly #known: KnownProcesses = new Map();

  constructor(pid: number, startTime: string | undefined) {
    this.#pid = pid;
    this.#startTime = startTime;
  }

  /** Looks for members anew. False when there are none left. Without a process table only the group can be asked for. */
  find(): boolean {
    const listed = processTable.list();
    if (!listed.some((entry) => entry.pid === process.pid)) return this.#groupExists();
    const leader = listed.find((entry) => entry.pid === this.#pid);
    if (this.#startTime !== undefined && leader !== undefined && leader.startTime !== this.#startTime)
      return false;
    extendTree(this.#known, this.#pid, listed);
    return this.#living().length > 0;
  }

  /** Like `find`, and cheap as long as a known process still runs. */
  hasLiving(): boolean {
    return this.#living().length > 0 || (this.#groupExists() && this.find());
  }

  signal(signal: NodeJS.Signals): void {
    const isOwnGroup = processTable.read([process.pid])[0]?.pgid === this.#pid;
    if (!isOwnGroup) sendSignal(-this.#pid, signal);
    for (const entry of this.#living()) {
      if (isOwnGroup || entry.pgid !== this.#pid) sendSignal(entry.pid, signal);
    }
  }

  #groupExists(): boolean {
    return sendSignal(-this.#pid, 0) !== 'gone';
  }

  #living(): ProcessEntry[] {
    return processTable
      .read([...this.#known.keys()])
      .filter((entry) => !entry.isZombie && isSameProcess(this.#known.get(entry.pid), entry));
  }
}

/** True as soon as nothing of the tree runs; false when the time is over. */
async function waitUntilGone(tree: ProcessTree, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  for (let pollMs = FIRST_POLL_MS; tree.hasLiving(); pollMs = Math.min(LONGEST_POLL_MS, pollMs * 2)) {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return false;
    await delay(Math.min(pollMs, leftMs));
  }
  return true;
}

/** Kills again and again, because a process may fork between the look and the signal. */
async function killUntilGone(tree: ProcessTree): Promise<KillOutcome> {
  const deadline = performance.now() + KILL_LIMIT_MS;
  while (tree.find()) {
    if (performance.now() > deadline) return 'survived';
    tree.signal('SIGKILL');
    await waitUntilGone(tree, LONGEST_POLL_MS);
  }
  return 'gone';
}

/**
 * Ends a process, its process group, and every descendant that left the group (by `setsid`, job control or `timeout`) but
 * still hangs below it: SIGTERM, then SIGKILL after the grace period. Resolves when none of them runs any more; zombies count
 * as ended, collecting them is their parent's affair. This process itself is never signalled.
 *
 * Never rejects for processes that are gone. Throws RangeError for a pid that is not a whole number above 1, because -1 and
 * -0 would mean every process and our own group.
 *
 * Limit: a descendant in another group whose parent ended before the call (a daemon) is nobody's child and is not found.
 */
export async function killProcessTree(
  pid: number,
  { graceMs, startTime }: KillOptions,
): Promise<KillOutcome> {
  if (!Number.isSafeInteger(pid) || pid <= 1)
    throw new RangeError(`cannot end process ${pid}: it must be above 1`);
  const tree = new ProcessTree(pid, startTime);
  if (!tree.find()) return 'gone';
  if (graceMs > 0) {
    tree.signal('SIGTERM');
    if (await waitUntilGone(tree, graceMs)) return 'gone';
  }
  return killUntilGone(tree);
}
