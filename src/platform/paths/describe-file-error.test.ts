import { mkdtempSync, readFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeFileError, errnoOf, fileSystemPath, isFileError } from './index.ts';

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: something, open '/a/b'`), { code });
}

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('describeFileError', () => {
  it.each([
    ['ENOSPC', 'disk_full', 'the disk is full'],
    ['EDQUOT', 'disk_full', 'the disk quota is used up'],
    ['EROFS', 'read_only', 'the disk is read-only'],
    ['EACCES', 'denied', 'permission denied'],
    ['EPERM', 'denied', 'permission denied'],
    ['EISDIR', 'not_a_file', 'it is a folder, not a file'],
    ['ENOTDIR', 'not_a_directory', 'a part of the path is not a folder'],
    ['ELOOP', 'link_loop', 'its symbolic links lead in a circle'],
    ['ENAMETOOLONG', 'name_too_long', 'the name is too long'],
    ['ENOENT', 'not_found', 'there is no such file or folder'],
    ['EEXIST', 'already_exists', 'it exists already'],
    ['ENOTEMPTY', 'not_empty', 'the folder is not empty'],
    ['EMFILE', 'too_many_open_files', 'too many files are open'],
    ['EBUSY', 'busy', 'it is in use'],
    ['EXDEV', 'other_disk', 'source and target are on different disks'],
    ['EFBIG', 'too_large', 'the file would become larger than allowed'],
    ['EIO', 'failed', 'the disk reported an error'],
    ['ENOMEDIUM', 'failed', 'the system answered ENOMEDIUM'],
  ])('says in plain words what %s is', (errno, code, reason) => {
    expect(describeFileError(systemError(errno), '/a/b', 'write')).toEqual({
      ok: false,
      code,
      message: `cannot write /a/b: ${reason}`,
      remedy: expect.stringMatching(/./),
      path: '/a/b',
      errno,
    });
  });

  it('speaks of codes that the system has', () => {
    const known = Object.keys(constants.errno);
    for (const errno of ['ENOSPC', 'EDQUOT', 'EROFS', 'ELOOP', 'ENXIO', 'EILSEQ', 'ESTALE', 'ETXTBSY'])
      expect(known).toContain(errno);
  });

  it('keeps a path with a line break on one line', () => {
    expect(describeFileError(systemError('EACCES'), '/a\nb').message).toBe(
      'cannot use /a\\nb: permission denied',
    );
  });

  it('reads a real error', () => {
    const folder = mkdtempSync(join(tmpdir(), 'errors-'));
    const missing = join(folder, 'missing');
    const error = thrownBy(() => readFileSync(missing));
    expect(describeFileError(error, missing, 'read')).toMatchObject({ code: 'not_found', errno: 'ENOENT' });
  });

  it('reads the refusal of a path', () => {
    expect(
      describeFileError(
        thrownBy(() => fileSystemPath('a\0b')),
        'a\0b',
        'read',
      ),
    ).toEqual({
      ok: false,
      code: 'invalid_path',
      message: 'cannot read a\\x00b: the path contains a NUL character',
      remedy: 'check the path',
      path: 'a\0b',
    });
    expect(
      describeFileError(
        thrownBy(() => fileSystemPath('')),
        '',
      ).message,
    ).toBe('cannot use a file: the path is empty');
  });

  it('says what it can about anything else that was thrown', () => {
    expect(describeFileError(new Error('first\nsecond'), '/a').message).toBe('cannot use /a: first');
    expect(describeFileError('odd', '/a')).toMatchObject({ code: 'failed', message: 'cannot use /a: odd' });
  });
});

describe('isFileError and errnoOf', () => {
  it('tell errors of files from mistakes in the program', () => {
    expect(isFileError(systemError('EIO'))).toBe(true);
    expect(isFileError(thrownBy(() => fileSystemPath('')))).toBe(true);
    expect(isFileError(new TypeError('x'))).toBe(false);
    expect(isFileError(systemError('ERR_INVALID_ARG_TYPE'))).toBe(false);
    expect(isFileError({ code: 'EIO' })).toBe(false);
    expect(errnoOf(systemError('EIO'))).toBe('EIO');
    expect(errnoOf(undefined)).toBeUndefined();
  });
});
