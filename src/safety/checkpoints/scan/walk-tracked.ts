import { rawKindOf, rawNames } from '../../../platform/raw-files/index.ts';
import { isLeftOutByName, isVersionControl } from './built-in-rules.ts';
import { fileStamp, statOrNothing } from './file-stamp.ts';
import { emptyRecord, KIND } from './folder-record.ts';
import {
  draftOf,
  enterFolder,
  type FolderVisit,
  isInCircle,
  type PendingRead,
  pathOf,
  placeEntry,
  setGone,
  setHole,
  setNumbers,
  setUnseen,
} from './folder-visit.ts';
import { readRules, repositoryAt } from './git-repository.ts';
import { type IgnoreLevel, isIgnoredBy } from './ignore-levels.ts';
import { OpenRepository } from './open-repository.ts';
import type { ScanParts } from './scan-parts.ts';
import type { Walk, WalkStart } from './walk.ts';

/** A folder in which something is to be looked at. */
interface Wanted {
  /** By name; undefined for what is no folder. */
  readonly inner: Map<string, Wanted | undefined>;
  /** Whether everything directly in it is to be looked at. */
  isTouched: boolean;
}

interface TrackedVisit extends FolderVisit {
  readonly parent: TrackedVisit | undefined;
  readonly wanted: Wanted;
  level: { readonly value: IgnoreLevel | undefined } | undefined;
}

/**
 * Walks the part of a large tree that is scanned all the same: the files that git tracks, and what lies directly in the
 * folders `touched` (relative). Of the other folders in these it is known only that they are there. Which
 * entries these are depends on nothing but the tree and `touched`.
 */
export function walkTracked(parts: ScanParts, start: WalkStart, touched: readonly string[]): Walk {
  const walk = new TrackedWalk(parts, start);
  return walk.run(wantedOf(trackedPaths(parts, start), touched));
}

function trackedPaths(parts: ScanParts, start: WalkStart): readonly string[] {
  const location = repositoryAt(start.path);
  if (location === undefined) return start.repository?.trackedPaths() ?? [];
  const { indexes, clock } = parts;
  const stamp = fileStamp(location.index, clock);
  return new OpenRepository(location, { prefix: '', lead: '', stamp, indexes }).trackedPaths();
}

function wantedOf(files: readonly string[], folders: readonly string[]): Wanted {
  const root: Wanted = { inner: new Map(), isTouched: false };
  for (const file of files) {
    const cut = file.lastIndexOf('/');
    const folder = cut < 0 ? root : folderIn(root, file.slice(0, cut));
    const name = file.slice(cut + 1);
    if (!folder.inner.has(name)) folder.inner.set(name, undefined);
  }
  for (const folder of folders) folderIn(root, folder).isTouched = true;
  return root;
}

function folderIn(root: Wanted, path: string): Wanted {
  let folder = root;
  for (const name of path === '' ? [] : path.split('/')) {
    const known = folder.inner.get(name);
    const inner = known ?? { inner: new Map<string, Wanted | undefined>(), isTouched: false };
    if (known === undefined) folder.inner.set(name, inner);
    folder = inner;
  }
  return folder;
}

class TrackedWalk {
  readonly #parts: ScanParts;
  readonly #start: WalkStart;
  readonly #visits: TrackedVisit[] = [];
  readonly #pending: PendingRead[] = [];

  constructor(parts: ScanParts, start: WalkStart) {
    this.#parts = parts;
    this.#start = start;
  }

  run(wanted: Wanted): Walk {
    const { path, stat, previous } = this.#start;
    this.#visits.push({
      parent: undefined,
      at: 0,
      path,
      prefix: '',
      previous,
      draft: undefined,
      wanted,
      level: undefined,
      ino: stat.ino,
      dev: stat.dev,
    });
    for (let next = 0; next < this.#visits.length; next += 1) {
      const visit = this.#visits[next];
      if (visit !== undefined) this.#visit(visit);
    }
    return { visits: this.#visits, pending: this.#pending };
  }

  #visit(visit: TrackedVisit): void {
    const names = this.#namesIn(visit);
    if (names === undefined) return;
    visit.draft = emptyRecord(names);
    const { previous } = visit;
    const before = new Map(previous?.names.map((name, at) => [name, at]));
    names.forEach((name, at) => {
      this.#place(visit, { at, before: before.get(name) ?? -1, name });
    });
  }

  /** Sorted by name; undefined when the folder cannot be entered, which is then noted where it is an entry. */
  #namesIn(visit: TrackedVisit): readonly string[] | undefined {
    const { inner, isTouched } = visit.wanted;
    if (!isTouched) return [...inner.keys()].sort();
    const entered = enterFolder(visit, this.#parts, rawNames);
    if ('entries' in entered) return [...new Set([...inner.keys(), ...entered.entries])].sort();
    if (entered.instead === 'read' && visit.parent !== undefined)
      this.#pending.push({ visit: visit.parent, at: visit.at, before: -1 });
    return undefined;
  }

  #place(
    visit: TrackedVisit,
    { at, before, name }: { readonly at: number; readonly before: number; readonly name: string },
  ): void {
    const draft = draftOf(visit);
    const path = visit.prefix + name;
    const isNever = isVersionControl(name) || this.#parts.skip.has(path);
    const stat = isNever ? undefined : statOrNothing(pathOf(visit, name));
    if (stat === undefined) {
      if (isNever) {
        setGone(draft, at);
        draft.kinds[at] = KIND.never;
      } else {
        setUnseen(visit, at);
      }
      return;
    }
    const isFolder = rawKindOf(stat) === 'directory';
    const isRuled = !visit.wanted.inner.has(name) && this.#isRuled(visit, name, isFolder);
    const placed = placeEntry(visit, { at, before, stat, isLeftOut: isRuled, isRuled }, this.#parts);
    if (placed === 'read') this.#pending.push({ visit, at, before });
    if (placed !== 'enter') return;
    const wanted = visit.wanted.inner.get(name);
    if (wanted === undefined || isInCircle(visit, stat)) {
      setHole(draft, at, wanted === undefined ? 'budget' : 'special');
      setNumbers(draft, at, stat);
      return;
    }
    const { previous } = visit;
    this.#visits.push({
      parent: visit,
      at,
      path: pathOf(visit, name),
      prefix: `${path}/`,
      draft: undefined,
      wanted,
      previous: previous?.kinds[before] === KIND.folder ? previous.folders[before] : undefined,
      level: undefined,
      ino: stat.ino,
      dev: stat.dev,
    });
  }

  #isRuled(visit: TrackedVisit, name: string, isFolder: boolean): boolean {
    return isLeftOutByName(name) || isIgnoredBy(this.#levelOf(visit), visit.prefix + name, isFolder);
  }

  #levelOf(visit: TrackedVisit): IgnoreLevel | undefined {
    const missing: TrackedVisit[] = [];
    let current: TrackedVisit | undefined = visit;
    for (; current !== undefined && current.level === undefined; current = current.parent)
      missing.push(current);
    let level = current === undefined ? this.#start.level() : current.level?.value;
    for (const folder of missing.reverse()) {
      const { prefix } = folder;
      const location = repositoryAt(folder.path);
      const exclude = location === undefined ? undefined : readRules(location.exclude);
      if (exclude !== undefined) level = { prefix, lead: '', rules: exclude, outer: level };
      const own = readRules(pathOf(folder, '.gitignore'));
      if (own !== undefined) level = { prefix, lead: '', rules: own, outer: level };
      folder.level = { value: level };
    }
    return level;
  }
}
