import { fail, messageOf, type Result, succeed } from '../../../kernel/errors/index.ts';
import { parseJson } from '../../../kernel/json/index.ts';
import { displayPath, errnoOf, isFileError } from '../../../platform/paths/index.ts';
import { randomId } from '../../../platform/random/index.ts';
import {
  createRawFile,
  ensureRawFolder,
  makeRawFolder,
  rawContent,
  rawKindOf,
  rawNames,
  rawStat,
  removeRawFolder,
  renameRaw,
  syncRawFolder,
  unlinkRaw,
} from '../../../platform/raw-files/index.ts';
import { decodeSpoolEntry, type SpoolEntry } from './spool-entry.ts';

/** An entry, and the file it stands in. */
export interface SpooledEntry {
  readonly name: string;
  readonly entry: SpoolEntry;
}

const NAME = /^\d{15}-[a-z0-9_]+\.json$/;
/** More is not kept: a journal that cannot be written for so long is a fault somebody must see. */
const MAX_ENTRIES = 4096;
const MAX_ENTRY_BYTES = 1024 * 1024;
/** How often a folder is made anew that others removed just now, being empty. */
const MAX_TRIES = 20;

/**
 * A folder beside the journal for what could not be written while others held it: ends of calls, and calls that were stopped; one file each,
 * which is there as a whole or not at all. The next process that can write the journal takes them in, and removes them once that is on the
 * disk: an entry that is taken in twice changes nothing. What is in it holds no secrets.
 */
export class Spool {
  readonly #folder: string;
  readonly #path: string;
  readonly #onUnusable: (line: string) => void;

  constructor(folder: string, onUnusable: (line: string) => void) {
    this.#folder = folder;
    this.#path = `${folder}/spool`;
    this.#onUnusable = onUnusable;
  }

  /** On the disk when it returns. Fails when it cannot be written, or there are too many. `nowMs` gives their order. */
  add(entry: SpoolEntry, nowMs: number): Result<undefined> {
    const made = `${this.#folder}/spool-${randomId()}.new`;
    try {
      const kind = this.#kind();
      if (kind !== undefined && kind !== 'directory')
        return fail('spool_unusable', `${displayPath(this.#path)} is no folder.`, 'Move it away.');
      if (kind !== undefined && rawNames(this.#path).length >= MAX_ENTRIES)
        return fail(
          'spool_full',
          `${displayPath(this.#path)} is full: the journal could not be written for long.`,
        );
      ensureRawFolder(this.#folder);
      createRawFile(made, Buffer.from(JSON.stringify(entry)), { mode: 0o600, sync: true });
      this.#moveIn(made, `${String(Math.trunc(nowMs)).padStart(15, '0')}-${randomId()}.json`);
      return succeed(undefined);
    } catch (error) {
      if (!isFileError(error)) throw error;
      this.#quietly(() => unlinkRaw(made));
      return fail('spool_unwritable', `${displayPath(this.#path)} cannot be written: ${messageOf(error)}`);
    }
  }

  /** Whether there is nothing to take in. Cheap: asked before every write. */
  isEmpty(): boolean {
    return this.#kind() !== 'directory';
  }

  /** The oldest entries, at most `limit`. What is none, or cannot be read as one, is moved away and said. */
  read(limit: number): readonly SpooledEntry[] {
    const names = this.#quietly(() => rawNames(this.#path).toSorted()) ?? [];
    if (names.length === 0) this.#quietly(() => removeRawFolder(this.#path));
    return names.slice(0, limit).flatMap((name) => {
      const entry = this.#entryIn(name);
      return entry === undefined ? [] : [{ name, entry }];
    });
  }

  /** Removes entries that are in the journal. */
  remove(names: readonly string[]): void {
    this.#quietly(() => {
      for (const name of names) unlinkRaw(`${this.#path}/${name}`);
      removeRawFolder(this.#path);
    });
  }

  /** Keeps something aside that the journal cannot take in, so that nobody tries it again and again. */
  setAside(name: string): void {
    const place = `${this.#folder}/spool.unusable`;
    const isMoved = this.#quietly(() => {
      ensureRawFolder(place);
      renameRaw(`${this.#path}/${name}`, `${place}/${randomId()}`);
      return true;
    });
    if (isMoved === true)
      this.#onUnusable(
        `Something that was to be added to the journal later could not be: it was kept in ${displayPath(place)}.`,
      );
  }

  #entryIn(name: string): SpoolEntry | undefined {
    try {
      const bytes = NAME.test(name) ? rawContent(`${this.#path}/${name}`, MAX_ENTRY_BYTES)?.bytes : undefined;
      const parsed = bytes === undefined ? undefined : parseJson(bytes.toString('utf8'));
      const entry = parsed?.ok === true ? decodeSpoolEntry(parsed.value) : undefined;
      if (entry === undefined) this.setAside(name);
      return entry;
    } catch (error) {
      if (!isFileError(error)) throw error;
      // Another process was faster, or it cannot be read now.
      return undefined;
    }
  }

  /** Another process may remove the folder, being empty, at any moment. */
  #moveIn(made: string, name: string): void {
    for (let tries = 1; ; tries += 1) {
      try {
        if (this.#kind() === undefined) makeRawFolder(this.#path, 0o700);
        renameRaw(made, `${this.#path}/${name}`);
        break;
      } catch (error) {
        if (!['ENOENT', 'EEXIST'].includes(errnoOf(error) ?? '') || tries >= MAX_TRIES) throw error;
      }
    }
    this.#quietly(() => {
      syncRawFolder(this.#path);
    });
    this.#quietly(() => {
      syncRawFolder(this.#folder);
    });
  }

  #kind(): ReturnType<typeof rawKindOf> | undefined {
    const stat = this.#quietly(() => rawStat(this.#path));
    return stat === undefined ? undefined : rawKindOf(stat);
  }

  /** Undefined when the disk does not let us: the next who tries may be luckier. */
  #quietly<Value>(work: () => Value): Value | undefined {
    try {
      return work();
    } catch (error) {
      if (!isFileError(error)) throw error;
      return undefined;
    }
  }
}
