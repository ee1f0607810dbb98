import { resolve } from 'node:path';
import { InvalidPathError } from '../../../platform/paths/index.ts';
import type { CallCapture, CaptureFailure, CaptureReport } from '../api.ts';
import { below } from '../projects/canonical-path.ts';
import type { Lease } from '../projects/leases.ts';
import { projectHash } from '../projects/project-hash.ts';
import { stateAt } from '../snapshots/snapshot-entries.ts';
import type { CaptureParts } from './capture-parts.ts';
import { footprintPaths } from './footprint-paths.ts';
import { kindAt, type NamedPath, namedPaths } from './named-paths.ts';
import { broadNotice, noteFailure, withStore } from './notices.ts';
import { takeRecord } from './take-record.ts';
import { encodeToken, type OpenedRecord } from './token.ts';

/** So many words of a command that the scan does not cover are captured. */
const MAX_WORDS_CAPTURED = 64;

interface Report {
  readonly taken: (OpenedRecord & { readonly isTentative: boolean })[];
  readonly notices: string[];
  readonly failures: CaptureFailure[];
  /** So many words may still be captured. */
  wordsLeft: number;
}

/**
 * Captures what a call may change, before it does: the paths it names, in each project they belong to, and where `scan`
 * says so a whole project. Names are captured at a cost that does not grow with the tree. Never throws for what disks and
 * files can do: what was not captured is in `failures`, and nothing of it is left in the store.
 */
export function captureBefore(parts: CaptureParts, request: CallCapture): CaptureReport {
  const report: Report = { taken: [], notices: [], failures: [], wordsLeft: MAX_WORDS_CAPTURED };
  withStore(parts, report.failures, (lease) => {
    const named = pathsByProject(parts, request, report);
    const scanned = scannedRoot(parts, request, report);
    const words = wordPaths(parts, request, scanned);
    if (scanned !== undefined) {
      const paths = named.get(scanned) ?? new Set();
      named.delete(scanned);
      const inside = words.filter(({ root }) => root === scanned).map(({ path }) => path);
      take(parts, request, { root: scanned, paths, words: inside, isScanned: true, lease }, report);
    }
    const outside = words.filter(({ root }) => root !== scanned);
    const guessed = new Map<string, Set<string>>();
    for (const { root, path } of outside.slice(0, report.wordsLeft)) {
      const isOfProject = named.has(root) || isRegistered(parts, root);
      add(isOfProject ? named : guessed, root, path);
    }
    for (const [root, paths] of guessed)
      take(parts, request, { root, paths, words: [], isScanned: false, isTentative: true, lease }, report);
    for (const [root, paths] of named)
      take(
        parts,
        request,
        { root, paths, words: [], isScanned: namesFolder(parts, root, paths), lease },
        report,
      );
  });
  const { taken, notices, failures } = report;
  // What is tentative may come to nothing.
  const ids = taken.flatMap(({ id, isTentative }) => (isTentative ? [] : [id]));
  return { token: encodeToken(taken), ids, notices, failures };
}

/** Whether a folder is named that is there: what is in it may change too, and only a scan covers that. */
function namesFolder({ registry }: CaptureParts, root: string, paths: ReadonlySet<string>): boolean {
  if (registry.isBroad(root)) return false;
  return [...paths].some((path) => kindAt(below(root, path)) === 'directory');
}

interface ProjectTake {
  readonly root: string;
  readonly paths: ReadonlySet<string>;
  /** Captured when the scan does not cover them. */
  readonly words: readonly string[];
  readonly isScanned: boolean;
  /** A command that only names files elsewhere makes no project of that place. */
  readonly isTentative?: boolean;
  readonly lease: Lease;
}

function take(parts: CaptureParts, request: CallCapture, project: ProjectTake, report: Report): void {
  const { root, paths, words, isScanned, isTentative = false, lease } = project;
  try {
    const {
      record,
      project: registered,
      notices,
    } = takeRecord(parts, {
      root,
      lease,
      kind: 'call',
      reason: request.reason,
      owner: request.owner,
      process: request.process ?? parts.process,
      paths: [...paths],
      isScanned,
      isTentative,
      footprint: request.scan?.footprint,
      looksAt: words,
      morePaths: (snapshot) => {
        const more = words
          .filter((path) => !paths.has(path) && stateAt(parts.objects, snapshot.root, path).kind === 'hole')
          .slice(0, report.wordsLeft);
        report.wordsLeft -= more.length;
        return more;
      },
    });
    report.taken.push({ h16: registered.h16, seq: record.seq, id: record.id, isTentative });
    report.notices.push(...notices);
  } catch (error) {
    report.failures.push(noteFailure(parts, root, error));
  }
}

function pathsByProject(
  parts: CaptureParts,
  { paths }: CallCapture,
  { failures }: Report,
): Map<string, Set<string>> {
  const named = new Map<string, Set<string>>();
  for (const path of paths) {
    try {
      const found = namedPaths(resolve(path), (folder) => parts.registry.rootOfCanonical(folder));
      for (const place of outsideOfStore(parts, found)) add(named, place.root, place.path);
    } catch (error) {
      if (!(error instanceof InvalidPathError)) throw error;
      failures.push({ path, message: error.message });
    }
  }
  return named;
}

function add(named: Map<string, Set<string>>, root: string, path: string): void {
  const paths = named.get(root) ?? new Set();
  paths.add(path);
  named.set(root, paths);
}

/** The store does not capture itself. */
function outsideOfStore({ registry }: CaptureParts, paths: readonly NamedPath[]): readonly NamedPath[] {
  const store = `${registry.canonicalFolder}/`;
  return paths.filter(({ root, path }) => !`${root}/${path}/`.startsWith(store));
}

/** The project to scan; undefined when there is none, or it is too broad. */
function scannedRoot(parts: CaptureParts, { scan }: CallCapture, { notices }: Report): string | undefined {
  if (scan === undefined) return undefined;
  const root = parts.registry.rootOf(resolve(scan.directory));
  if (!parts.registry.isBroad(root)) return root;
  const notice = broadNotice(parts, root);
  if (notice !== undefined) notices.push(notice);
  return undefined;
}

/** What the words of a command may name. In the project that is scanned, a folder that is none yet is a part of it. */
function wordPaths(
  parts: CaptureParts,
  { scan }: CallCapture,
  scanned: string | undefined,
): readonly NamedPath[] {
  if (scan?.footprint === undefined) return [];
  const paths = footprintPaths(scan.footprint, (folder) => {
    const root = parts.registry.rootOfCanonical(folder);
    const isPart = scanned !== undefined && root.startsWith(`${scanned}/`) && !isRegistered(parts, root);
    return isPart ? scanned : root;
  });
  return outsideOfStore(parts, paths);
}

function isRegistered({ registry }: CaptureParts, root: string): boolean {
  return registry.read(projectHash(root)).type !== 'none';
}
