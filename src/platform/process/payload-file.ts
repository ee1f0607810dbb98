import { randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Memory first: a payload may hold secrets, and it should not reach a disk. */
const DIRECTORIES: readonly string[] = ['/dev/shm', tmpdir()];

/**
 * A descriptor from which a child reads the payload as its standard input. A file, because on Linux a child can open
 * `/dev/stdin` again when it is a file but not when it is the socket Node.js would make, and because nobody has to keep
 * writing to a child that does not read. The file has no name when the payload is written to it, and is gone with the last
 * descriptor. The caller closes the descriptor. Undefined when no such file can be made here.
 */
export function openPayload(
  payload: Uint8Array,
  directories: readonly string[] = DIRECTORIES,
): number | undefined {
  for (const directory of directories) {
    const fd = tryOpen(payload, directory);
    if (fd !== undefined) return fd;
  }
  return undefined;
}

function tryOpen(payload: Uint8Array, directory: string): number | undefined {
  const path = join(directory, `herma-stdin-${randomUUID()}`);
  const opened: number[] = [];
  let result: number | undefined;
  try {
    const writeFd = openSync(path, 'wx', 0o600);
    opened.push(writeFd);
    const readFd = openSync(path, 'r');
    opened.push(readFd);
    unlinkSync(path);
    for (let written = 0; written < payload.length; ) written += writeSync(writeFd, payload, written);
    result = readFd;
    return result;
  } catch {
    // A full, read-only or missing directory: the next one, or a pipe, takes its place.
    return undefined;
  } finally {
    for (const fd of opened) if (fd !== result) closeSync(fd);
  }
}
