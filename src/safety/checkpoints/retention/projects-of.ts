import { rawStat } from '../../../platform/raw-files/index.ts';
import type { Project } from '../projects/project-registry.ts';
import { dropEntry, entriesOf } from './entries-of.ts';
import { forgetTree } from './forget-tree.ts';
import { judgeWorkdir } from './judge-workdir.ts';
import type { RetentionParts } from './retention-parts.ts';

export interface ProjectSweep {
  readonly deletedOrphans: number;
  readonly deletedStale: number;
  readonly droppedEntries: number;
}

export interface ProjectSweepOptions {
  /** Projects and entries that are older go, in milliseconds. */
  readonly retentionMs: number;
  /** Orphans that a person has agreed to lose, by `h16`. No other orphan is touched. */
  readonly confirmedOrphans: readonly string[];
}

/** Drops what is too old, and the orphans that were confirmed and still are some. Throws what the file system does. */
export function sweepProjects(
  parts: RetentionParts,
  { retentionMs, confirmedOrphans }: ProjectSweepOptions,
): ProjectSweep {
  const before = parts.clock.now() - retentionMs;
  let [deletedOrphans, deletedStale, droppedEntries] = [0, 0, 0];
  for (const project of parts.registry.all()) {
    const count = entriesOf(parts, project.h16).length;
    if (judgeWorkdir(project.root, project.parent) === 'orphan') {
      if (!confirmedOrphans.includes(project.h16) || !removeProject(parts, project)) continue;
      deletedOrphans += 1;
      droppedEntries += count;
    } else if (project.lastTouch < before && removeProject(parts, project)) {
      deletedStale += 1;
      droppedEntries += count;
    } else {
      droppedEntries += dropOldEntries(parts, project.h16, before);
    }
  }
  droppedEntries += sweepPlaces(parts, before);
  return { deletedOrphans, deletedStale, droppedEntries };
}

/** Drops what is old of journals without a project, and those that have long been empty: commands only named files there. */
function sweepPlaces(parts: RetentionParts, before: number): number {
  let dropped = 0;
  for (const h16 of parts.journals.hashes()) {
    if (parts.registry.read(h16).type !== 'none') continue;
    dropped += dropOldEntries(parts, h16, before);
    const journal = parts.journals.of(h16);
    const isEmpty = journal.records().length + journal.reservations().length + journal.damaged().length === 0;
    const isIdle = (rawStat(journal.folder)?.mtimeMs ?? before) < before;
    if (isEmpty && isIdle && rawStat(`${journal.folder}/restore.json`) === undefined) journal.destroy();
  }
  return dropped;
}

/** Removes everything the store has of a project. Not while a call of it or a restore runs, or when it was used since: then false. */
function removeProject(parts: RetentionParts, { h16, lastTouch }: Project): boolean {
  const entries = entriesOf(parts, h16);
  const journal = parts.journals.of(h16);
  if (entries.some(({ isInUse }) => isInUse)) return false;
  if (journal.reservations().some(({ process }) => parts.isAlive(process) !== 'dead')) return false;
  const now = parts.registry.read(h16);
  if (now.type === 'project' && now.project.lastTouch !== lastTouch) return false;
  for (const stored of entries.toReversed()) dropEntry(parts, stored);
  parts.step?.('project-entries');
  forgetTree(parts, h16);
  for (const { name } of parts.refs.list(h16)) parts.refs.delete(name);
  parts.step?.('project-refs');
  journal.destroy();
  parts.step?.('project-journal');
  parts.registry.remove(h16);
  parts.step?.('project-removed');
  return true;
}

function dropOldEntries(parts: RetentionParts, h16: string, before: number): number {
  const old = entriesOf(parts, h16).filter(({ at, isInUse }) => at < before && !isInUse);
  for (const stored of old.toReversed()) dropEntry(parts, stored);
  return old.length;
}
