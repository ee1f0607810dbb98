import { join, relative } from 'node:path';
import { errnoOf, isFileError, isInside } from '../../platform/paths/index.ts';
import { hasReliableTimes } from '../../platform/raw-files/index.ts';
import type { TamperChange, TamperFinding } from './finding.ts';
import { followPath } from './follow-path.ts';
import type { ProtectedPaths, ProtectedRoot } from './protected-paths.ts';
import { putBack } from './put-back.ts';
import {
  changeBetween,
  type LookLimits,
  lookAt,
  lookAtName,
  namesIn,
  type WatchedNode,
} from './watched-node.ts';

const MAX_KEPT_BYTES = 16 * 1024 * 1024;
/** Bytes read of changed files in one comparison. */
const MAX_COMPARED_BYTES = 256 * 1024 * 1024;
const MAX_NAMES = 20_000;

export interface ProtectedTreeParts {
  readonly paths: ProtectedPaths;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: () => number;
  readonly newId: () => string;
}

/** What a comparison leaves out. */
export interface Exemptions {
  /** Whether whatever is at this path now is to be left as it is, for the time being. */
  readonly isBeingWritten: (path: string) => boolean;
  /** Whether whatever is at this path now is right. */
  readonly isAdopted: (path: string) => boolean;
}

const NONE: Exemptions = { isBeingWritten: () => false, isAdopted: () => false };

/** `unknown`: it could not be looked at, so nothing is said of it. */
type Known = WatchedNode | 'unknown' | undefined;

/**
 * The protected files as they were at one moment, with up to 16 MiB of their content. Works without waiting, so nothing of this
 * process comes in between.
 */
export class ProtectedTree {
  readonly #parts: ProtectedTreeParts;
  #hasReliableTimes = false;
  #roots: readonly ProtectedRoot[] = [];
  #known = new Map<string, Known>();

  constructor(parts: ProtectedTreeParts) {
    this.#parts = parts;
  }

