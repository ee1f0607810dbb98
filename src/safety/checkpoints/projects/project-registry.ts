import { dirname } from 'node:path';
import { errnoOf } from '../../../platform/paths/index.ts';
import {
  ensureRawFolder,
  linkRaw,
  rawKindOf,
  rawNames,
  rawStat,
  renameRaw,
  unlinkRaw,
} from '../../../platform/raw-files/index.ts';
import { type BroadRootOptions, broadRoots } from './broad-roots.ts';
import { below, canonicalPath } from './canonical-path.ts';
import type { Damage } from './damage.ts';
import {
  encodeProject,
  type Project,
  type ProjectNotice,
  type ProjectRead,
  readProject,
} from './project-file.ts';
import { projectHash } from './project-hash.ts';
import { Drafts } from './temporary-file.ts';

export type { Project, ProjectNotice, ProjectRead } from './project-file.ts';

export interface RegistryOptions extends BroadRootOptions {
  /** The folder of the store. */
  readonly folder: string;
}

/** Files and folders that only the root of a project has. */
const MARKERS = [
  '.git',
  'package.json',
  'pyproject.toml',
  'Cargo.toml',
  'go.mod',
  'Makefile',
  'pom.xml',
  '.hg',
  'Gemfile',
];

const FILE_NAME = /^([0-9a-f]{16})\.json$/;
const KEPT_NAME = /^[0-9a-f]{16}\.json\.damaged-\d+$/;

/** A project is touched that often at most, in milliseconds: what is shown of it is no finer. */
const TOUCH_EVERY_MS = 1000;

/**
 * The projects of a store, `projects/<h16>.json`, and which project a folder belongs to. Methods throw what the file
 * system does, and `InvalidPathError` for a path that no file can have.
 */
export class ProjectRegistry {
  /** The folder of the store. */
  readonly folder: string;
  /** Its canonical path. */
  readonly canonicalFolder: string;
  readonly #projects: string;
  readonly #drafts: Drafts;
  readonly #broad: ReadonlySet<string>;

  constructor({ folder, home, temporary }: RegistryOptions) {
    this.folder = folder;
    this.canonicalFolder = canonicalPath(folder);
    this.#projects = `${folder}/projects`;
    this.#drafts = new Drafts(this.#projects);
    this.#broad = broadRoots({ home, temporary });
  }

  /**
   * The canonical root of the project that a folder belongs to: the deepest registered project at or above it, else the
   * nearest folder with a marker of a project, else the folder itself, or what there is of it. A broad root is the
   * project of nothing but itself: what it holds has projects of its own.
   *
   * @param directory absolute; it need not exist.
   */
  rootOf(directory: string): string {
    return this.rootOfCanonical(canonicalPath(directory));
  }

