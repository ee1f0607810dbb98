import { dirname, join, resolve } from 'node:path';
import { readFileBytes, readFileRange, statPath } from '../../../platform/files/index.ts';

/** Where git keeps the data of a working tree. */
export interface GitFolders {
  /** Absolute path of the working tree. */
  readonly workTree: string;
  /** `HEAD`, the index and the log of `HEAD` of this working tree. */
  readonly own: string;
  /** The branches, which all working trees of the repository have in common. */
  readonly common: string;
}

const COMMIT = /^[0-9a-f]{40,64}$/;
const MAX_SMALL_BYTES = 4096;
const MAX_PACKED_BYTES = 8 * 1024 * 1024;
/** How much of the end of a log is read. */
const LOG_TAIL_BYTES = 64 * 1024;
const MAX_LINKS = 5;

/** The repository whose working tree is exactly that folder; undefined when it is none. Reads the files of git, runs nothing. */
export async function gitFoldersAt(workTree: string): Promise<GitFolders | undefined> {
  const path = join(workTree, '.git');
  const stat = await statPath(path);
  if (!stat.ok || stat.value === undefined) return undefined;
  const own = stat.value.kind === 'directory' ? path : await linkedFolder(path);
  if (own === undefined || (await textOf(join(own, 'HEAD'))) === undefined) return undefined;
  const common = await textOf(join(own, 'commondir'));
  return { workTree, own, common: common === undefined ? own : resolve(own, common.trim()) };
}

/** The same for a folder anywhere in a working tree. */
export async function gitFoldersAbove(folder: string): Promise<GitFolders | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await gitFoldersAt(at);
    if (found !== undefined || at === dirname(at)) return found;
  }
}

/** The commit that is checked out: empty while there is none yet, undefined when it cannot be read. */
export async function headOf(folders: GitFolders): Promise<string | undefined> {
  const head = (await textOf(join(folders.own, 'HEAD')))?.trim();
  if (head === undefined) return undefined;
  if (COMMIT.test(head)) return head;
  const reference = /^ref: (refs\/\S+)$/.exec(head)?.[1];
  // git leaves a name that means nothing here where it keeps its references in another format.
  if (reference === undefined || reference === 'refs/heads/.invalid') return undefined;
  return (await referenceOf(folders, reference)) ?? '';
}

/** Whether there is a branch of that name. */
export async function hasBranch(folders: GitFolders, name: string): Promise<boolean> {
  return (await referenceOf(folders, `refs/heads/${name}`)) !== undefined;
}

/** Whether `HEAD` moved away from a commit (empty: from none) by a commit, by its log; undefined when the log does not tell. */
export async function committedSince(folders: GitFolders, before: string): Promise<boolean | undefined> {
  const path = join(folders.own, 'logs', 'HEAD');
  const stat = await statPath(path);
  if (!stat.ok || stat.value === undefined) return undefined;
  const start = Math.max(0, stat.value.size - LOG_TAIL_BYTES);
  const read = await readFileRange(path, { start, length: LOG_TAIL_BYTES });
  if (!read.ok) return undefined;
  const entries = read.value.bytes.toString('utf8').split('\n').flatMap(logEntryOf);
  const isBefore = (commit: string): boolean => (before === '' ? /^0+$/.test(commit) : commit === before);
  const arrival = entries.findLastIndex(({ to }) => isBefore(to));
  const departure = entries.slice(arrival + 1).find(({ from }) => isBefore(from));
  return departure === undefined ? undefined : departure.reason.startsWith('commit');
}

/** Whether a clone there is finished: what it fetched is checked out, and nobody is at it. */
export async function isCheckedOut(folders: GitFolders): Promise<boolean> {
  const head = await headOf(folders);
  const [index, lock] = await Promise.all(
    ['index', 'index.lock'].map((name) => statPath(join(folders.own, name))),
  );
  return head !== undefined && head !== '' && isThere(index) && !isThere(lock);
}

function isThere(stat: Awaited<ReturnType<typeof statPath>> | undefined): boolean {
  return stat?.ok === true && stat.value !== undefined;
}

function logEntryOf(line: string): { from: string; to: string; reason: string }[] {
  const [, from, to, reason] = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t]*\t(.*)$/.exec(line) ?? [];
  return from === undefined || to === undefined || reason === undefined ? [] : [{ from, to, reason }];
}

async function linkedFolder(path: string): Promise<string | undefined> {
  const target = /^gitdir: (.+)$/m.exec((await textOf(path)) ?? '')?.[1];
  return target === undefined ? undefined : resolve(dirname(path), target);
}

async function referenceOf({ common }: GitFolders, name: string): Promise<string | undefined> {
  let reference = name;
  for (let round = 0; round < MAX_LINKS; round += 1) {
    const loose = (await textOf(join(common, reference)))?.trim();
    if (loose === undefined) return packedReference(common, reference);
    if (COMMIT.test(loose)) return loose;
    const next = /^ref: (refs\/\S+)$/.exec(loose)?.[1];
    if (next === undefined) return undefined;
    reference = next;
  }
  return undefined;
}

async function packedReference(common: string, reference: string): Promise<string | undefined> {
  const packed = await textOf(join(common, 'packed-refs'), MAX_PACKED_BYTES);
  const line = packed?.split('\n').find((each) => each.endsWith(` ${reference}`));
  const commit = line?.slice(0, -reference.length - 1);
  return commit !== undefined && COMMIT.test(commit) ? commit : undefined;
}

async function textOf(path: string, maxBytes = MAX_SMALL_BYTES): Promise<string | undefined> {
  const read = await readFileBytes(path, { maxBytes });
  return read.ok ? read.value.bytes.toString('utf8') : undefined;
}
