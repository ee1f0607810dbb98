import { describeFileError, errnoOf, isFileError } from '../../../platform/paths/index.ts';
import {
  chmodRaw,
  linkRaw,
  makeRawFolder,
  type RawStat,
  rawKindOf,
  rawStat,
  removeRawFolder,
  renameRaw,
  unlinkRaw,
} from '../../../platform/raw-files/index.ts';
import { isSameState, type PathState } from '../model/path-state.ts';
import { inHome, type Move, type SeenMove } from './move.ts';
import type { SkippedPath } from './plan-model.ts';
import { isWayGone, type ProjectTree } from './project-tree.ts';
import { makeFresh } from './stage-moves.ts';

export interface CommitRequest {
  readonly tree: ProjectTree;
  /** Sorted by path. */
  readonly moves: readonly SeenMove[];
  /** Of a file or a link. Asked for where the staged file is gone. */
  readonly contentOf: (state: PathState) => Uint8Array;
  /** Whether an earlier attempt was broken off: part of it may be done, and nothing is reversed. */
  readonly isResumed: boolean;
  readonly step: (name: string) => void;
}

export interface CommitOutcome {
  /** What stands there is what is to stand there. */
  readonly done: readonly Move[];
  /** Somebody changed them meanwhile; they were left alone. */
  readonly kept: readonly string[];
  /** Left alone for another reason that is none of ours: a folder is not empty. */
  readonly skipped: readonly SkippedPath[];
  /** What could not be done, though it was to be. */
  readonly failed: readonly SkippedPath[];
}

export type CommitResult =
  | { readonly ok: true; readonly outcome: CommitOutcome }
  /** Everything was reversed, except for what `unreversed` says. */
  | {
      readonly ok: false;
      readonly error: unknown;
      /** The one that could not be put in place. */
      readonly path: string;
      readonly unreversed: readonly SkippedPath[];
    };

const FOLDER_GONE = 'its folder is gone';

type Readiness = 'apply' | 'done' | 'kept';

const NO_HARD_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES'];

/** Puts in place what was staged. What cannot be done is reversed as a whole; what somebody else has changed is left alone. */
export function commitMoves(request: CommitRequest): CommitResult {
  return new Commit(request).run();
}

class Commit {
  readonly #request: CommitRequest;
  readonly #done = new Set<Move>();
  readonly #kept = new Set<string>();
  readonly #skipped = new Map<string, string>();
  readonly #failed = new Map<string, string>();
  /** Folders that were made writable for the time being. */
  readonly #loosened = new Set<string>();
  /** Paths from which the way has been cleared for something of another kind. */
  readonly #cleared = new Set<string>();
  /** The move that is being worked on. */
  #current = '';
  readonly #undo: { readonly path: string; readonly run: () => void }[] = [];

  constructor(request: CommitRequest) {
    this.#request = request;
  }

  run(): CommitResult {
    const { moves, isResumed } = this.#request;
    const outermostLast = moves.toReversed();
    try {
      for (const move of moves) this.#attempt(move, () => this.#loosen(move));
      for (const move of outermostLast) this.#attempt(move, () => this.#clear(move));
      for (const move of moves) this.#attempt(move, () => this.#make(move));
      for (const move of moves) this.#attempt(move, () => this.#place(move));
      for (const move of outermostLast) this.#attempt(move, () => this.#setMode(move));
      for (const move of outermostLast) this.#tighten(move);
      for (const move of moves) this.#attempt(move, () => this.#yield(move));
    } catch (error) {
      if (isResumed || !isFileError(error)) throw error;
      return { ok: false, error, path: this.#current, unreversed: this.#reverse() };
    }
    return {
      ok: true,
      outcome: {
        done: moves.filter((move) => this.#done.has(move)),
        kept: [...this.#kept],
        skipped: Array.from(this.#skipped, ([path, reason]) => ({ path, reason })),
        failed: Array.from(this.#failed, ([path, reason]) => ({ path, reason })),
      },
    };
  }

  #attempt(move: Move, work: () => void): void {
    const { path } = move;
    this.#current = path;
    if (this.#kept.has(path) || this.#failed.has(path) || this.#skipped.has(path)) return;
    try {
      work();
    } catch (error) {
      if (!isWayGone(error)) throw error;
      const way = wayText(this.#request.tree, path);
      // What was to go went with its folder.
      if (move.to.kind === 'absent' && this.#request.isResumed) this.#done.add(move);
      else if (move.to.kind === 'absent' && way === FOLDER_GONE) this.#kept.add(path);
      else this.#failed.set(path, way);
    }
  }

  /** A folder that is to go or to get another mode, and could not be changed with the one it has. */
  #loosen(move: SeenMove): void {
    const { path, from } = move;
    if (from.kind !== 'directory' || (from.mode & 0o700) === 0o700) return;
    if (this.#readiness(move) !== 'apply') return;
    this.#at(path, (place) => {
      chmodFolder(place, from.mode | 0o700);
    });
    this.#loosened.add(path);
    this.#onReverse(path, (place) => {
      chmodFolder(place, from.mode);
    });
    this.#request.step('restore-loosen');
  }

  /** A folder that was loosened, and is there after all, though it was to go or was left alone. */
  #tighten({ path, from }: Move): void {
    const isLeft = this.#kept.has(path) || this.#skipped.has(path) || this.#failed.has(path);
    if (!isLeft || from.kind !== 'directory' || !this.#loosened.has(path)) return;
    const current = this.#request.tree.stateOf(path);
    if (current.kind !== 'directory' || current.mode !== (from.mode | 0o700)) return;
    this.#at(path, (place) => {
      chmodFolder(place, from.mode);
    });
  }

  /** Takes away what is not to be there, or is in the way of something of another kind. */
  #clear(move: SeenMove): void {
    const { path, from, to } = move;
    const isReplaced = isContent(from) && isContent(to);
    if (from.kind === 'absent' || isReplaced || from.kind === to.kind) return;
    const readiness = this.#readiness(move);
    if (readiness === 'kept') this.#kept.add(path);
    if (readiness === 'done' && to.kind === 'absent') this.#done.add(move);
    if (readiness !== 'apply' || this.#isAbsent(path)) return;
    if (isContent(from)) this.#setAside(move);
    else if (from.kind === 'directory' && !this.#removeFolder(path, from.mode)) return;
    this.#cleared.add(path);
    if (to.kind === 'absent') this.#done.add(move);
    this.#request.step('restore-clear');
  }

  #removeFolder(path: string, mode: number): boolean {
    if (!this.#at(path, removeRawFolder)) {
      this.#skipped.set(path, 'the folder is not empty');
      return false;
    }
    this.#onReverse(path, (place) => {
      makeRawFolder(place, this.#loosened.has(path) ? mode | 0o700 : mode);
    });
    return true;
  }

