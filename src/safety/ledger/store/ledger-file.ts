import { type Failure, fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import type { Clock } from '../../../platform/clock/index.ts';
import { listDirectory } from '../../../platform/files/index.ts';
import { describeFileError, displayPath, errnoOf, isFileError } from '../../../platform/paths/index.ts';
import { randomFraction, randomId } from '../../../platform/random/index.ts';
import { rawStat, renameRaw } from '../../../platform/raw-files/index.ts';
import { attemptDatabase, type Database, openDatabase } from '../../../platform/sqlite/index.ts';
import { nextTurn } from '../next-turn.ts';
import { appendEvent } from './chain.ts';
import { checkKey } from './key-mark.ts';
import { LEDGER_MIGRATIONS } from './schema.ts';
import { Seal, sealKey } from './seal.ts';
import { isNumberTooLarge } from './select-rows.ts';

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

interface OpenFile extends LedgerAccess {
  readonly inode: string;
}

/** A lock that others hold is first waited for like this, then with pauses in which this process goes on. */
const BUSY_TIMEOUT_MS = 20;
const LONGEST_PAUSE_MS = 15;
const DEFAULT_PATIENCE_MS = 5000;
/** So long after others were found to hold the lock, a write does not try before those that wait already. */
const KNOWN_BUSY_MS = 50;
/** So long after one write has waited in vain, others do not wait: a call makes several, and is to be held up once. */
const GIVEN_UP_MS = 1000;
/** What is kept aside so that a sound file can take its place. A file of a later version is not among them. */
const DAMAGES: ReadonlySet<string> = new Set(['corrupt', 'not_a_file', 'migration_failed']);
/** A file up to this size is checked whole when it is opened, which takes some milliseconds. */
const CHECKED_BYTES = 4 * 1024 * 1024;
const COMPANIONS = ['-wal', '-shm'];
/** How often a file is opened anew that others replace at the same time. */
const MAX_TRIES = 50;
/** Pages that are given back to the disk in one go. */
const VACUUM_PAGES = 400;

/**
 * The file of the journal: opened when it is needed, and anew when it is damaged or not where it was. A damaged one is never
 * thrown away: it is kept aside under another name.
 */
export class LedgerFile {
  readonly #options: LedgerFileOptions;
  #open: OpenFile | undefined;
  /** The file that the last attempt worked on. */
  #used: string | undefined;
  #lastInode: string | undefined;
  #generation = 0;
  #isClosed = false;
  #lastBusy: { readonly failure: Failure; readonly atMs: number } | undefined;
  #lastWaiting: Promise<undefined> = Promise.resolve(undefined);
  #gaveUpAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: LedgerFileOptions) {
    this.#options = options;
  }

  /** Runs `work` in a transaction that can write. Waits for other processes without holding up this one. */
  async write<Value>(work: (access: LedgerAccess) => Value): Promise<Result<Value>> {
    return this.#persist((access) => access.database.transaction(() => work(access)), { isWrite: true });
  }

  /** The same, without waiting for other processes. */
  async writeNow<Value>(work: (access: LedgerAccess) => Value): Promise<Result<Value>> {
    return this.#persist((access) => access.database.transaction(() => work(access)), { patienceMs: 0 });
  }

  /** Runs `work`, which only reads, on the state of one moment. Nobody waits for it. */
  async read<Value>(work: (access: LedgerAccess) => Value): Promise<Result<Value>> {
    return this.#persist((access) => {
      access.database.exec('BEGIN');
      try {
        return work(access);
      } finally {
        this.#endReading(access.database);
      }
    });
  }

  /** The key's digests; fails when there is no key that could be used. */
  seal(): Result<Seal> {
    const key = this.#key();
    return key.ok ? succeed(new Seal(key.value)) : key;
  }

  /** Counts the files that were used one after the other: a number of a row means nothing in the next. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Gives the space of what was deleted back to the disk, in small steps, and empties the write-ahead log, in which it may still stand.
   * Fails with `busy` when another process reads in that log for too long.
   */
  async reclaim(): Promise<Result<undefined>> {
    for (let before = Number.POSITIVE_INFINITY; ; ) {
      const left = await this.#persist(({ database }) => {
        database.exec(`PRAGMA incremental_vacuum(${String(VACUUM_PAGES)})`);
        return Number(database.get('PRAGMA freelist_count')?.['freelist_count'] ?? 0);
      });
      if (!left.ok) return left;
      if (left.value === 0 || left.value >= before) break;
      before = left.value;
      await nextTurn();
    }
    const deadline = this.#options.clock.monotonicMs() + (this.#options.patienceMs ?? DEFAULT_PATIENCE_MS);
    for (;;) {
      const emptied = await this.#persist(
        ({ database }) => database.get('PRAGMA wal_checkpoint(TRUNCATE)')?.['busy'] === 0,
      );
      if (!emptied.ok) return emptied;
      if (emptied.value) return succeed(undefined);
      if (this.#options.clock.monotonicMs() >= deadline)
        return fail(
          'busy',
          `What was deleted may still stand in ${displayPath(this.#options.path)}-wal: another process reads in it.`,
          'End the program that reads the journal, and try again.',
        );
      await this.#options.clock.sleep(1 + randomFraction() * LONGEST_PAUSE_MS);
    }
  }

  async #persist<Value>(
    work: (access: LedgerAccess) => Value,
    {
      patienceMs = this.#options.patienceMs ?? DEFAULT_PATIENCE_MS,
      isWrite = false,
    }: { readonly patienceMs?: number; readonly isWrite?: boolean } = {},
  ): Promise<Result<Value>> {
    const now = this.#options.clock.monotonicMs();
    const deadline = now + (this.#hasGivenUp() ? 0 : patienceMs);
    const known = this.#lastBusy;
    if (isWrite && known !== undefined && patienceMs > 0 && now - known.atMs < KNOWN_BUSY_MS)
      return this.#inTurn(() => this.#retry(work, { deadline, busy: known.failure }));
    const done = await this.#attemptRepaired(work);
    if (done.ok || done.code !== 'busy' || this.#options.clock.monotonicMs() >= deadline) return done;
    return this.#inTurn(() => this.#retry(work, { deadline, busy: done }));
  }

  /** Each attempt blocks this process for a moment: those that wait for others make theirs one after the other. */
  async #inTurn<Value>(wait: () => Promise<Value>): Promise<Value> {
    const before = this.#lastWaiting;
    const waiting = before.then(wait);
    this.#lastWaiting = waiting.then(
      () => undefined,
      () => undefined,
    );
    return waiting;
  }

  async #retry<Value>(
    work: (access: LedgerAccess) => Value,
    { deadline, busy }: { readonly deadline: number; readonly busy: Failure },
  ): Promise<Result<Value>> {
    const { clock } = this.#options;
    for (;;) {
      // Whoever waited before us has waited in vain, just now.
      if (this.#hasGivenUp() && clock.monotonicMs() >= deadline) return busy;
      const done = await this.#attemptRepaired(work);
      if (done.ok || done.code !== 'busy') return done;
      if (clock.monotonicMs() >= deadline) {
        this.#gaveUpAtMs = clock.monotonicMs();
        return done;
      }
      await clock.sleep(1 + randomFraction() * LONGEST_PAUSE_MS);
    }
  }

  #hasGivenUp(): boolean {
    return this.#options.clock.monotonicMs() - this.#gaveUpAtMs < GIVEN_UP_MS;
  }

  /** A damaged file is replaced once: a new one that is damaged as well is a fault nobody here can mend. Others may replace it meanwhile. */
  async #attemptRepaired<Value>(work: (access: LedgerAccess) => Value): Promise<Result<Value>> {
    let isRepaired = false;
    for (let tries = 1; ; tries += 1) {
      const done = this.#attempt(work);
      if (done.ok || done.code === 'busy' || tries >= MAX_TRIES) return done;
      if (this.#used !== inodeOf(this.#options.path)) {
        await nextTurn();
        continue;
      }
      if (!DAMAGES.has(done.code) || isRepaired) return done;
      isRepaired = true;
      const failed = this.#replace(done);
      if (failed !== undefined) return failed;
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

  /** What is done afterwards opens the file for itself alone, so that nothing stays open. */
  close(): void {
    this.#isClosed = true;
    this.#release();
  }

  #release(): void {
    const open = this.#open;
    this.#open = undefined;
    try {
      open?.database.close();
    } catch (error) {
      // The way to the file is gone: there is nothing left that could be put in order.
      if (!isFileError(error)) throw error;
    }
  }

  #attempt<Value>(work: (access: LedgerAccess) => Value): Result<Value> {
    const access = this.#access();
    if (!access.ok) return access;
    this.#used = access.value.inode;
    try {
      const done = attemptDatabase(() => work(access.value));
      if (!done.ok && done.code === 'busy')
        this.#lastBusy = { failure: done, atMs: this.#options.clock.monotonicMs() };
      return done;
    } catch (error) {
      if (!isNumberTooLarge(error)) throw error;
      // Not even the chain can be followed any more: somebody wrote a number into it that is none of ours.
      return fail('corrupt', `${displayPath(this.#options.path)} holds a number that cannot be`);
    } finally {
      if (this.#isClosed) this.#release();
    }
  }

  /** A transaction that cannot be ended would be in the way of all that follow. */
  #endReading(database: Database): void {
    const ended = attemptDatabase(() => database.exec('COMMIT'));
    if (!ended.ok) this.#release();
  }

  /** A file that was removed or replaced under us would take our rows with it, unseen. */
  #access(): Result<OpenFile> {
    const { path } = this.#options;
    const inode = inodeOf(path);
    if (this.#open !== undefined && this.#open.inode === inode) return succeed(this.#open);
    if (this.#open !== undefined) {
      this.#release();
      // The file that takes its place may be given the number it had.
      this.#lastInode = undefined;
      this.#options.onDamage(
        `The journal ${displayPath(path)} was removed or replaced while it was in use: what it held until now is not in the new one.`,
      );
    }
    return this.#openNow();
  }

  #openNow(): Result<OpenFile> {
    const { path, clock, onDamage } = this.#options;
    const seal = this.seal();
    if (!seal.ok) return seal;
    this.#used = inodeOf(path);
    const opened = openDatabase(path, {
      synchronous: 'FULL',
      secureDelete: true,
      migrations: LEDGER_MIGRATIONS,
      busyTimeoutMs: BUSY_TIMEOUT_MS,
    });
    if (!opened.ok) return opened;
    const database = opened.value;
    const inode = inodeOf(path);
    const at = new Date(clock.now()).toISOString();
    const checked = isSound(database, path)
      ? attemptDatabase(() => checkKey(database, seal.value, at))
      : fail('corrupt', `cannot use the database ${displayPath(path)}: the file is damaged`);
    if (inode === undefined || !checked.ok) {
      database.close();
      return checked.ok
        ? fail('failed', `The journal ${displayPath(path)} was removed while it was opened.`)
        : checked;
    }
    if (checked.value === 'changed')
      onDamage(
        `The journal ${displayPath(path)} was sealed with another key than the one there is now: what stood in it cannot be checked any more.`,
      );
    if (this.#lastInode !== inode) this.#generation += 1;
    this.#lastInode = inode;
    this.#open = { database, seal: seal.value, inode };
    return succeed(this.#open);
  }

  /** What is no key is kept aside, as a damaged journal is: calls are not to stand still for it. */
  #key(): Result<Uint8Array> {
    const { path, onDamage } = this.#options;
    const folder = path.slice(0, path.lastIndexOf('/'));
    const file = `${folder}/ledger.key`;
    try {
      const key = sealKey(folder);
      if (key !== undefined) return succeed(key);
      const kept = `${file}.corrupt-${randomId()}`;
      renameRaw(file, kept);
      onDamage(
        `${displayPath(file)} did not hold a key of the journal. It was kept as ${displayPath(kept)}, and a new one was made.`,
      );
      const made = sealKey(folder);
      if (made !== undefined) return succeed(made);
      return fail('bad_key', `${displayPath(file)} does not hold a key of the journal.`, 'Move it away.');
    } catch (error) {
      if (!isFileError(error)) throw error;
      return describeFileError(error, file, 'use the key of the journal');
    }
  }

  /** Keeps the damaged file aside and begins a new one. Undefined when that worked. */
  #replace(damage: Failure): Failure | undefined {
    const { path, clock, onDamage } = this.#options;
    this.#release();
    const at = new Date(clock.now()).toISOString();
    const kept = `${path}.corrupt-${at.slice(0, 19).replaceAll(/[-:]/g, '')}Z-${randomId()}`;
    // Another process was faster: its new file is there.
    if (inodeOf(path) !== this.#used) return undefined;
    try {
      // What belongs to it goes first: once its name is free, another process begins a new one.
      for (const companion of COMPANIONS)
        if (inodeOf(path + companion) !== undefined) renameRaw(path + companion, kept + companion);
      renameRaw(path, kept);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      if (!isFileError(error)) throw error;
      return describeFileError(error, path, 'keep the damaged journal aside');
    }
    onDamage(
      `The journal was damaged (${damage.message}). It was kept as ${displayPath(kept)}, and a new one was begun.`,
    );
    const detail = JSON.stringify({ replaces: kept.slice(kept.lastIndexOf('/') + 1) });
    const started = this.#attempt(({ database }) =>
      database.transaction(() => {
        appendEvent(database, { kind: 'started', at, detail });
      }),
    );
    // Whose turn it is now may be somebody else's: what is wanted is tried again in any case.
    return started.ok || started.code === 'busy' || this.#used !== inodeOf(path) ? undefined : started;
  }
}

/** Undefined also where the way to it is not open to us: opening it says why. */
/** Damage that no statement runs into would be kept, and written to, for years. */
function isSound(database: Database, path: string): boolean {
  if ((rawStat(path)?.size ?? 0) > CHECKED_BYTES) return true;
  return database.checkIntegrity().length === 0;
}

function inodeOf(path: string): string | undefined {
  try {
    const stat = rawStat(path);
    return stat === undefined ? undefined : `${String(stat.dev)}:${String(stat.ino)}`;
  } catch (error) {
    if (!isFileError(error)) throw error;
    return undefined;
  }
}
