import { errnoOf } from '../../../platform/paths/index.ts';
import { rawNames } from '../../../platform/raw-files/index.ts';
import { RecordStore, type RecordStoreOptions } from './record-store.ts';

export type JournalsOptions = Omit<RecordStoreOptions, 'h16'>;

/** The journals of all projects of a store. Each is read once and kept. */
export class Journals {
  readonly #options: JournalsOptions;
  readonly #open = new Map<string, RecordStore>();

  constructor(options: JournalsOptions) {
    this.#options = options;
  }

  of(h16: string): RecordStore {
    const open = this.#open.get(h16) ?? new RecordStore({ ...this.#options, h16 });
    this.#open.set(h16, open);
    return open;
  }

  /** The projects that have a journal, sorted. Throws what the file system does. */
  hashes(): readonly string[] {
    try {
      const names = rawNames(`${this.#options.folder}/journals`);
      return names.filter((name) => /^[0-9a-f]{16}$/.test(name)).toSorted();
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return [];
      throw error;
    }
  }
}
