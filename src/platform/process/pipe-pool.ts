import { spawn } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Both ends of one pipe, as blocking descriptors that a child does not inherit unless they are handed to it. */
export interface PipeEnds {
  readonly readFd: number;
  readonly writeFd: number;
}

export interface PipePoolOptions {
  /** Where the pipes get a name for a moment, tried in this order. */
  readonly directories?: readonly string[];
  /** The program that makes them. */
  readonly mkfifo?: string;
}

/** Making a batch costs one process, so it is shared by several runs. */
const BATCH_SIZE = 12;

/**
 * Real pipes for children. Node.js itself only makes sockets, and on Linux a child cannot open
 * `/dev/stdout` or `/dev/stderr` when they are sockets (ENXIO, https://github.com/nodejs/node/issues/21941), which breaks
 * `echo reason > /dev/stderr`; and bash takes a socket for a remote login and reads `~/.bashrc`. The pipes are named ones, opened and removed at once, so nothing stays on disk even when this
 * process is killed.
 */
export class PipePool {
  readonly #directories: readonly string[];
  readonly #mkfifo: string;
  #spare: PipeEnds[] = [];
  #filling: Promise<boolean> | undefined;
  #isBroken = false;

  constructor({ directories = [tmpdir(), '/dev/shm'], mkfifo = 'mkfifo' }: PipePoolOptions = {}) {
    this.#directories = directories;
    this.#mkfifo = mkfifo;
  }

  /**
   * Takes pipes out of the pool; whoever gets them closes them. Undefined when none can be made here; that is remembered, so
   * that the attempt is paid for once.
   */
  async take(count: number): Promise<PipeEnds[] | undefined> {
    while (this.#spare.length < count) {
      if (this.#isBroken) return undefined;
      this.#filling ??= this.#fill().finally(() => {
        this.#filling = undefined;
      });
      this.#isBroken = !(await this.#filling);
    }
    return this.#spare.splice(0, count);
  }

  /** Closes the pipes nobody took. The pool can go on being used. */
  close(): void {
    for (const ends of this.#spare.splice(0)) closeEnds(ends);
  }

  async #fill(): Promise<boolean> {
    for (const directory of this.#directories) {
      const made = await makePipes(directory, this.#mkfifo);
      this.#spare.push(...made);
      if (made.length === BATCH_SIZE) return true;
    }
    return false;
  }
}

/** Closes both ends. */
export function closeEnds({ readFd, writeFd }: PipeEnds): void {
  closeSync(readFd);
  closeSync(writeFd);
}

async function makePipes(parent: string, mkfifo: string): Promise<PipeEnds[]> {
  const made: PipeEnds[] = [];
  let directory: string | undefined;
  try {
    directory = mkdtempSync(join(parent, 'herma-pipes-'));
    const paths = Array.from({ length: BATCH_SIZE }, (_, index) => join(directory ?? parent, String(index)));
    if (!(await runMkfifo(mkfifo, paths))) return [];
    for (const path of paths) made.push(openEnds(path));
    return made;
  } catch {
    // A full, read-only or missing directory, or no descriptors left: sockets take the place of the pipes.
    return made;
  } finally {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  }
}

async function runMkfifo(command: string, paths: readonly string[]): Promise<boolean> {
  const child = spawn(command, ['-m', '600', ...paths], {
    env: { PATH: `/usr/bin:/bin:${process.env['PATH'] ?? ''}` },
    stdio: 'ignore',
  });
  return new Promise((resolve) => {
    child.once('error', () => {
      resolve(false);
    });
    child.once('exit', (code) => {
      resolve(code === 0);
    });
  });
}

/** A named pipe opens for writing only beside a reader, hence the first reader; a child must not get that non-blocking one. */
function openEnds(path: string): PipeEnds {
  const firstReader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const writeFd = openSync(path, constants.O_WRONLY);
    try {
      return { readFd: openSync(path, constants.O_RDONLY), writeFd };
    } catch (error) {
      closeSync(writeFd);
      throw error;
    }
  } finally {
    closeSync(firstReader);
  }
}
