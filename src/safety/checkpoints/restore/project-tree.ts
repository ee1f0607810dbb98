import { posix } from 'node:path';
import { errnoOf } from '../../../platform/paths/index.ts';
import {
  HeldFolder,
  type RawStat,
  rawContent,
  rawKindOf,
  rawLink,
  rawNames,
  rawStat,
} from '../../../platform/raw-files/index.ts';
import type { PathState } from '../model/path-state.ts';
import { hashObject, MAX_OBJECT_BYTES } from '../objects/object-name.ts';
import type { TreeReader } from './plan-model.ts';

/** What stands at a path, as it was read. */
export interface SeenPath {
  readonly state: PathState;
  /** Undefined when nothing is there. Taken before the content was read. */
  readonly stat: RawStat | undefined;
}

/** Receives the content of a file, or the text of a link. Returns its object id. */
export type TakeContent = (bytes: Uint8Array) => string;

const hashBlob: TakeContent = (bytes) => hashObject('blob', bytes);

/** The files of a project. No access follows a link, whatever became of the folders on the way since they were looked at. */
export class ProjectTree implements TreeReader {
  /** Absolute. */
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  stateOf(path: string): PathState {
    return this.look(path).state;
  }

  /**
   * What stands at a path; `absent` also where a folder on the way is none. A file's content goes to `take`, by default only
   * to be hashed. What cannot be read, or is too large for the store, is a hole.
   */
  look(path: string, take: TakeContent = hashBlob): SeenPath {
    try {
      return this.at(path, (place) => lookAt(place, take));
    } catch (error) {
      const errno = errnoOf(error) ?? '';
      if (isWayGone(error)) return { state: { kind: 'absent' }, stat: undefined };
      if (['EACCES', 'EPERM', 'EIO'].includes(errno))
        return { state: { kind: 'hole', reason: 'unreadable' }, stat: undefined };
      throw error;
    }
  }

  /** Undefined when nothing is there. Throws what the system does when a folder on the way is none. */
  statOf(path: string): RawStat | undefined {
    return this.at(path, (place) => rawStat(place));
  }

  /** None when it is no folder that can be read. */
  namesIn(path: string): readonly string[] {
    try {
      return this.at(path, (place) => {
        const stat = rawStat(place);
        return stat !== undefined && rawKindOf(stat) === 'directory' ? rawNames(place) : [];
      });
    } catch (error) {
      if (isWayGone(error) || errnoOf(error) === 'EACCES') return [];
      throw error;
    }
  }

  /**
   * Runs `action` with a name of the path that leads to it and nowhere else. Throws what `action` does, and what open(2) does
   * when a folder on the way is a link (`ELOOP`, `ENOTDIR`) or not there.
   */
  at<Value>(path: string, action: (place: string) => Value): Value {
    const folder = posix.dirname(path);
    const held = HeldFolder.open(this.root, folder === '.' ? [] : folder.split('/'));
    try {
      return action(held.pathOf(posix.basename(path)));
    } finally {
      held.close();
    }
  }
}

/** Whether a folder on the way to a path is not there, or is something else now. */
export function isWayGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error) ?? '');
}

function lookAt(place: string, take: TakeContent): SeenPath {
  const stat = rawStat(place);
  if (stat === undefined) return { state: { kind: 'absent' }, stat };
  switch (rawKindOf(stat)) {
    case 'directory':
      return { state: { kind: 'directory', mode: permissionsOf(stat) }, stat };
    case 'link':
      return { state: { kind: 'link', oid: take(rawLink(place)) }, stat };
    case 'special':
      return { state: { kind: 'hole', reason: 'special' }, stat };
    case 'file': {
      if (stat.size > MAX_OBJECT_BYTES) return { state: { kind: 'hole', reason: 'too_large' }, stat };
      const content = rawContent(place, MAX_OBJECT_BYTES);
      if (content === undefined) return { state: { kind: 'hole', reason: 'unstable' }, stat };
      const { bytes, stat: opened } = content;
      const state: PathState = {
        kind: 'file',
        mode: permissionsOf(opened),
        oid: take(bytes),
        size: bytes.length,
      };
      return { state, stat: opened };
    }
  }
}

function permissionsOf({ mode }: RawStat): number {
  return mode & 0o7777;
}
