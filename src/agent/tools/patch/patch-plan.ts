import { isUtf8 } from 'node:buffer';
import { fail, type Result } from '../../../kernel/errors/index.ts';
import { looksBinary } from '../../../platform/files/index.ts';
import type { FileBefore, FileChange } from '../files/commit-changes.ts';
import type { PathBase } from '../files/locate-file.ts';
import { type WritableTarget, type WritingPorts, writableTarget } from '../files/writable-target.ts';

/** The largest file that is patched, in bytes. */
const MAX_PATCHED_BYTES = 64 * 1024 * 1024;

/** A file in the state the plan has brought it to. */
export interface PlannedFile {
  readonly target: WritableTarget;
  /** As it is on the disk; undefined when it is not there. */
  readonly before: FileBefore | undefined;
  /** As it is to become; undefined when it is not to be there. */
  readonly text: string | undefined;
  /** Permission bits, when it takes the place of another file. */
  readonly mode?: number;
}

/**
 * What a call makes of files, in memory: later steps see what earlier ones did, under whatever name, and the disk is only
 * read. {@link changes} is what has to happen.
 */
export class PatchPlan {
  readonly #base: PathBase;
  readonly #ports: WritingPorts;
  readonly #files = new Map<string, PlannedFile>();

  constructor(base: PathBase, ports: WritingPorts) {
    this.#base = base;
    this.#ports = ports;
  }

  /** The file of that path. Fails when it is no regular file, too large, or not to be written by a tool. */
  async open(given: string): Promise<Result<PlannedFile>> {
    const target = writableTarget(given, this.#base, this.#ports);
    if (!target.ok) return target;
    const known = this.#files.get(target.value.realPath);
    if (known !== undefined) return { ok: true, value: { ...known, target: target.value } };
    const before = await readBefore(target.value);
    if (!before.ok) return before;
    return { ok: true, value: { target: target.value, before: before.value, text: textOf(before.value) } };
  }

  /** Takes note of what becomes of a file that was opened. */
  set(file: PlannedFile, text: string | undefined, mode?: number): void {
    this.#files.set(file.target.realPath, { ...file, text, ...(mode === undefined ? {} : { mode }) });
  }

  /** In the order in which the files were first changed; without those that stay what they are. */
  get changes(): readonly FileChange[] {
    return [...this.#files.values()].flatMap(({ target, before, text, mode }): FileChange[] => {
      const path = target.realPath;
      if (text === undefined) return before === undefined ? [] : [{ type: 'remove', path, before }];
      if (before !== undefined && textOf(before) === text) return [];
      return [{ type: 'write', path, content: text, before, ...(mode === undefined ? {} : { mode }) }];
    });
  }
}

/** Refuses a file whose text cannot be written back as it was. */
export function textToEdit({ target, before, text }: PlannedFile): Result<string> {
  const { shown } = target;
  if (text === undefined) return fail('not_found', `There is no ${shown}.`);
  if (before === undefined || textOf(before) !== text) return { ok: true, value: text };
  if (looksBinary(before.bytes)) {
    return fail('binary', `${shown} is binary, not text.`, 'Change it with the program that makes it.');
  }
  if (!isUtf8(before.bytes)) {
    return fail(
      'not_utf8',
      `${shown} is not valid UTF-8; patching it would damage it.`,
      'Convert it first, as with iconv.',
    );
  }
  return { ok: true, value: text };
}

async function readBefore({
  files,
  realPath,
  shown,
}: WritableTarget): Promise<Result<FileBefore | undefined>> {
  const stat = await files.stat(realPath);
  if (!stat.ok) return stat;
  if (stat.value === undefined) return { ok: true, value: undefined };
  if (stat.value.kind === 'directory')
    return fail('not_a_file', `${shown} is a folder.`, 'Name a file in it.');
  const read = await files.read(realPath, { maxBytes: MAX_PATCHED_BYTES });
  if (!read.ok) return read;
  return { ok: true, value: { bytes: read.value.bytes, mode: read.value.stat.mode } };
}

function textOf(before: FileBefore | undefined): string | undefined {
  return before === undefined ? undefined : Buffer.from(before.bytes).toString('utf8');
}
