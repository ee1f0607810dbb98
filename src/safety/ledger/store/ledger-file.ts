import { type Failure, fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import type { Clock } from '../../../platform/clock/index.ts';
import { listDirectory, setAside } from '../../../platform/files/index.ts';
import { describeFileError, displayPath, isFileError } from '../../../platform/paths/index.ts';
import { randomFraction } from '../../../platform/random/index.ts';
import { rawStat } from '../../../platform/raw-files/index.ts';
import { attemptDatabase, type Database, openDatabase } from '../../../platform/sqlite/index.ts';
import { appendEvent } from './chain.ts';
import { LEDGER_MIGRATIONS } from './schema.ts';
import { Seal, sealKey } from './seal.ts';

export interface LedgerFileOptions {
  /** `ledger.db`, absolute; made when it is missing. */
  readonly path: string;
  readonly clock: Clock;
  /** How long a write waits for other processes, in milliseconds; 5,000 when absent. */
  readonly patienceMs?: number;
  /** Told, in one line, when a damaged journal was kept aside and a new one begun. */
  readonly onDamage: (line: string) => void;
}

/** What a transaction works with. */
export interface LedgerAccess {
  readonly database: Database;
  readonly seal: Seal;
}

/** A lock that others hold is first waited for like this, then with pauses in which this process goes on. */
const BUSY_TIMEOUT_MS = 20;
const LONGEST_PAUSE_MS = 15;
const DEFAULT_PATIENCE_MS = 5000;
/** So long after one write has waited in vain, others do not wait: a call makes several, and is to be held up once. */
const GIVEN_UP_MS = 1000;
/** What is kept aside so that a sound file can take its place. A file of a later version is not among them. */
const DAMAGES: ReadonlySet<string> = new Set(['corrupt', 'not_a_file', 'migration_failed']);
const COMPANIONS = ['-wal', '-shm'];

/**
 * The file of the journal: opened when it is needed, and anew when it is damaged or not where it was. A damaged one is never
 * thrown away: it is kept aside under another name.
 */
export class LedgerFile {
  readonly #options: LedgerFileOptions;
  #open: (LedgerAccess & { readonly inode: string }) | undefined;
  #gaveUpAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: LedgerFileOptions) {
    this.#options = options;
  }

  /** Runs `work` in a transaction that can write. Waits for other processes without holding up this one. */
  async write<Value>(work: (access: LedgerAccess) => Value): Promise<Result<Value>> {
    return this.#persist((access) => access.database.transaction(() => work(access)));
  }

  /** The same, without waiting for other processes. */
  async writeNow<Value>(work: (access: LedgerAccess) => Value): Promise<Result<Value>> {
    return this.#persist((access) => access.database.transaction(() => work(access)), 0);
  }

  /** Runs `work`, which only reads, on the state of one moment. Nobody waits for it. */
  async read<Value>(work: (access: LedgerAccess) => Value): Promise<Result<Value>> {
    return this.#persist((access) => {
      access.database.exec('BEGIN');
      try {
        return work(access);
      } finally {
        access.database.exec('ROLLBACK');
      }
    });
  }

  /** Gives the space of what was deleted back to the disk, and empties the write-ahead log, in which it may still stand. */
  async reclaim(): Promise<Result<undefined>> {
    return this.#persist(({ database }) => {
      database.exec('PRAGMA incremental_vacuum');
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return undefined;
    });
  }

  async #persist<Value>(
    work: (access: LedgerAccess) => Value,
    patienceMs = this.#options.patienceMs ?? DEFAULT_PATIENCE_MS,
  ): Promise<Result<Value>> {
    const { clock } = this.#options;
    const startedAt = clock.monotonicMs();
    const isGivenUp = startedAt - this.#gaveUpAtMs < GIVEN_UP_MS;
    const deadline = isGivenUp ? startedAt : startedAt + patienceMs;
    let isRepaired = false;
    for (;;) {
      const done = await this.#attempt(work);
      if (done.ok) return done;
      if (DAMAGES.has(done.code) && !isRepaired) {
        isRepaired = true;
        const repaired = await this.#replace(done);
        if (repaired !== undefined) return repaired;
        continue;
      }
      if (done.code !== 'busy') return done;
      const now = clock.monotonicMs();
      if (now >= deadline) {
        if (deadline > startedAt) this.#gaveUpAtMs = now;
        return done;
      }
      await clock.sleep(1 + randomFraction() * LONGEST_PAUSE_MS);
    }
  }

  /** Names of journals that were found damaged and kept aside. */
  async keptAside(): Promise<readonly string[]> {
    const { path } = this.#options;
    const [folder, name] = [path.slice(0, path.lastIndexOf('/')), path.slice(path.lastIndexOf('/') + 1)];
    const listed = await listDirectory(folder);
    if (!listed.ok) return [];
    return listed.value
      .map((entry) => entry.name)
      .filter(
        (each) => each.startsWith(`${name}.corrupt-`) && !each.endsWith('-wal') && !each.endsWith('-shm'),
      )
      .map((each) => `${folder}/${each}`);
  }

  /** Whether there is a journal. */
  get exists(): boolean {
    return inodeOf(this.#options.path) !== undefined;
  }

  close(): void {
    this.#open?.database.close();
    this.#open = undefined;
  }

  async #attempt<Value>(work: (access: LedgerAccess) => Value): Promise<Result<Value>> {
    const access = this.#access();
    if (!access.ok) return access;
    return Promise.resolve(attemptDatabase(() => work(access.value)));
  }

  /** A file that was removed or replaced under us would take our rows with it, unseen. */
  #access(): Result<LedgerAccess> {
    const { path } = this.#options;
    const inode = inodeOf(path);
    if (this.#open !== undefined && this.#open.inode === inode) return succeed(this.#open);
    if (this.#open !== undefined) {
      this.close();
      this.#options.onDamage(
        `The journal ${displayPath(path)} was removed or replaced while it was in use: what it held until now is not in the new one.`,
      );
    }
    return this.#openNow();
  }

  #openNow(): Result<LedgerAccess> {
    const { path } = this.#options;
    const key = this.#key();
    if (!key.ok) return key;
    const opened = openDatabase(path, {
      synchronous: 'FULL',
      secureDelete: true,
      migrations: LEDGER_MIGRATIONS,
      busyTimeoutMs: BUSY_TIMEOUT_MS,
    });
    if (!opened.ok) return opened;
    const inode = inodeOf(path);
    if (inode === undefined) {
      opened.value.close();
      return fail('failed', `The journal ${displayPath(path)} was removed while it was opened.`);
    }
    this.#open = { database: opened.value, seal: new Seal(key.value), inode };
    return succeed(this.#open);
  }

  #key(): Result<Uint8Array> {
    const { path } = this.#options;
    const folder = path.slice(0, path.lastIndexOf('/'));
    try {
      const key = sealKey(folder);
      if (key !== undefined) return succeed(key);
      return fail(
        'bad_key',
        `${displayPath(`${folder}/ledger.key`)} does not hold a key of the journal.`,
        'Move it away; `herma ledger verify` then reports the rows that were sealed with it.',
      );
    } catch (error) {
      if (!isFileError(error)) throw error;
      return describeFileError(error, `${folder}/ledger.key`, 'use the key of the journal');
    }
  }

  /** Keeps the damaged file aside and begins a new one. Undefined when that worked. */
  async #replace(damage: Failure): Promise<Failure | undefined> {
    const { path, clock, onDamage } = this.#options;
    this.close();
    const kept = await setAside(path, { nowMs: clock.now(), companions: COMPANIONS });
    // Another process was faster: its new file is there.
    if (!kept.ok && kept.code === 'not_found') return undefined;
    if (!kept.ok) return kept;
    onDamage(
      `The journal was damaged (${damage.message}). It was kept as ${displayPath(kept.value)}, and a new one was begun.`,
    );
    const at = new Date(clock.now()).toISOString();
    const detail = JSON.stringify({ replaces: kept.value.slice(kept.value.lastIndexOf('/') + 1) });
    const started = await this.#attempt(({ database }) =>
      database.transaction(() => {
        appendEvent(database, { kind: 'started', at, detail });
      }),
    );
    return started.ok ? undefined : started;
  }
}

function inodeOf(path: string): string | undefined {
  const stat = rawStat(path);
  return stat === undefined ? undefined : `${String(stat.dev)}:${String(stat.ino)}`;
}
