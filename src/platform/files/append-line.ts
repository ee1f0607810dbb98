import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { displayPath, errnoOf, fileSystemPath } from '../paths/index.ts';
import { attemptFile, type FileResult } from './file-result.ts';

const FLAGS =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK | constants.O_NOCTTY;
const LINE_FEED = 0x0a;

/**
 * Adds one line to the end of a file, which is created when it is missing (mode 0600 by default). The line and its end go
 * out in one write, so lines of several processes do not mix. A last line that a crash cut short is ended first, so that
 * it does not swallow this one.
 *
 * @throws RangeError when `line` itself holds a line feed.
 */
export async function appendLine(
  path: string,
  line: string,
  { mode = 0o600, fsync = false }: { readonly mode?: number; readonly fsync?: boolean } = {},
): Promise<FileResult<undefined>> {
  if (line.includes('\n')) throw new RangeError(`a line for ${displayPath(path)} contains a line feed`);
  return attemptFile('append to', path, async () => {
    await refuseSpecialFile(path);
    await using handle = await open(fileSystemPath(path), FLAGS, mode);
    const start = (await endsTorn(handle)) ? '\n' : '';
    await handle.writeFile(`${start}${line}\n`);
    if (fsync) await handle.datasync();
    return undefined;
  });
}

async function refuseSpecialFile(path: string): Promise<void> {
  try {
    if ((await stat(fileSystemPath(path))).isFile()) return;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
    throw error;
  }
  throw Object.assign(new Error(`not a regular file: ${path}`), { code: 'ENXIO' });
}

async function endsTorn(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== LINE_FEED;
}
