import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { errnoOf, fileSystemPath } from '../paths/index.ts';

/** What file systems answer that cannot flush a folder, or do not let it be opened for that. */
const CANNOT_SYNC: ReadonlySet<string | undefined> = new Set([
  'EINVAL',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EISDIR',
  'EACCES',
  'EPERM',
]);

/** Flushes the names in a folder to the disk, where the file system can. Throws what `node:fs` throws. */
export async function syncDirectory(path: string): Promise<void> {
  try {
    await using handle = await open(fileSystemPath(path), constants.O_RDONLY | constants.O_DIRECTORY);
    await handle.sync();
  } catch (error) {
    if (!CANNOT_SYNC.has(errnoOf(error))) throw error;
  }
}