  #make(move: SeenMove): void {
    const { path, from, to } = move;
    if (to.kind !== 'directory' || from.kind === 'directory') return;
    const readiness = this.#readiness(move);
    if (readiness === 'kept') this.#kept.add(path);
    if (readiness !== 'apply' || !this.#isAbsent(path)) return;
    this.#at(path, (place) => {
      makeRawFolder(place, to.mode | 0o700);
    });
    this.#onReverse(path, removeRawFolder);
    this.#request.step('restore-make');
  }

  #place(move: SeenMove): void {
    const { path, from, to, fresh } = move;
    if (!isContent(to)) return;
    const readiness = this.#readiness(move);
    if (readiness === 'kept') this.#kept.add(path);
    if (readiness === 'done') this.#done.add(move);
    if (readiness !== 'apply') return;
    makeFresh(this.#request, move, this.#request.isResumed ? 'checked' : 'trusted');
    if (isContent(from) && !this.#isAbsent(path)) {
      this.#backUp(move);
      this.#request.step('restore-backup');
      this.#betweenNames(inHome(move, fresh), path, renameRaw);
    } else if (!this.#putWhereNothingIs(move)) {
      this.#kept.add(path);
      return;
    }
    this.#done.add(move);
    this.#request.step('restore-place');
  }

  /** A second name for what stands there, so that at every moment something does. */
  #backUp(move: Move): void {
    const { path, from } = move;
    const old = inHome(move, move.old);
    if (this.#request.isResumed) this.#at(old, unlinkRaw);
    try {
      // link(2) follows links on some systems.
      if (from.kind === 'link') renameOf(this.#request.tree, path, old);
      else this.#betweenNames(path, old, linkRaw);
    } catch (error) {
      if (!NO_HARD_LINKS.includes(errnoOf(error) ?? '')) throw error;
      renameOf(this.#request.tree, path, old);
    }
    this.#onReverse(path, () => {
      renameOf(this.#request.tree, old, path);
    });
  }

  /** Who has written into the replaced file in the very moment keeps it: it comes back. */
  #yield(move: SeenMove): void {
    const { path, from, stat, to } = move;
    if (from.kind !== 'file' || to.kind === 'directory' || !this.#done.has(move)) return;
    const { tree } = this.#request;
    const old = inHome(move, move.old);
    const current = tree.statOf(old);
    if (current === undefined || (current.size === stat?.size && current.mtimeMs === stat.mtimeMs)) return;
    if (isSameState(tree.stateOf(old), from) || !isSameState(tree.stateOf(path), to)) return;
    renameOf(tree, old, path);
    this.#done.delete(move);
    this.#kept.add(path);
  }

  #setAside(move: Move): void {
    const { path } = move;
    const old = inHome(move, move.old);
    renameOf(this.#request.tree, path, old);
    this.#onReverse(path, () => {
      renameOf(this.#request.tree, old, path);
    });
  }

  /** False when something has the name after all. */
  #putWhereNothingIs(move: Move): boolean {
    const { path, to } = move;
    const fresh = inHome(move, move.fresh);
    if (!this.#isAbsent(path)) return false;
    const isLinked = to.kind === 'file' && this.#linkInto(fresh, path);
    if (!isLinked) {
      if (!this.#isAbsent(path)) return false;
      renameOf(this.#request.tree, fresh, path);
    }
    this.#onReverse(path, unlinkRaw);
    if (isLinked) this.#at(fresh, unlinkRaw);
    return true;
  }

  /** False when there are no hard links, or something has the name. */
  #linkInto(from: string, to: string): boolean {
    try {
      this.#betweenNames(from, to, linkRaw);
      return true;
    } catch (error) {
      if (errnoOf(error) === 'EEXIST' || NO_HARD_LINKS.includes(errnoOf(error) ?? '')) return false;
      throw error;
    }
  }

  #setMode(move: SeenMove): void {
    const { path, to, from } = move;
    if (to.kind !== 'directory') return;
    const current = this.#request.tree.stateOf(path);
    const isOurs =
      current.kind === 'directory' && (from.kind !== 'directory' || this.#mayHaveMode(move, current.mode));
    if (!isOurs) {
      this.#kept.add(path);
      return;
    }
    if (current.mode !== to.mode) {
      this.#at(path, (place) => {
        chmodFolder(place, to.mode);
      });
      this.#onReverse(path, (place) => {
        chmodFolder(place, current.mode);
      });
      this.#request.step('restore-mode');
    }
    this.#done.add(move);
  }

  #mayHaveMode({ path, from, to }: Move, mode: number): boolean {
    if (from.kind !== 'directory') return false;
    if (mode === from.mode || (to.kind === 'directory' && mode === to.mode)) return true;
    return (this.#loosened.has(path) || this.#request.isResumed) && mode === (from.mode | 0o700);
  }

  /** Looked at right before each action: what somebody has changed since the plan was made is left alone. */
  #readiness(move: SeenMove): Readiness {
    const { path, from, to, stat } = move;
    if (this.#cleared.has(path)) return this.#isAbsent(path) ? 'apply' : 'kept';
    const { tree, isResumed } = this.#request;
    if (stat !== undefined && isSameStat(stat, tree.statOf(path))) return 'apply';
    tree.statOf(path);
    const current = tree.stateOf(path);
    if (isSameState(current, from)) return 'apply';
    if (isSameState(current, to)) return 'done';
    if (current.kind === 'directory' && this.#mayHaveMode(move, current.mode)) return 'apply';
    if (!isResumed) return 'kept';
    // What an attempt that was broken off may have left on the way from one to the other.
    if (current.kind === 'absent') return to.kind === 'absent' ? 'done' : 'apply';
    return to.kind === 'directory' && current.kind === 'directory' && from.kind !== 'directory'
      ? 'apply'
      : 'kept';
  }

  #isAbsent(path: string): boolean {
    return this.#request.tree.statOf(path) === undefined;
  }

  #at<Value>(path: string, action: (place: string) => Value): Value {
    return this.#request.tree.at(path, action);
  }

  #betweenNames(from: string, to: string, action: (from: string, to: string) => void): void {
    const { tree } = this.#request;
    tree.at(from, (source) => {
      tree.at(to, (target) => {
        action(source, target);
      });
    });
  }

  #onReverse(path: string, run: (place: string) => unknown): void {
    this.#undo.push({
      path,
      run: () => {
        this.#request.tree.at(path, run);
      },
    });
  }

  #reverse(): readonly SkippedPath[] {
    const unreversed: SkippedPath[] = [];
    for (const { path, run } of this.#undo.toReversed()) {
      try {
        run();
      } catch (error) {
        if (!isFileError(error)) throw error;
        unreversed.push({ path, reason: describeFileError(error, path, 'bring back').message });
      }
    }
    return unreversed;
  }
}

