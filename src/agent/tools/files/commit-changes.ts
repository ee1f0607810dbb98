import { dirname } from 'node:path';
import { fail, type Result } from '../../../kernel/errors/index.ts';
import type { FileErrorCode, FileFailure, StagedFile } from '../../../platform/files/index.ts';
import { toDisplayed } from './displayed-path.ts';
import type { FileStore } from './file-store.ts';

/** What a file was before. */
export interface FileBefore {
  readonly bytes: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
}

/** One file that changes. Paths are absolute and lead over no link at their end. */
export type FileChange =
  | {
      readonly type: 'write';
      readonly path: string;
      readonly content: string;
      /** Undefined when there is no such file. */
      readonly before: FileBefore | undefined;
      /** Permission bits of a new file, subject to the umask. */
      readonly mode?: number;
    }
  | { readonly type: 'remove'; readonly path: string; readonly before: FileBefore };

/** Permission bits of what the tools create, subject to the umask, as any program's. */
export const NEW_FILE_MODE = 0o666;
export const NEW_FOLDER_MODE = 0o777;

/**
 * Makes all changes or none. Everything that is written is on the disk under another name before the first file changes;
 * when a step fails after that, what was changed is put back. The failure says so, and names the files where even that
 * failed.
 */
export async function commitChanges(
  changes: readonly FileChange[],
  files: FileStore,
): Promise<Result<undefined, FileErrorCode>> {
  const work = new Transaction(files);
  for (const change of changes) {
    const failure = await work.stage(change);
    if (failure !== undefined) return work.giveUp(failure);
  }
  for (const change of changes) {
    const failure = await work.apply(change);
    if (failure !== undefined) return work.giveUp(failure);
  }
  return { ok: true, value: undefined };
}

/** Removes folders that were created for nothing, the innermost first, as long as they are empty. */
export async function removeEmptyFolders(folders: readonly string[], files: FileStore): Promise<void> {
  for (const folder of folders.toReversed()) {
    const entries = await files.list(folder);
    if (!entries.ok || entries.value.length > 0) return;
    await files.removeTree(folder);
  }
}

class Transaction {
  readonly #files: FileStore;
  readonly #staged = new Map<FileChange, StagedFile>();
  readonly #applied: FileChange[] = [];
  readonly #newFolders: string[] = [];

  constructor(files: FileStore) {
    this.#files = files;
  }

  async stage(change: FileChange): Promise<FileFailure | undefined> {
    if (change.type === 'remove') return undefined;
    const { path, content, mode = NEW_FILE_MODE } = change;
    const folders = await this.#files.makeDirectory(dirname(path), { mode: NEW_FOLDER_MODE });
    if (!folders.ok) return folders;
    this.#newFolders.push(...folders.value);
    const staged = await this.#files.stage(path, content, { mode, keepMode: true });
    if (!staged.ok) return staged;
    this.#staged.set(change, staged.value);
    return undefined;
  }

  async apply(change: FileChange): Promise<FileFailure | undefined> {
    const done =
      change.type === 'remove'
        ? await this.#files.remove(change.path)
        : await this.#staged.get(change)?.commit();
    if (done === undefined) throw new Error(`${change.path} was not staged`);
    if (!done.ok) return done;
    this.#applied.push(change);
    return undefined;
  }

  async giveUp({ code, message, remedy }: FileFailure): Promise<Result<undefined, FileErrorCode>> {
    for (const staged of this.#staged.values()) await staged.discard();
    const lost: string[] = [];
    for (const change of this.#applied.toReversed()) {
      const restored = await this.#putBack(change);
      if (restored !== undefined) lost.push(`${toDisplayed(change.path)} (${restored.message})`);
    }
    await removeEmptyFolders(this.#newFolders, this.#files);
    if (lost.length === 0) return fail(code, `${message}. Nothing was changed`, remedy);
    return fail(
      code,
      `${message}. These files were changed and could not be put back: ${lost.join(', ')}`,
      remedy,
    );
  }

  async #putBack({ path, before }: FileChange): Promise<FileFailure | undefined> {
    const restored =
      before === undefined
        ? await this.#files.remove(path)
        : await this.#files.write(path, before.bytes, { mode: before.mode, keepMode: true });
    return restored.ok ? undefined : restored;
  }
}
