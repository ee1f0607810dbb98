import { join } from 'node:path';
import { errnoOf, isFileError } from '../../platform/paths/index.ts';
import {
  type RawStat,
  rawContent,
  rawKindOf,
  rawLink,
  rawNames,
  rawStat,
} from '../../platform/raw-files/index.ts';
import type { TamperChange } from './finding.ts';

/** What was seen at a protected path, with all it takes to put it back. */
export type WatchedNode =
  | {
      readonly type: 'file';
      readonly stat: RawStat;
      /** Undefined when it is not known: too large, or not readable. */
      readonly content: Buffer | undefined;
      /** Whether an equal stamp proves an equal content. */
      readonly isSettled: boolean;
    }
  | { readonly type: 'link'; readonly stat: RawStat; readonly target: Buffer }
  | {
      readonly type: 'directory';
      readonly stat: RawStat;
      readonly children: ReadonlyMap<string, WatchedNode>;
      /** Whether every name in it is among the children. */
      readonly isWhole: boolean;
    }
  | { readonly type: 'special'; readonly stat: RawStat };

type FileNode = Extract<WatchedNode, { type: 'file' }>;

/** What looking at the disk is limited by. */
export interface LookLimits {
  /** Bytes of content that may still be kept. */
  bytesLeft: number;
  /** Names that may still be looked at. */
  namesLeft: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly nowMs: number;
  /** Whether the times of files come from the clock of this machine. */
  readonly hasReliableTimes: boolean;
  /** Told of what cannot be read, one line each. */
  readonly onProblem: (path: string, why: string) => void;
}

/** Two changes within one tick of the clock that file systems use leave the same time: 10 ms where it ticks slowest. */
const TICK_MS = 50;

function isSameStamp(one: RawStat, other: RawStat): boolean {
  return (
    one.ino === other.ino &&
    one.dev === other.dev &&
    one.size === other.size &&
    one.mode === other.mode &&
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs
  );
}

/** What has this name now, folders with what is in them. What `known` says is not read again. Throws what lstat(2) does. */
export function lookAt(
  path: string,
  known: WatchedNode | undefined,
  limits: LookLimits,
): WatchedNode | undefined {
  const node = lookAtName(path, known, limits);
  if (node?.type !== 'directory') return node;
  const children = new Map<string, WatchedNode>();
  const before = known?.type === 'directory' ? known.children : undefined;
  let isWhole = true;
  for (const name of namesIn(path, limits)) {
    const child = join(path, name);
    if (limits.namesLeft <= 0) {
      isWhole = false;
      limits.onProblem(path, 'it holds too many files to watch them all');
      break;
    }
    limits.namesLeft -= 1;
    const seen = attempt(child, limits, () => lookAt(child, before?.get(name), limits));
    if (seen !== undefined) children.set(name, seen);
  }
  return { ...node, children, isWhole };
}

/** The names in a folder, sorted, so that the same ones are left out when there are too many; none when it cannot be read. */
export function namesIn(path: string, limits: Pick<LookLimits, 'onProblem'>): readonly string[] {
  return attempt(path, limits, () => rawNames(path).sort()) ?? [];
}

/** {@link lookAt} without what is in a folder. */
export function lookAtName(
  path: string,
  known: WatchedNode | undefined,
  limits: LookLimits,
): WatchedNode | undefined {
  const stat = rawStat(path);
  if (stat === undefined) return undefined;
  switch (rawKindOf(stat)) {
    case 'file':
      return lookAtFile(path, stat, known, limits);
    case 'link':
      return { type: 'link', stat, target: rawLink(path) };
    case 'directory':
      return { type: 'directory', stat, children: new Map(), isWhole: true };
    case 'special':
      return { type: 'special', stat };
  }
}

function lookAtFile(
  path: string,
  stat: RawStat,
  known: WatchedNode | undefined,
  limits: LookLimits,
): FileNode {
  const before =
    known?.type === 'file' && known.isSettled && isSameStamp(known.stat, stat) ? known : undefined;
  if (before !== undefined) return charged(before, limits);
  const read =
    stat.size > limits.bytesLeft
      ? undefined
      : attempt(path, limits, () => rawContent(path, limits.bytesLeft));
  if (read === undefined && stat.size > limits.bytesLeft)
    limits.onProblem(path, 'it is too large to be put back when it is changed');
  const isSettled = limits.hasReliableTimes && limits.nowMs - stat.ctimeMs >= TICK_MS;
  return charged({ type: 'file', stat, content: read?.bytes, isSettled }, limits);
}

function charged(node: FileNode, limits: LookLimits): FileNode {
  const size = node.content?.length ?? 0;
  if (size > limits.bytesLeft) return { ...node, content: undefined };
  limits.bytesLeft -= size;
  return node;
}

function attempt<Value>(
  path: string,
  { onProblem }: Pick<LookLimits, 'onProblem'>,
  work: () => Value,
): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (!isFileError(error)) throw error;
    if (errnoOf(error) !== 'ENOENT')
      onProblem(path, `it cannot be read (${errnoOf(error) ?? 'invalid path'})`);
    return undefined;
  }
}

/**
 * How a path changed, what is in a folder aside; undefined when it did not. A file whose stamp changed and whose content is not
 * known counts as changed.
 */
export function changeBetween(
  before: WatchedNode | undefined,
  now: WatchedNode | undefined,
): TamperChange | undefined {
  if (before === undefined) return now === undefined ? undefined : 'created';
  if (now === undefined) return 'deleted';
  if (before.type === 'file' && now.type === 'file') return changeOfFile(before, now);
  if (before.type === 'link' && now.type === 'link')
    return before.target.equals(now.target) ? undefined : 'link';
  if (before.type === 'directory' && now.type === 'directory')
    return before.stat.mode === now.stat.mode ? undefined : 'mode';
  if (before.type === 'special' && now.type === 'special' && before.stat.ino === now.stat.ino)
    return before.stat.mode === now.stat.mode ? undefined : 'mode';
  return 'replaced';
}

function changeOfFile(before: FileNode, now: FileNode): TamperChange | undefined {
  if (before === now) return undefined;
  const isSame =
    before.content === undefined || now.content === undefined
      ? isSameStamp(before.stat, now.stat)
      : before.content.equals(now.content);
  if (!isSame) return 'content';
  return before.stat.mode === now.stat.mode ? undefined : 'mode';
}
