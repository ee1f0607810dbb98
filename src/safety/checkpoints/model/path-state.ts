/** 40 lower-case hex digits: the SHA-1 name of an object of the store. */
export type Oid = string;

/** Why a path that is there was not captured. */
export type HoleReason =
  /** Left out by a .gitignore file or by the built-in rules. */
  | 'ignored'
  | 'too_large'
  /** A socket, a pipe or a device. */
  | 'special'
  | 'unreadable'
  /** Beyond the number of files that are scanned. */
  | 'budget'
  /** It changed all the while it was read. */
  | 'unstable';

/** A path that a checkpoint does not cover. When it is a folder, nothing below it is covered either. */
export interface Hole {
  readonly path: string;
  readonly reason: HoleReason;
}

/** What stands at a path. `mode` is the permission bits, `0o7777` at most. */
export type PathState =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'file';
      readonly mode: number;
      readonly oid: Oid /** In bytes. */;
      readonly size: number;
    }
  /** The blob is the text of the link. */
  | { readonly kind: 'link'; readonly oid: Oid }
  | { readonly kind: 'directory'; readonly mode: number }
  /** Something is there, and its content is not known. */
  | { readonly kind: 'hole'; readonly reason: HoleReason };

/** A path of a project with what stands there. */
export interface PathEntry {
  /** Relative to the project's root, `/` between its parts; bytes that are not UTF-8 as `decodeFileName` writes them. */
  readonly path: string;
  readonly state: PathState;
}

/** What became of a path. */
export interface PathChange {
  readonly path: string;
  readonly before: PathState;
  readonly after: PathState;
}

/** Whether two states are the same to whoever looks at the path. Two holes never are: nothing is known about either. */
export function isSameState(one: PathState, other: PathState): boolean {
  switch (one.kind) {
    case 'absent':
      return other.kind === 'absent';
    case 'file':
      return other.kind === 'file' && one.oid === other.oid && one.mode === other.mode;
    case 'link':
      return other.kind === 'link' && one.oid === other.oid;
    case 'directory':
      return other.kind === 'directory' && one.mode === other.mode;
    case 'hole':
      return false;
  }
}
