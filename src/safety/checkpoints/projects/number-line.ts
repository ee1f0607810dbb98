import { errnoOf } from '../../../platform/paths/index.ts';
import { randomBytes } from '../../../platform/random/index.ts';
import {
  ensureRawFolder,
  linkRaw,
  rawNames,
  renameRaw,
  unlinkRaw,
} from '../../../platform/raw-files/index.ts';
import { seqName } from './ref-names.ts';
import { createPrivateFile } from './temporary-file.ts';

const RECORD_NAME = /^(\d{10,16})\.json$/;
const FLOOR_NAME = /^\d{10,16}$/;
const MARK_PREFIX = 'mark-';
/** So many numbers are tried one by one before the folder is listed. */
const TRIES = 8;

/**
 * The numbers of a project's records, each given out once, in order, without a lock: a number is taken by whoever makes
 * the file `<folder>/<number>.json`. Numbers whose files are gone are not given out again because the highest of them is
 * in `<folder>/numbers/`, the floor; every number above the floor and below the highest is a file that exists. A mark in
 * the same folder tells this journal from one that was cleared and begun anew.
 */
export class NumberLine {
  readonly #folder: string;
  readonly #below: string;
  #last = 0;
  #mark = '';

  constructor(folder: string) {
    this.#folder = folder;
    this.#below = `${folder}/numbers`;
  }

  pathOf(seq: number): string {
    return `${this.#folder}/${seqName(seq)}.json`;
  }

  /** Makes the folders. */
  create(): void {
    ensureRawFolder(this.#below);
    if (this.#look().mark !== '') return;
    const mark = `${MARK_PREFIX}${Buffer.from(randomBytes(8)).toString('hex')}`;
    createPrivateFile(`${this.#below}/${mark}`, '');
  }

  /** Gives the complete file at `draft`, in the same folder, the next number as a second name. */
  take(draft: string): number {
    this.#catchUp();
    for (let tries = 1; ; tries += 1) {
      const seq = this.#last + 1;
      if (!linkIfFree(draft, this.pathOf(seq))) {
        this.#last = tries === TRIES ? Math.max(seq, this.#highest()) : seq;
        continue;
      }
      const { floor, mark } = this.#look();
      if (mark === this.#mark && floor < seq) {
        this.#last = seq;
        return seq;
      }
      unlinkRaw(this.pathOf(seq));
      this.#catchUp();
    }
  }

  /** Removes the files of numbers. They need not exist. Asks the disk for no space. */
  remove(seqs: readonly number[]): void {
    let floor = 0;
    for (const seq of seqs.toSorted((one, other) => other - one)) {
      if (seq < floor) unlinkRaw(this.pathOf(seq));
      else if (this.#raiseFloor(seq)) floor = seq;
    }
  }

  /** Differs for each journal that is begun anew; empty when there is none. */
  mark(): string {
    return this.#look().mark;
  }

  /** Numbers that have files, in no particular order. */
  seqs(): readonly number[] {
    return namesIn(this.#folder).flatMap((name) => {
      const digits = RECORD_NAME.exec(name)?.[1];
      return digits === undefined ? [] : [Number(digits)];
    });
  }

  #highest(): number {
    return this.seqs().reduce((highest, seq) => Math.max(highest, seq), 0);
  }

  /** Learns which numbers were given out and are gone, and whether the journal was begun anew. */
  #catchUp(): void {
    let { floor, mark } = this.#look();
    if (mark === '') {
      this.create();
      ({ floor, mark } = this.#look());
    }
    this.#last = mark === this.#mark ? Math.max(this.#last, floor) : floor;
    this.#mark = mark;
  }

  /** Turns the file of a number into the floor. Whether it was there. */
  #raiseFloor(seq: number): boolean {
    try {
      renameRaw(this.pathOf(seq), `${this.#below}/${seqName(seq)}`);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return false;
      throw error;
    }
    for (const name of namesIn(this.#below))
      if (FLOOR_NAME.test(name) && Number(name) < seq) unlinkRaw(`${this.#below}/${name}`);
    return true;
  }

  #look(): { readonly floor: number; readonly mark: string } {
    const names = namesIn(this.#below);
    const floors = names.filter((name) => FLOOR_NAME.test(name)).map(Number);
    const marks = names.filter((name) => name.startsWith(MARK_PREFIX));
    return { floor: Math.max(0, ...floors), mark: marks.toSorted().join(' ') };
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return rawNames(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function linkIfFree(from: string, to: string): boolean {
  try {
    linkRaw(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}
