import { createHash } from 'node:crypto';
import { fileSystemPath } from '../../../platform/paths/index.ts';

/** The name of a project in the store: the first 16 hex digits of the SHA-256 of its canonical absolute path, taken as bytes. */
export function projectHash(root: string): string {
  return createHash('sha256').update(fileSystemPath(root)).digest('hex').slice(0, 16);
}