  /** As {@link rootOf}, for a path that is canonical. */
  rootOfCanonical(named: string): string {
    if (this.#broad.has(named)) return named;
    // A project whose folder is gone is still one.
    const registered = this.#upTo(named).find((folder) => this.#isRegistered(folder));
    if (registered !== undefined) return registered;
    const start = nearestFolder(named);
    return this.#upTo(start).find((folder) => hasMarker(folder)) ?? start;
  }

  /** The deepest registered project at or above a folder (absolute; it need not exist), broad ones only when they are it. */
  nearest(directory: string): Project | undefined {
    const start = canonicalPath(directory);
    const candidates = this.#broad.has(start) ? [start] : this.#upTo(start);
    for (const folder of candidates) {
      const read = this.read(projectHash(folder));
      if (read.type === 'project') return read.project;
    }
    return undefined;
  }

  /** Whether a folder, in any spelling, holds far more than a project: no scan there. */
  isBroad(root: string): boolean {
    return this.#broad.has(canonicalPath(root));
  }

  /**
   * Registers a project, or notes that it was used.
   *
   * A file that is damaged is kept beside the new one, see {@link damaged}.
   *
   * @param root canonical.
   */
  touch(root: string, now: number): Project {
    const h16 = projectHash(root);
    const read = this.read(h16);
    const known = read.type === 'project' ? read.project : undefined;
    if (known !== undefined && now >= known.lastTouch && now < known.lastTouch + TOUCH_EVERY_MS) return known;
    const parent = parentOf(root) ?? known?.parent;
    const project: Project = {
      h16,
      root,
      createdAt: known?.createdAt ?? now,
      lastTouch: now,
      ...(parent === undefined ? {} : { parent }),
      ...(known?.notice === undefined ? {} : { notice: known.notice }),
    };
    if (read.type === 'damaged') this.#keepAside(h16);
    this.#write(project);
    return project;
  }

  /** Sorted by root. Damaged ones are left out; see {@link damaged}. */
  all(): readonly Project[] {
    return this.hashes()
      .flatMap((h16) => {
        const read = this.read(h16);
        return read.type === 'project' ? [read.project] : [];
      })
      .toSorted((one, other) => (one.root < other.root ? -1 : 1));
  }

  /** The projects that have a file, damaged or not, sorted. */
  hashes(): readonly string[] {
    return this.#names()
      .flatMap((name) => FILE_NAME.exec(name)?.[1] ?? [])
      .toSorted();
  }

  /** The files of projects that cannot be read, and those that were kept when they were replaced. */
  damaged(): readonly Damage[] {
    const kept = this.#names()
      .filter((name) => KEPT_NAME.test(name))
      .map((name) => ({ path: `${this.#projects}/${name}`, problem: 'it was damaged, and was replaced' }));
    const present = this.hashes().flatMap((h16) => {
      const read = this.read(h16);
      return read.type === 'damaged' ? [read.damage] : [];
    });
    return [...present, ...kept];
  }

  read(h16: string): ProjectRead {
    return readProject(this.#pathOf(h16), h16);
  }

  /** Removes the file of a project, and nothing else of it. Whether it was there. */
  remove(h16: string): boolean {
    return unlinkRaw(this.#pathOf(h16));
  }

  /** Does nothing for a project that is not registered, or whose file is damaged. */
  setNotice(h16: string, notice: ProjectNotice): void {
    const read = this.read(h16);
    if (read.type === 'project') this.#write({ ...read.project, notice });
  }

  /** Removes the notice when it has one of these codes, or any when none is given. */
  clearNotice(h16: string, codes: readonly string[] = []): void {
    const read = this.read(h16);
    if (read.type !== 'project' || read.project.notice === undefined) return;
    const { notice, ...project } = read.project;
    if (codes.length === 0 || codes.includes(notice.code)) this.#write(project);
  }

  #pathOf(h16: string): string {
    return `${this.#projects}/${h16}.json`;
  }

  /** A folder and those above it, as far as one of them may be the root of it. */
  #upTo(start: string): readonly string[] {
    const folders: string[] = [];
    for (let folder = start; !this.#broad.has(folder); folder = dirname(folder)) folders.push(folder);
    return folders;
  }

  #isRegistered(folder: string): boolean {
    return isThere(this.#pathOf(projectHash(folder)));
  }

  #write(project: Project): void {
    const put = (): void => {
      this.#drafts.publish(encodeProject(project), (path) => {
        renameRaw(path, this.#pathOf(project.h16));
      });
    };
    try {
      put();
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
      ensureRawFolder(this.#projects);
      put();
    }
  }

  #keepAside(h16: string): void {
    const path = this.#pathOf(h16);
    for (let count = 1; ; count += 1) {
      try {
        linkRaw(path, `${path}.damaged-${String(count)}`);
        return;
      } catch (error) {
        if (errnoOf(error) === 'ENOENT') return;
        if (errnoOf(error) !== 'EEXIST') throw error;
      }
    }
  }

  #names(): readonly string[] {
    try {
      return rawNames(this.#projects);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return [];
      throw error;
    }
  }
}

/** The folder itself when it is there, else the nearest one above it that is. */
function nearestFolder(path: string): string {
  let folder = path;
  while (folder !== '/' && !isFolder(folder)) folder = dirname(folder);
  return folder;
}

function isFolder(path: string): boolean {
  try {
    const stat = rawStat(path);
    return stat !== undefined && rawKindOf(stat) === 'directory';
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

function hasMarker(folder: string): boolean {
  return MARKERS.some((marker) => isThere(below(folder, marker)));
}

/** Whether something has the name. A folder that may not be looked into says no. */
function isThere(path: string): boolean {
  try {
    return rawStat(path) !== undefined;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/** The identity of the folder that holds `root`; undefined when root is not there. */
function parentOf(root: string): { readonly dev: number; readonly ino: number } | undefined {
  try {
    if (rawStat(root) === undefined) return undefined;
    const stat = rawStat(dirname(root));
    return stat === undefined ? undefined : { dev: stat.dev, ino: stat.ino };
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
