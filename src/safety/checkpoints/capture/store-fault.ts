import { describeFileError, isFileError } from '../../../platform/paths/index.ts';
import { CorruptObjectError } from '../objects/corrupt-object-error.ts';

/** What went wrong, in one line, when it is a fault of disks and files. Anything else is a bug, and thrown again. */
export function storeFault(error: unknown, path: string): string {
  if (error instanceof CorruptObjectError) return error.message;
  if (!isFileError(error)) throw error;
  return describeFileError(error, pathOf(error) ?? path, 'take a checkpoint:').message;
}

/** The path that the system names in its error. */
function pathOf(error: unknown): string | undefined {
  return error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : undefined;
}
