import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileSystemPath } from '../paths/index.ts';

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Where Linux shows the files this process has open: a path through it starts at the open folder, whatever its name is now. */
const OPEN_FILES = '/proc/self/fd';

/**
 * A folder that is held open, so that a link planted on the way to it leads nobody elsewhere: {@link pathOf} names its
 * entries by the open folder, not by its name. Where the system has no such names (macOS), every part of the way is
 * checked anew by each {@link pathOf} instead, which leaves the moment between check and use. To be closed.
 */
export class HeldFolder {
  readonly #descriptor: number;
  readonly #path: string;
  readonly #base: string;

  private constructor(descriptor: number, path: string, base: string) {
    this.#descriptor = descriptor;
    this.#path = path;
    this.#base = base;
  }

  /**
   * Opens the folder `parts` lead to below `base`, a folder of which links on the way are fine. Throws what open(2)
   * does: `ELOOP` or `ENOTDIR` when a part is a link or no folder, `ENOENT` when it is not there.
   *
   * @throws TypeError for a part that names no entry of a folder (`..`, `a/b`).
   */
  static open(base: string, parts: readonly string[]): HeldFolder {
    for (const part of parts) checkName(part);
    let descriptor = openSync(fileSystemPath(base), constants.O_RDONLY | constants.O_DIRECTORY);
    let path = base;
    for (const part of parts) {
      const outer = descriptor;
      path = join(path, part);
      try {
        const way = existsSync(OPEN_FILES) ? `${OPEN_FILES}/${String(outer)}/${part}` : path;
        descriptor = openSync(fileSystemPath(way), FOLDER);
      } finally {
        closeSync(outer);
      }
    }
    return new HeldFolder(descriptor, path, base);
  }

  /**
   * A path that names this entry of the folder. Throws when the folder is no longer where it was, where that matters.
   *
   * @throws TypeError for what names no entry of a folder (`..`, `a/b`).
   */
  pathOf(name: string): string {
    checkName(name);
    if (existsSync(OPEN_FILES)) return `${OPEN_FILES}/${String(this.#descriptor)}/${name}`;
    this.#checkWay();
    return join(this.#path, name);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #checkWay(): void {
    for (let path = this.#path; path !== this.#base; path = dirname(path)) {
      if (lstatSync(fileSystemPath(path)).isSymbolicLink())
        throw Object.assign(new Error(`${path} has become a link`), { code: 'ELOOP', syscall: 'open' });
    }
    const [held, named] = [fstatSync(this.#descriptor), statSync(fileSystemPath(this.#path))];
    if (held.ino !== named.ino || held.dev !== named.dev)
      throw Object.assign(new Error(`${this.#path} was replaced`), { code: 'ENOTDIR', syscall: 'open' });
  }
}

function checkName(name: string): void {
  if (['', '.', '..'].includes(name) || name.includes('/'))
    throw new TypeError(`${JSON.stringify(name)} names no entry of a folder`);
}