  /** Takes everything as it is now for right. The value is what cannot be watched, one line each. */
  refresh(): readonly string[] {
    const problems = new Map<string, string>();
    this.#hasReliableTimes ||= hasReliableTimes(this.#parts.paths.home);
    const limits = this.#limits(MAX_KEPT_BYTES, (path, why) =>
      problems.set(path, `${path} is not watched: ${why}`),
    );
    const before = this.#known;
    this.#roots = this.#currentRoots();
    this.#known = new Map(
      this.#roots.map((root) => [root.path, this.#look(root, before.get(root.path), limits)]),
    );
    return [...problems.values()];
  }

  /** Compares with what is there, and puts back what changed. */
  settle(exemptions: Exemptions = NONE): readonly TamperFinding[] {
    const findings: TamperFinding[] = [];
    const limits = this.#limits(MAX_COMPARED_BYTES, () => undefined);
    const folder = this.#asideFolder();
    for (const root of this.#roots) {
      const before = this.#known.get(root.path);
      if (before === 'unknown') continue;
      const walk: Walk = { findings, limits, folder, exemptions, root };
      this.#known.set(root.path, this.#settleRoot(before, walk));
    }
    return findings;
  }

  #settleRoot(before: WatchedNode | undefined, walk: Walk): Known {
    const { path } = walk.root;
    try {
      return this.#settleAt(path, before, walk);
    } catch (error) {
      if (!isFileError(error)) throw error;
      const problem = `the system answered ${errnoOf(error) ?? ''}`;
      walk.findings.push({ path, change: 'unreadable', detail: '', aside: '', isPutBack: false, problem });
      return 'unknown';
    }
  }

  #settleAt(path: string, before: WatchedNode | undefined, walk: Walk): WatchedNode | undefined {
    const { limits, exemptions, root } = walk;
    if (exemptions.isBeingWritten(path)) return before;
    if (exemptions.isAdopted(path)) return lookAt(path, before, limits);
    let now = lookAtName(path, before, limits);
    const change = relevantChange({ root, path, before, now });
    if (change !== undefined) {
      this.#undo({ path, change, before, now }, walk);
      now = lookAtName(path, before, limits);
    }
    if (now === undefined) return undefined;
    if (now.type === 'file' && before?.type === 'file' && changeBetween(before, now) === undefined)
      return { ...now, content: before.content };
    if (now.type !== 'directory' || root.watch === 'way' || root.watch === 'presence') return now;
    if (before !== undefined && before.type !== 'directory') return lookAt(path, undefined, limits);
    return this.#settleChildren(path, { before, now }, walk);
  }

  #settleChildren(
    path: string,
    { before, now }: { readonly before: FolderNode | undefined; readonly now: FolderNode },
    walk: Walk,
  ): FolderNode {
    const known = before?.children ?? new Map<string, WatchedNode>();
    const names = new Set([...known.keys(), ...namesIn(path, walk.limits)]);
    const children = new Map<string, WatchedNode>();
    for (const name of names) {
      // Of a folder that holds too many files, those that were left out are not new.
      if (!known.has(name) && before?.isWhole === false) continue;
      const child = this.#settleAt(join(path, name), known.get(name), walk);
      if (child !== undefined) children.set(name, child);
    }
    return { ...now, children, isWhole: before?.isWhole ?? true };
  }

  #undo({ path, change, before, now }: Changed, { findings, limits, folder, root }: Walk): void {
    const { newId } = this.#parts;
    if (root.watch === 'presence') {
      const problem = 'its earlier content is not kept here';
      findings.push({ path, change, detail: '', aside: '', isPutBack: false, problem });
      return;
    }
    const aside = join(folder, this.#nameAside(path));
    const finding = putBack({ path, change, before, now, aside, newName: () => `.herma-${newId()}.tmp` });
    const isSame = changeBetween(before, lookAtName(path, undefined, limits)) === undefined;
    const problem = finding.problem === '' && !isSame ? 'it was changed again at once' : finding.problem;
    findings.push({ ...finding, problem, isPutBack: finding.isPutBack && isSame });
  }

  #nameAside(path: string): string {
    const { home } = this.#parts.paths;
    return isInside(home, path) && path !== home ? relative(home, path) : join('outside', path);
  }

  /** A folder for what is found this time, below one that is no link. */
  #asideFolder(): string {
    const { paths, now, newId } = this.#parts;
    const time = `${new Date(now()).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
    const base =
      followPath(paths.aside) === join(followPath(paths.home), 'tampered')
        ? paths.aside
        : `${paths.aside}-${newId()}`;
    return join(base, `${time}-${newId()}`);
  }

  /** The roots, and where those lead that are links: a configuration that is kept elsewhere. */
  #currentRoots(): readonly ProtectedRoot[] {
    const { roots, home } = this.#parts.paths;
    const realHome = followPath(home);
    return roots.flatMap((root) => {
      const real = followPath(root.path);
      const isOwnName = real === join(realHome, relative(home, root.path));
      return isOwnName || root.watch === 'way' ? [root] : [root, { ...root, path: real }];
    });
  }

  #look(root: ProtectedRoot, before: Known, limits: LookLimits): Known {
    const known = before === 'unknown' ? undefined : before;
    try {
      return root.watch === 'way' || root.watch === 'presence'
        ? lookAtName(root.path, known, { ...limits, bytesLeft: 0, onProblem: () => undefined })
        : lookAt(root.path, known, limits);
    } catch (error) {
      if (!isFileError(error)) throw error;
      limits.onProblem(root.path, `it cannot be looked at (${errnoOf(error) ?? 'invalid path'})`);
      return 'unknown';
    }
  }

  #limits(bytesLeft: number, onProblem: LookLimits['onProblem']): LookLimits {
    return {
      bytesLeft,
      namesLeft: MAX_NAMES,
      nowMs: this.#parts.now(),
      hasReliableTimes: this.#hasReliableTimes,
      onProblem,
    };
  }
}

type FolderNode = Extract<WatchedNode, { type: 'directory' }>;

interface Changed {
  readonly path: string;
  readonly change: TamperChange;
  readonly before: WatchedNode | undefined;
  readonly now: WatchedNode | undefined;
}

interface Walk {
  readonly findings: TamperFinding[];
  readonly limits: LookLimits;
  readonly folder: string;
  readonly exemptions: Exemptions;
  readonly root: ProtectedRoot;
}

const OWNER = 0o700;
const OTHERS_WRITE = 0o022;

/** The change of a path, as far as it matters where it is watched like that. */
function relevantChange({
  root,
  path,
  before,
  now,
}: Omit<Changed, 'change'> & { readonly root: ProtectedRoot }): TamperChange | undefined {
  switch (root.watch) {
    case 'all':
      return changeBetween(before, now);
    case 'way':
      return changeOfWay(before, now);
    case 'records':
      return path === root.path ? changeOfWay(before, now) : changeOfRecord(path, before, now);
    case 'presence':
      if (before === undefined) return undefined;
      if (now === undefined) return 'deleted';
      return before.type === now.type && before.stat.ino === now.stat.ino ? undefined : 'replaced';
  }
}

/** Another process may write records too, by way of temporary files. */
function changeOfRecord(
  path: string,
  before: WatchedNode | undefined,
  now: WatchedNode | undefined,
): TamperChange | undefined {
  const change = changeBetween(before, now);
  return path.endsWith('.json') && (change === 'deleted' || change === 'replaced') ? change : undefined;
}

/** Herma makes these folders itself, and narrows what others may do in them. */
function changeOfWay(
  before: WatchedNode | undefined,
  now: WatchedNode | undefined,
): TamperChange | undefined {
  const change = changeBetween(before, now);
  if (change === 'created') return now?.type === 'directory' ? undefined : change;
  if (change !== 'mode' || before === undefined || now === undefined) return change;
  const [was, is] = [before.stat.mode, now.stat.mode];
  const isLocked = (was & ~is & OWNER) !== 0;
  const isOpened = (is & ~was & OTHERS_WRITE) !== 0;
  return isLocked || isOpened ? 'mode' : undefined;
}