function isContent({ kind }: PathState): boolean {
  return kind === 'file' || kind === 'link';
}

function renameOf(tree: ProjectTree, from: string, to: string): void {
  tree.at(from, (source) => {
    tree.at(to, (target) => {
      renameRaw(source, target);
    });
  });
}

/** chmod(2) follows links: the name must be a folder's. */
function chmodFolder(place: string, mode: number): void {
  const stat = rawStat(place);
  if (stat === undefined || rawKindOf(stat) !== 'directory')
    throw Object.assign(new Error(`${place} is no folder`), { code: 'ENOTDIR', syscall: 'chmod' });
  chmodRaw(place, mode);
}

function isSameStat(one: RawStat, other: RawStat | undefined): boolean {
  if (other === undefined || rawKindOf(other) === 'directory') return false;
  const { ino, dev, size, mode, mtimeMs, ctimeMs } = one;
  return (
    ino === other.ino &&
    dev === other.dev &&
    size === other.size &&
    mode === other.mode &&
    mtimeMs === other.mtimeMs &&
    ctimeMs === other.ctimeMs
  );
}

/** What stands in the way to a path. */
export function wayText(tree: ProjectTree, path: string): string {
  const parts = path.split('/').slice(0, -1);
  for (let count = 1; count <= parts.length; count += 1) {
    const { kind } = tree.stateOf(parts.slice(0, count).join('/'));
    if (kind === 'link') return 'its folder has become a link';
    if (kind !== 'directory') return kind === 'absent' ? FOLDER_GONE : 'its folder has become a file';
  }
  return 'its folder was changed meanwhile';
}
