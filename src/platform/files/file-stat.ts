import type { Stats } from 'node:fs';

export type FileKind = 'file' | 'directory' | 'link' | 'other';

/** What is known about a file without reading it. */
export interface FileStat {
  readonly kind: FileKind;
  /** In bytes. */
  readonly size: number;
  /** Permission bits: `0o644`. */
  readonly mode: number;
  /** Milliseconds since 1970-01-01 UTC, with a fraction. */
  readonly mtimeMs: number;
  readonly inode: number;
  readonly device: number;
  readonly uid: number;
  readonly gid: number;
  /** How many names the file has. */
  readonly links: number;
}

interface HasKind {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

export function kindOf(entry: HasKind): FileKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

export function toFileStat(stats: Stats): FileStat {
  const { size, mtimeMs, uid, gid } = stats;
  return {
    kind: kindOf(stats),
    size,
    mode: stats.mode & 0o7777,
    mtimeMs,
    inode: stats.ino,
    device: stats.dev,
    uid,
    gid,
    links: stats.nlink,
  };
}
