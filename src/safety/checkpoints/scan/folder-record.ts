import type { IgnoreRules } from '../../../kernel/gitignore/index.ts';
import type { HoleReason, Oid } from '../model/path-state.ts';

/** What an entry of a folder is to a scan. The numbers are those of the manifest file. */
export const KIND = {
  /** Not there, though it was listed. Its numbers fit nothing, so it is looked at again. */
  gone: 0,
  /** Left out without a word: what version control keeps, and what the caller said. Never looked at. */
  never: 1,
  file: 2,
  link: 3,
  folder: 4,
  /** Holes have the kind of their reason: this plus its place in {@link HOLE_REASONS}. */
  firstHole: 8,
} as const;

const HOLE_REASONS = [
  'ignored',
  'too_large',
  'special',
  'unreadable',
  'budget',
  'unstable',
] as const satisfies readonly HoleReason[];

export function holeKind(reason: HoleReason): number {
  return KIND.firstHole + HOLE_REASONS.indexOf(reason);
}

/** Undefined when the kind is none of a hole. */
export function holeReasonOf(kind: number): HoleReason | undefined {
  return HOLE_REASONS[kind - KIND.firstHole];
}

export const MARK = {
  /** It changed so shortly before it was looked at that another change could have the same times. */
  racy: 1,
  /** An ignore rule is about it. It can be captured all the same: when git tracks it. */
  ruled: 2,
} as const;

/** How many numbers there are for an entry: size, mtime, ctime, inode, mode. */
export const NUMBERS = 5;
export const SIZE = 0;
export const MTIME = 1;
export const CTIME = 2;
export const INODE = 3;
export const MODE = 4;

/** What a scan knows of one folder. Of the same length: `names`, `kinds`, `marks`, `oids`, `folders`. Not changed once its scan is over. */
export interface FolderRecord {
  /** As the system listed them, in its order. */
  names: readonly string[];
  /** {@link NUMBERS} for each name. */
  numbers: Float64Array;
  kinds: Uint8Array;
  marks: Uint8Array;
  /** Of files and links; empty for all else. */
  oids: Oid[];
  folders: (FolderRecord | undefined)[];
  /** Empty when git has no tree for it: nothing below it has content. */
  tree: Oid;
  /** Captured files and links, and holes, from here on down. */
  files: number;
  holes: number;
  /** How often which permission bits occur among the entries. */
  modes: ReadonlyMap<number, number>;
  /** For the root of a repository: the state of its exclude file and its index when it was looked at. */
  excludeStamp: string;
  indexStamp: string;
  /** Of its .gitignore, once they were needed. */
  rules: IgnoreRules | undefined;
  /** Where `.gitignore` is among the names; -1 when it is not. */
  ignoreAt: number;
  /** Whether one of the names is `.git`. */
  isRepository: boolean;
  /** Absolute paths of the entries, once they were needed. */
  paths: readonly string[] | undefined;
}

export function emptyRecord(names: readonly string[]): FolderRecord {
  const count = names.length;
  return {
    names,
    numbers: new Float64Array(count * NUMBERS),
    kinds: new Uint8Array(count),
    marks: new Uint8Array(count),
    oids: Array.from<Oid>({ length: count }).fill(''),
    folders: Array.from<FolderRecord | undefined>({ length: count }).fill(undefined),
    tree: '',
    files: 0,
    holes: 0,
    modes: new Map(),
    excludeStamp: '',
    indexStamp: '',
    rules: undefined,
    ignoreAt: names.indexOf('.gitignore'),
    isRepository: names.includes('.git'),
    paths: undefined,
  };
}

export function copyRecord(record: FolderRecord): FolderRecord {
  return {
    ...record,
    numbers: record.numbers.slice(),
    kinds: record.kinds.slice(),
    marks: record.marks.slice(),
    oids: record.oids.slice(),
    folders: record.folders.slice(),
  };
}

/** Groups of permission bits, each with a mode of its own that most of them have. */
export const MODE_GROUP = { file: 0, executable: 1, folder: 2 } as const;

const PERMISSION_BITS = 0o7777;
const OWNER_EXECUTES = 0o100;

/** Group and permission bits in one number; undefined for entries without permission bits of interest. */
export function modeKey(record: FolderRecord, at: number): number | undefined {
  const kind = record.kinds[at];
  const bits = permissionsOf(record, at);
  if (kind === KIND.file)
    return (isExecutable(bits) ? MODE_GROUP.executable : MODE_GROUP.file) * (PERMISSION_BITS + 1) + bits;
  return kind === KIND.folder ? MODE_GROUP.folder * (PERMISSION_BITS + 1) + bits : undefined;
}

export function splitModeKey(key: number): { readonly group: number; readonly bits: number } {
  return { group: Math.trunc(key / (PERMISSION_BITS + 1)), bits: key & PERMISSION_BITS };
}

export function permissionsOf(record: FolderRecord, at: number): number {
  return (record.numbers[at * NUMBERS + MODE] ?? 0) & PERMISSION_BITS;
}

/** As git sees it. */
export function isExecutable(bits: number): boolean {
  return (bits & OWNER_EXECUTES) !== 0;
}

/** What follows from the entries of a folder, and from those of the folders in it, which come first. */
export function countUp(record: FolderRecord): void {
  const modes = new Map<number, number>();
  let files = 0;
  let holes = 0;
  for (let at = 0; at < record.names.length; at += 1) {
    const kind = record.kinds[at] ?? KIND.gone;
    if (kind === KIND.file || kind === KIND.link) files += 1;
    else if (kind >= KIND.firstHole) holes += 1;
    files += record.folders[at]?.files ?? 0;
    holes += record.folders[at]?.holes ?? 0;
    const key = modeKey(record, at);
    if (key !== undefined) modes.set(key, (modes.get(key) ?? 0) + 1);
  }
  record.files = files;
  record.holes = holes;
  record.modes = modes;
}
