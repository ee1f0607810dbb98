import { join } from 'node:path';
import { errnoOf } from '../../../platform/paths/index.ts';
import { randomBytes } from '../../../platform/random/index.ts';
import {
  createRawFile,
  rawContent,
  rawStat,
  renameRaw,
  unlinkRaw,
} from '../../../platform/raw-files/index.ts';
import type { Oid } from '../model/path-state.ts';

const LINE = /^([0-9a-f]{40}) (\S+)$/;
/** A lock that is older was left behind by a git that died: writing the file takes milliseconds. */
const STALE_MS = 60 * 60 * 1000;
const MAX_ATTEMPTS = 100;
const PAUSE_MS = 10;

/** The file in which git keeps refs that are not in files of their own; see git-pack-refs(1). */
export class PackedRefs {
  readonly #path: string;
  #refs: ReadonlyMap<string, Oid> = new Map();
  /** Which file `#refs` was read from. */
  #version = '';

  /** `folder` is the git repository. */
  constructor(folder: string) {
    this.#path = join(folder, 'packed-refs');
  }

  /** Undefined when it is not packed. `name` is the whole name, from `refs/` on. */
  get(name: string): Oid | undefined {
    return this.all().get(name);
  }

  /** By their whole names. Lines that are no refs are left out. */
  all(): ReadonlyMap<string, Oid> {
    const stat = rawStat(this.#path);
    const version =
      stat === undefined ? '' : [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].map(String).join(' ');
    if (version === this.#version) return this.#refs;
    const refs = new Map<string, Oid>();
    for (const line of this.#lines()) {
      const [, oid, name] = LINE.exec(line) ?? [];
      if (oid !== undefined && name !== undefined) refs.set(name, oid);
    }
    this.#refs = refs;
    this.#version = version;
    return refs;
  }

  /** Whether it was there. Throws an Error when somebody holds the lock for a second. */
  delete(name: string): boolean {
    if (this.get(name) === undefined) return false;
    const lock = `${this.#path}.lock`;
    this.#lock(lock);
    try {
      const temporary = this.#temporary();
      const text = without(this.#lines(), name);
      createRawFile(temporary, Buffer.from(text, 'latin1'), { mode: 0o600, sync: true });
      renameRaw(temporary, this.#path);
    } finally {
      unlinkRaw(lock);
    }
    return true;
  }

  #lines(): readonly string[] {
    try {
      return rawContent(this.#path)?.bytes.toString('latin1').split('\n').filter(Boolean) ?? [];
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return [];
      throw error;
    }
  }

  #temporary(): string {
    return join(this.#path, '..', `tmp_refs_${Buffer.from(randomBytes(10)).toString('hex')}`);
  }

  #lock(path: string): void {
    for (let attempt = 1; ; attempt += 1) {
      try {
        createRawFile(path, new Uint8Array(), { mode: 0o600 });
        return;
      } catch (error) {
        if (errnoOf(error) !== 'EEXIST') throw error;
        if (attempt === MAX_ATTEMPTS)
          throw new Error(`git holds ${path}; if no git runs in the checkpoint store, remove that file`, {
            cause: error,
          });
        if (attempt === 1 && this.#isStale(path)) unlinkRaw(path);
        else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      }
    }
  }

  /** Measured against a file that is made now: the clock of the file system is the only one that counts. */
  #isStale(path: string): boolean {
    const probe = this.#temporary();
    createRawFile(probe, new Uint8Array(), { mode: 0o600 });
    const now = rawStat(probe)?.mtimeMs;
    unlinkRaw(probe);
    const then = rawStat(path)?.mtimeMs;
    return now !== undefined && then !== undefined && now - then > STALE_MS;
  }
}

/** The lines without a ref, and without the line that says what its tag refers to. */
function without(lines: readonly string[], name: string): string {
  let isDropped = false;
  const kept = lines.filter((line) => {
    if (line.startsWith('^')) return !isDropped;
    isDropped = line.endsWith(` ${name}`);
    return !isDropped;
  });
  return kept.map((line) => `${line}\n`).join('');
}
