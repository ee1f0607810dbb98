import { dirname, isAbsolute } from 'node:path';
import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import {
  listDirectory,
  makeDirectory,
  readFileBytes,
  readLink,
  writeFileAtomic,
} from '../../platform/files/index.ts';
import { displayPath, isInside, resolveInside, resolvePath } from '../../platform/paths/index.ts';
import { symlinkRaw } from '../../platform/raw-files/index.ts';

const MAX_FILES = 20_000;
const MAX_BYTES = 256 * 1024 * 1024;

interface Copying {
  /** The root of what is copied. */
  readonly from: string;
  readonly to: string;
  readonly signal: AbortSignal;
  files: number;
  bytes: number;
}

/**
 * Copies a folder, without any `.git`, to a folder that does not exist yet. Links stay links, and are refused unless they are
 * relative and lead to something inside; so are devices, pipes and sockets, and more than 20,000 files or 256 MiB. Leaves
 * what it has copied behind when it fails.
 */
export async function copyTree(from: string, to: string, signal: AbortSignal): Promise<Result<undefined>> {
  return copyFolder('.', { from, to, signal, files: 0, bytes: 0 });
}

async function copyFolder(below: string, copying: Copying): Promise<Result<undefined>> {
  const source = resolvePath(copying.from, below);
  const made = await makeDirectory(resolvePath(copying.to, below));
  if (!made.ok) return made;
  const entries = await listDirectory(source);
  if (!entries.ok) return entries;
  for (const { name, kind } of entries.value) {
    if (name === '.git') continue;
    copying.signal.throwIfAborted();
    copying.files += 1;
    if (copying.files > MAX_FILES) return tooLarge(copying, `more than ${String(MAX_FILES)} files`);
    const path = `${below}/${name}`;
    const copied =
      kind === 'directory'
        ? await copyFolder(path, copying)
        : kind === 'file'
          ? await copyFile(path, copying)
          : kind === 'link'
            ? await copyLink(path, copying)
            : fail('not_a_file', `${displayPath(path)} is a device, a pipe or a socket.`);
    if (!copied.ok) return copied;
  }
  return succeed(undefined);
}

async function copyFile(path: string, copying: Copying): Promise<Result<undefined>> {
  const read = await readFileBytes(resolvePath(copying.from, path), { signal: copying.signal });
  if (!read.ok) return read;
  const { bytes, stat } = read.value;
  copying.bytes += bytes.length;
  if (copying.bytes > MAX_BYTES) return tooLarge(copying, `more than ${String(MAX_BYTES / 1024 / 1024)} MiB`);
  const mode = (stat.mode & 0o111) === 0 ? 0o600 : 0o700;
  const written = await writeFileAtomic(resolvePath(copying.to, path), bytes, { mode, fsync: false });
  return written.ok ? succeed(undefined) : written;
}

async function copyLink(path: string, copying: Copying): Promise<Result<undefined>> {
  const target = await readLink(resolvePath(copying.from, path));
  if (!target.ok) return target;
  const lexical = resolvePath(dirname(resolvePath(copying.from, path)), target.value);
  const isKept =
    !isAbsolute(target.value) && isInside(copying.from, lexical) && resolveInside(copying.from, path).ok;
  if (!isKept) {
    const message = `${displayPath(path)} is a symbolic link to ${displayPath(target.value)}, outside the plugin.`;
    return fail('outside', message, 'A plugin may hold relative links to its own files only.');
  }
  symlinkRaw(Buffer.from(target.value), resolvePath(copying.to, path));
  return succeed(undefined);
}

function tooLarge({ from }: Copying, what: string): Result<never> {
  return fail(
    'too_large',
    `${displayPath(from)} has ${what}.`,
    'Leave out what the plugin does not need to run.',
  );
}
