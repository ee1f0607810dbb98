import { dirname } from 'node:path';
import { canonicalPath } from './canonical-path.ts';

/** Folders of the system, of all users or of all disks. */
const SYSTEM_ROOTS = [
  '/',
  '/Applications',
  '/Library',
  '/System',
  '/Users',
  '/Volumes',
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/home',
  '/lib',
  '/lib64',
  '/media',
  '/mnt',
  '/opt',
  '/private',
  '/private/tmp',
  '/private/var',
  '/proc',
  '/root',
  '/run',
  '/sbin',
  '/srv',
  '/sys',
  '/tmp',
  '/usr',
  '/var',
  '/var/tmp',
];

export interface BroadRootOptions {
  /** The user's home folder. */
  readonly home: string;
  /** The folder of temporary files. */
  readonly temporary: string;
}

/**
 * The folders that hold far more than a project, by their canonical paths: those of the system, the user's home and what
 * is above it, and the folder of temporary files. What is below them may be a project.
 */
export function broadRoots({ home, temporary }: BroadRootOptions): ReadonlySet<string> {
  const roots = new Set([...SYSTEM_ROOTS, ...SYSTEM_ROOTS.map(canonicalPath), canonicalPath(temporary)]);
  for (let folder = canonicalPath(home); ; folder = dirname(folder)) {
    roots.add(folder);
    if (folder === '/') return roots;
  }
}
