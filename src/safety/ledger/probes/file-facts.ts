import { createHash } from 'node:crypto';
import { type FileStat, readFileRange, readLink, statPath } from '../../../platform/files/index.ts';
import type { FileFact } from '../model/foreseen.ts';

/** A larger file is told by its size, time and inode alone. */
const MAX_HASHED_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 4 * 1024 * 1024;

/** Begins the stamp of a symbolic link, whose destination follows. */
const LINK = 'link:';

/**
 * What stands at a path, a symbolic link taken for itself; undefined when that cannot be found out. Once `signal` is aborted, a file
 * is told as {@link stampOf} does.
 */
export async function factOf(path: string, signal: AbortSignal): Promise<FileFact | undefined> {
  const stat = await statPath(path, { followLinks: false });
  if (!stat.ok) return undefined;
  if (stat.value === undefined) return { type: 'absent' };
  switch (stat.value.kind) {
    case 'directory':
      return { type: 'folder' };
    case 'link': {
      const target = await readLink(path);
      return target.ok ? linkFact(target.value) : undefined;
    }
    case 'file':
      if (stat.value.size > MAX_HASHED_BYTES) return stamped(stat.value);
      return (await hashFile(path, { signal })) ?? (signal.aborted ? stamped(stat.value) : undefined);
    case 'other':
      return stamped(stat.value);
  }
}

/** The same as {@link factOf}, but a file by its size, time and inode: it differs as soon as the file has been written to. */
export async function stampOf(path: string, signal: AbortSignal): Promise<FileFact | undefined> {
  const stat = await statPath(path, { followLinks: false });
  return stat.ok && stat.value?.kind === 'file' ? stamped(stat.value) : factOf(path, signal);
}

/** The path as it is now, in the form in which `fact` can be compared to it. */
export async function factLike(
  fact: FileFact,
  path: string,
  signal: AbortSignal,
): Promise<FileFact | undefined> {
  return fact.type === 'other' && !fact.stamp.startsWith(LINK) ? stampOf(path, signal) : factOf(path, signal);
}

/** A symbolic link that leads there, as it is written in the link. */
export function linkFact(target: string): FileFact {
  return { type: 'other', stamp: `${LINK}${createHash('sha256').update(target).digest('hex')}` };
}

/** A file of that content. */
export function contentFact(content: Uint8Array | string): FileFact {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return { type: 'file', sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.byteLength };
}

/** What the file at `path` would be with `added` at its end; undefined when it cannot be read whole. */
export async function appendedFact(
  path: string,
  added: string,
  signal: AbortSignal,
): Promise<FileFact | undefined> {
  return hashFile(path, { signal, added });
}

export function isSameFact(a: FileFact, b: FileFact): boolean {
  if (a.type === 'file') return b.type === 'file' && a.sha256 === b.sha256 && a.size === b.size;
  if (a.type === 'other') return b.type === 'other' && a.stamp === b.stamp;
  return a.type === b.type;
}

async function hashFile(
  path: string,
  { signal, added = '' }: { readonly signal: AbortSignal; readonly added?: string },
): Promise<FileFact | undefined> {
  const hash = createHash('sha256');
  let size = 0;
  while (!signal.aborted) {
    const read = await readFileRange(path, { start: size, length: CHUNK_BYTES, signal });
    if (!read.ok) return undefined;
    const { bytes } = read.value;
    if (bytes.length === 0) {
      hash.update(added);
      return { type: 'file', sha256: hash.digest('hex'), size: size + Buffer.byteLength(added) };
    }
    hash.update(bytes);
    size += bytes.length;
    // It was smaller when it was looked at: somebody writes to it.
    if (size > MAX_HASHED_BYTES) return undefined;
  }
  return undefined;
}

function stamped({ kind, size, mtimeMs, inode }: FileStat): FileFact {
  return { type: 'other', stamp: [kind, size, mtimeMs, inode].join(':') };
}
