import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createFolders, errnoOf, fileSystemPath } from '../paths/index.ts';

const FLAGS =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK | constants.O_NOCTTY;
const PRIVATE_MODE = 0o600;
const OTHERS = 0o077;
const LINE_FEED = 0x0a;

export interface LogFileOptions {
  readonly path: string;
  readonly now: () => number;
  /** A file that would become longer is set aside first. */
  readonly maxBytes: number;
  /** How many files set aside are kept, the newest. */
  readonly keep: number;
}

/**
 * A file that grows by lines, 0600, which several processes may write at once. When it is full it is renamed to
 * `<path>.<UTC time>-<process id>`, and a new one is begun; who still has the renamed one open notices with the next line.
 *
 * Methods throw what `node:fs` throws.
 */
export class LogFile {
  readonly #options: LogFileOptions;
  #descriptor: number | undefined;
  #isTorn = false;

  constructor(options: LogFileOptions) {
    this.#options = options;
  }

  /** Adds a line; `line` holds no line feed. */
  append(line: string): void {
    const bytes = Buffer.from(`${line}\n`, 'utf8');
    let descriptor = this.#currentFile();
    const { size } = fstatSync(descriptor);
    if (size > 0 && size + bytes.length > this.#options.maxBytes) {
      this.#setAside();
      descriptor = this.#currentFile();
    }
    this.#write(descriptor, this.#isTorn ? Buffer.concat([Buffer.of(LINE_FEED), bytes]) : bytes);
  }

  /** Closes the file; the next line opens it again. */
  close(): void {
    if (this.#descriptor === undefined) return;
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #write(descriptor: number, bytes: Buffer): void {
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(descriptor, bytes, written);
      this.#isTorn = false;
    } catch (error) {
      // Part of a line may be there: what comes next must not be glued to it.
      this.#isTorn ||= written > 0;
      throw error;
    }
  }

  /** The file that has the name now, opened. */
  #currentFile(): number {
    if (this.#descriptor !== undefined && !this.#hasName(this.#descriptor)) this.close();
    this.#descriptor ??= this.#open();
    return this.#descriptor;
  }

  #hasName(descriptor: number): boolean {
    const named = statSync(fileSystemPath(this.#options.path), { throwIfNoEntry: false });
    const own = fstatSync(descriptor);
    return named !== undefined && named.ino === own.ino && named.dev === own.dev;
  }

  #open(): number {
    const descriptor = openOrCreate(this.#options.path);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) {
      closeSync(descriptor);
      throw Object.assign(new Error('not a regular file'), { code: 'ENXIO' });
    }
    if ((stats.mode & OTHERS) !== 0) fchmodSync(descriptor, PRIVATE_MODE);
    this.#isTorn = endsTorn(descriptor, stats.size);
    return descriptor;
  }

  #setAside(): void {
    const { path, now, keep } = this.#options;
    this.close();
    try {
      renameSync(fileSystemPath(path), fileSystemPath(freeName(path, now())));
    } catch (error) {
      // Another process was faster.
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
    for (const old of namesSetAside(path).slice(0, -keep || undefined)) {
      rmSync(fileSystemPath(join(dirname(path), old)), { force: true });
    }
  }
}

function openOrCreate(path: string): number {
  try {
    return openSync(fileSystemPath(path), FLAGS, PRIVATE_MODE);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    createFolders(dirname(path), 0o700);
    return openSync(fileSystemPath(path), FLAGS, PRIVATE_MODE);
  }
}

function endsTorn(descriptor: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== LINE_FEED;
}

/** `20301231T235959123Z`: sorts by time. */
function stamp(nowMs: number): string {
  return new Date(nowMs).toISOString().replaceAll(/[-:.]/g, '');
}

/** Holds the process id: two processes that set aside in the same millisecond must not replace each other's file. */
function freeName(path: string, nowMs: number): string {
  for (let count = 1; ; count += 1) {
    const name = `${path}.${stamp(nowMs)}-${process.pid}${count === 1 ? '' : `-${count}`}`;
    if (lstatSync(fileSystemPath(name), { throwIfNoEntry: false }) === undefined) return name;
  }
}

/** Oldest first. */
function namesSetAside(path: string): readonly string[] {
  const start = `${basename(path)}.`;
  return readdirSync(fileSystemPath(dirname(path)))
    .filter((name) => name.startsWith(start) && /^\d{8}T\d{9}Z(-\d+){0,2}$/.test(name.slice(start.length)))
    .sort((a, b) => (a < b ? -1 : 1));
}
