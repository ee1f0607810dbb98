import { dirname } from 'node:path';
import { isInside } from '../../../../platform/paths/index.ts';
import type { FileFact, ForeseenFile } from '../../model/foreseen.ts';
import { appendedFact, factOf, isSameFact, stampOf } from '../file-facts.ts';

/** Paths of one command, at most. */
const MAX_PATHS = 60;

/**
 * What the programs of a command make of files, one after the other, without any of it happening: each sees what those before it
 * would have left. What becomes too intricate to tell is given up, not guessed.
 */
export class PlannedFiles {
  readonly #changes = new Map<string, ForeseenFile>();
  /** What is removed, copied or moved as a whole, or has two names: what is there is no longer known. */
  readonly #upturned = new Set<string>();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** What would stand at a path by then; undefined when that is not known. */
  async current(path: string): Promise<FileFact | undefined> {
    if (this.#isUpturned(path)) return undefined;
    const planned = this.#changes.get(path);
    if (planned !== undefined) return planned.after;
    return factOf(path, this.#signal);
  }

  /** Whether the folder that holds a path would be there. */
  async hasFolderOf(path: string): Promise<boolean> {
    return (await this.current(dirname(path)))?.type === 'folder';
  }

  /**
   * Notes what a path becomes; `after` undefined: only that it changes is known. Returns whether that could be noted: if not, nothing
   * is foreseen of that path any more.
   */
  async change(path: string, after: FileFact | undefined): Promise<boolean> {
    if (this.#isUpturned(path) || this.#changes.size >= MAX_PATHS) return this.giveUp(path);
    const planned = this.#changes.get(path);
    const onDisk = await (after === undefined ? stampOf : factOf)(path, this.#signal);
    const before = planned === undefined ? onDisk : planned.before;
    if (before === undefined) return this.giveUp(path);
    // Comparing with what it was tells nothing when that was noted in another form.
    if (after === undefined && before.type === 'file' && planned !== undefined) return this.giveUp(path);
    this.#changes.set(path, { path, before, ...(after === undefined ? {} : { after }) });
    return true;
  }

  /** Notes that a folder is removed piece by piece: while it is there, nobody can tell how much of it. */
  removeTree(path: string): boolean {
    const isIntricate = this.#isUpturned(path) || this.#changes.has(path);
    this.upturn(path);
    if (isIntricate) return this.giveUp(path);
    this.#changes.set(path, { path, after: { type: 'absent' } });
    return true;
  }

  /** From now on nothing more is said about what is there, or below it. */
  upturn(path: string): void {
    for (const other of this.#changes.keys()) {
      if (other !== path && isInside(path, other)) this.#changes.delete(other);
    }
    this.#upturned.add(path);
  }

  /** Forgets what was foreseen of a path, because what becomes of it cannot be told. */
  giveUp(path: string): false {
    this.#changes.delete(path);
    return false;
  }

  /** What the file would be with `added` at its end. */
  async appended(path: string, added: string): Promise<FileFact | undefined> {
    if (this.#isUpturned(path) || this.#changes.has(path)) return undefined;
    return appendedFact(path, added, this.#signal);
  }

  /** In the order in which the paths were first changed. */
  get foreseen(): readonly ForeseenFile[] {
    return [...this.#changes.values()];
  }

  /** Whether the path is, or lies in, something whose content is not known any more. */
  #isUpturned(path: string): boolean {
    return [...this.#upturned].some((folder) => isInside(folder, path));
  }
}

/** Whether a path is to be afterwards what it was before: then looking at it later tells nothing. */
export function isUnchanged({ before, after }: ForeseenFile): boolean {
  return before !== undefined && after !== undefined && isSameFact(before, after);
}
