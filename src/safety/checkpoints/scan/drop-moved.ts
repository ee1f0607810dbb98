import { statOrNothing } from './file-stamp.ts';
import { draftOf, type FolderVisit, isStillThere, setHole, setUnproven, setUnseen } from './folder-visit.ts';

/**
 * Makes a hole of each folder that was replaced while what lies in it was looked at and read: a link in its place may have
 * led outside of the tree. To be called when all is read. Folders in which nothing was new are the ones they were before.
 */
export function dropMoved(visits: readonly FolderVisit[]): void {
  const checked = new Set<FolderVisit>();
  for (const visit of visits) {
    if (visit.draft === undefined) continue;
    for (
      let outer: FolderVisit | undefined = visit;
      outer !== undefined && !checked.has(outer);
      outer = outer.parent
    ) {
      checked.add(outer);
      if (outer.parent === undefined || isStillThere(outer)) continue;
      const isGone = statOrNothing(outer.path) === undefined;
      if (isGone) setUnseen(outer.parent, outer.at);
      else setHole(draftOf(outer.parent), outer.at, 'unstable');
      setUnproven(draftOf(outer.parent), outer.at);
    }
  }
}
