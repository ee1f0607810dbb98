import type { CheckpointList } from '../api.ts';
import { groupEntries } from '../listing/entries.ts';
import type { EngineParts } from './engine-parts.ts';

/** The projects, but for this one, that have checkpoints; the one used last comes first. */
export function otherProjects({ registry, journals }: EngineParts, root: string): CheckpointList['others'] {
  return registry
    .all()
    .filter((project) => project.root !== root)
    .toSorted((one, other) => other.lastTouch - one.lastTouch)
    .map((project) => ({
      workdir: project.root,
      snapshots: groupEntries(journals.of(project.h16).records()).length,
    }))
    .filter(({ snapshots }) => snapshots > 0);
}
