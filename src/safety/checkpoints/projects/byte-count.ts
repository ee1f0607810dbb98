import { errnoOf } from '../../../platform/paths/index.ts';
import { ensureRawFolder, rawNames, unlinkRaw } from '../../../platform/raw-files/index.ts';
import { createPrivateFile, FreshNames } from './temporary-file.ts';

const NAME = /^(add|base)_(-?\d{1,16})_[0-9a-f]+-\d+$/;

/**
 * The size of the store without a walk through it: the sum of the numbers in the names of empty files in
 * `<store>/bytes/`. A name is there or is not, so that nothing is torn by a crash, and nobody waits. It is an account, not
 * a measurement; maintenance sets it right. Methods throw what the file system does.
 */
export class ByteCount {
  readonly #folder: string;
  readonly #fresh = new FreshNames();

  /** @param store the folder of the store. */
  constructor(store: string) {
    this.#folder = `${store}/bytes`;
  }

  /** Counts bytes that were added, or removed when `bytes` is negative. */
  add(bytes: number): void {
    if (bytes !== 0) this.#write('add', bytes);
  }

  /** At least 0. */
  total(): number {
    return Math.max(
      0,
      this.#names().reduce((sum, name) => sum + Number(NAME.exec(name)?.[2] ?? 0), 0),
    );
  }

  /** Replaces everything that was counted until now by what a walk has found. For one process at a time. */
  reset(bytes: number): void {
    const counted = this.#names();
    this.#write('base', bytes);
    for (const name of counted) unlinkRaw(`${this.#folder}/${name}`);
  }

  #write(kind: 'add' | 'base', bytes: number): void {
    const path = `${this.#folder}/${kind}_${String(Math.round(bytes))}_${this.#fresh.next()}`;
    try {
      createPrivateFile(path, '');
    } catch (error) {
      if (!isNoFolder(error)) throw error;
      // Whatever has the name is no account.
      if (errnoOf(error) === 'ENOTDIR') unlinkRaw(this.#folder);
      ensureRawFolder(this.#folder);
      createPrivateFile(path, '');
    }
  }

  #names(): readonly string[] {
    try {
      return rawNames(this.#folder).filter((name) => NAME.test(name));
    } catch (error) {
      if (isNoFolder(error)) return [];
      throw error;
    }
  }
}

function isNoFolder(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '');
}
