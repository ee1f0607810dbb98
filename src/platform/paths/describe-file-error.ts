import { type Failure, messageOf } from '../../kernel/errors/index.ts';
import { displayPath } from './display-path.ts';
import { InvalidPathError } from './file-name-bytes.ts';

/** What can be wrong with a file operation. `failed` is anything the system reports that has no word of its own. */
export type FileErrorCode =
  | 'not_found'
  | 'not_a_file'
  | 'not_a_directory'
  | 'already_exists'
  | 'not_empty'
  | 'denied'
  | 'read_only'
  | 'disk_full'
  | 'too_large'
  | 'name_too_long'
  | 'link_loop'
  | 'busy'
  | 'too_many_open_files'
  | 'other_disk'
  | 'unsupported'
  | 'invalid_path'
  | 'cancelled'
  | 'failed';

/** A file operation that did not succeed. */
export interface FileFailure extends Failure<FileErrorCode> {
  /** The path it was about, as it was given. */
  readonly path: string;
  readonly remedy: string;
  /** The name the system gave to the error, such as `ENOSPC`. */
  readonly errno?: string;
}

interface Explanation {
  readonly code: FileErrorCode;
  readonly reason: string;
  readonly remedy: string;
}

const DENIED: Explanation = {
  code: 'denied',
  reason: 'permission denied',
  remedy: 'check the owner and the mode of the file and of its folders (ls -ld)',
};
const UNSUPPORTED: Explanation = {
  code: 'unsupported',
  reason: 'the file system does not support this',
  remedy: 'use a folder on a local disk',
};
const TOO_MANY_OPEN: Explanation = {
  code: 'too_many_open_files',
  reason: 'too many files are open',
  remedy: 'close other programs, or raise the limit (ulimit -n)',
};
const BUSY: Explanation = {
  code: 'busy',
  reason: 'it is in use',
  remedy: 'end the program that uses it and try again',
};
const NOT_EMPTY: Explanation = {
  code: 'not_empty',
  reason: 'the folder is not empty',
  remedy: 'remove what is in it first',
};
const NO_FILE: Explanation = {
  code: 'not_a_file',
  reason: 'it is a device, a pipe or a socket, not a file',
  remedy: 'name a regular file',
};

/** See errno(3). */
const EXPLANATIONS: ReadonlyMap<string, Explanation> = new Map([
  ['ENOENT', { code: 'not_found', reason: 'there is no such file or folder', remedy: 'check the path' }],
  [
    'ENOTDIR',
    { code: 'not_a_directory', reason: 'a part of the path is not a folder', remedy: 'check the path' },
  ],
  ['EISDIR', { code: 'not_a_file', reason: 'it is a folder, not a file', remedy: 'name a file' }],
  [
    'EEXIST',
    {
      code: 'already_exists',
      reason: 'it exists already',
      remedy: 'choose another name, or remove it first',
    },
  ],
  ['ENOTEMPTY', NOT_EMPTY],
  ['EACCES', DENIED],
  ['EPERM', DENIED],
  [
    'EROFS',
    {
      code: 'read_only',
      reason: 'the disk is read-only',
      remedy: 'use a folder on a disk that can be written',
    },
  ],
  ['ENOSPC', { code: 'disk_full', reason: 'the disk is full', remedy: 'free some space and try again' }],
  [
    'EDQUOT',
    { code: 'disk_full', reason: 'the disk quota is used up', remedy: 'free some space and try again' },
  ],
  [
    'EFBIG',
    {
      code: 'too_large',
      reason: 'the file would become larger than allowed',
      remedy: 'write less, or raise the limit (ulimit -f)',
    },
  ],
  [
    'ENAMETOOLONG',
    { code: 'name_too_long', reason: 'the name is too long', remedy: 'choose a shorter name' },
  ],
  [
    'ELOOP',
    {
      code: 'link_loop',
      reason: 'its symbolic links lead in a circle',
      remedy: 'remove the link that leads back',
    },
  ],
  ['EMFILE', TOO_MANY_OPEN],
  ['ENFILE', TOO_MANY_OPEN],
  ['EBUSY', BUSY],
  ['ETXTBSY', BUSY],
  [
    'EXDEV',
    { code: 'other_disk', reason: 'source and target are on different disks', remedy: 'copy it instead' },
  ],
  ['ENOTSUP', UNSUPPORTED],
  ['EOPNOTSUPP', UNSUPPORTED],
  ['ENOSYS', UNSUPPORTED],
  ['ENXIO', NO_FILE],
  ['ENODEV', NO_FILE],
  [
    'EILSEQ',
    {
      code: 'invalid_path',
      reason: 'the file system does not accept this name',
      remedy: 'choose another name',
    },
  ],
  ['EIO', { code: 'failed', reason: 'the disk reported an error', remedy: 'check the disk' }],
  [
    'ESTALE',
    { code: 'failed', reason: 'the network file system lost it', remedy: 'mount the file system again' },
  ],
]);

/**
 * The one place that turns what `node:fs` throws into words: `cannot write /a/b: the disk is full`.
 *
 * @param action what was tried, as a verb: `write`.
 */
export function describeFileError(error: unknown, path: string, action = 'use'): FileFailure {
  const errno = errnoOf(error);
  const { code, reason, remedy } = explain(error, errno);
  const failure: FileFailure = {
    ok: false,
    code,
    message: `cannot ${action} ${path === '' ? 'a file' : displayPath(path)}: ${reason}`,
    remedy,
    path,
  };
  return errno === undefined ? failure : { ...failure, errno };
}

/** Whether `error` is about a file or its path, and not a mistake in the program. */
export function isFileError(error: unknown): boolean {
  return error instanceof InvalidPathError || errnoOf(error) !== undefined;
}

/** The `errno` name of a system error; undefined for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return /^E[A-Z0-9]+$/.test(error.code) ? error.code : undefined;
}

function explain(error: unknown, errno: string | undefined): Explanation {
  if (error instanceof InvalidPathError)
    return { code: 'invalid_path', reason: error.message, remedy: 'check the path' };
  const known = errno === undefined ? undefined : EXPLANATIONS.get(errno);
  if (known !== undefined) return known;
  const reason =
    errno === undefined ? messageOf(error).split('\n', 1).join('') : `the system answered ${errno}`;
  return { code: 'failed', reason, remedy: 'check the path and the disk' };
}
