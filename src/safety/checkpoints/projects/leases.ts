import { errnoOf } from '../../../platform/paths/index.ts';
import type { Liveness, ProcessIdentity } from '../../../platform/process/index.ts';
import { ensureRawFolder, rawNames, rawStat, unlinkRaw } from '../../../platform/raw-files/index.ts';
import { decodeProcess, encodeProcess, FieldProblem } from './json-fields.ts';
import type { ProcessView } from './process-view.ts';
import { readJsonObject } from './read-json-object.ts';
import { createPrivateFile } from './temporary-file.ts';

/** What a take holds from before its first object until after its record is in place. */
export interface Lease {
  /** Whether objects that are there may be relied on: no maintenance, which deletes, was running when the lease was made. */
  readonly mayReuse: boolean;
  /** Gives it back; nothing the second time. */
  release(): void;
}

/** A lease that somebody holds, or a dead process has left. */
export interface HeldLease {
  readonly path: string;
  /** Undefined when its file does not say. */
  readonly holder: ProcessIdentity | undefined;
  /** `unknown` when its file does not say. */
  readonly liveness: Liveness;
  readonly mtimeMs: number;
}

/** The file name of the lock of maintenance, in the folder of the store. */
export const MAINTENANCE_LOCK = 'gc.lock';

const NAME = /^\d+-\d+\.json$/;

/**
 * Takes say that they run, and never wait; maintenance looks who runs, and waits. A take makes its lease first and then
 * looks for the lock of maintenance, maintenance takes its lock first and then looks for leases, so one of the two sees
 * the other. Methods throw what the file system does.
 */
export class Leases {
  readonly #store: string;
  readonly #folder: string;
  readonly #processes: ProcessView;
  #count = 0;

  /** @param store the folder of the store. */
  constructor(store: string, processes: ProcessView) {
    this.#store = store;
    this.#folder = `${store}/leases`;
    this.#processes = processes;
  }

  take(): Lease {
    const path = this.#create();
    try {
      const mayReuse = !this.#isMaintained();
      return {
        mayReuse,
        release: () => {
          unlinkRaw(path);
        },
      };
    } catch (error) {
      unlinkRaw(path);
      throw error;
    }
  }

  /** Every lease there is, those of this process too, in no particular order. */
  all(): readonly HeldLease[] {
    return this.#names().flatMap((name) => {
      const path = `${this.#folder}/${name}`;
      const holder = holderOf(path);
      const stat = rawStat(path);
      if (stat === undefined) return [];
      const liveness = holder === undefined ? 'unknown' : this.#processes.isAlive(holder);
      return [{ path, holder, liveness, mtimeMs: stat.mtimeMs }];
    });
  }

  /** Every lease whose process is not certainly dead. What is `unknown` and old may be one nobody will give back. */
  others(): readonly HeldLease[] {
    return this.all().filter(({ liveness }) => liveness !== 'dead');
  }

  /** Removes the leases of dead processes. Returns how many. */
  sweep(): number {
    return this.all().filter(({ liveness, path }) => liveness === 'dead' && unlinkRaw(path)).length;
  }

  #create(): string {
    const text = `${JSON.stringify(encodeProcess(this.#processes.self))}\n`;
    for (;;) {
      this.#count += 1;
      const path = `${this.#folder}/${String(this.#processes.self.pid)}-${String(this.#count)}.json`;
      try {
        createPrivateFile(path, text);
        return path;
      } catch (error) {
        if (errnoOf(error) === 'EEXIST') continue;
        if (errnoOf(error) !== 'ENOENT') {
          unlinkRaw(path);
          throw error;
        }
        ensureRawFolder(this.#folder);
      }
    }
  }

  /** Whether maintenance runs, or may: a lock that does not say whose it is counts as held. */
  #isMaintained(): boolean {
    const path = `${this.#store}/${MAINTENANCE_LOCK}`;
    if (rawStat(path) === undefined) return false;
    const holder = holderOf(path);
    if (holder === undefined) return rawStat(path) !== undefined;
    return this.#processes.isAlive(holder) !== 'dead';
  }

  #names(): readonly string[] {
    try {
      return rawNames(this.#folder).filter((name) => NAME.test(name));
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return [];
      throw error;
    }
  }
}

/** The process that a lease or the lock of maintenance names. */
function holderOf(path: string): ProcessIdentity | undefined {
  const read = readJsonObject(path);
  if (read.type !== 'object') return undefined;
  try {
    return decodeProcess(read.value);
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    return undefined;
  }
}
