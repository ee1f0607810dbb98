import { join } from 'node:path';
import { rawStat } from '../../../platform/raw-files/index.ts';
import type { Damage } from '../projects/damage.ts';
import type { ProjectNotice } from '../projects/project-registry.ts';
import { damagedRestores } from './damaged-restores.ts';
import { entriesOf } from './entries-of.ts';
import { judgeWorkdir, type WorkdirState } from './judge-workdir.ts';
import { type LegacyArchive, listLegacy } from './legacy.ts';
import { measureFolder, namesIn } from './measure-folder.ts';
import type { RetentionParts } from './retention-parts.ts';
import { lastSweepAt } from './sweep-marker.ts';

export interface ProjectStatus {
  readonly h16: string;
  readonly workdir: string;
  /** Entries. */
  readonly snapshots: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly lastTouch: number;
  readonly state: WorkdirState;
  readonly notice?: ProjectNotice;
}

export interface StoreStatus {
  readonly base: string;
  /** Whether there is a store. */
  readonly isThere: boolean;
  /** Of the store, the archives, and what a repair or an interrupted deletion has left beside them. */
  readonly bytes: number;
  readonly storeBytes: number;
  readonly legacy: readonly LegacyArchive[];
  /** Newest first. */
  readonly projects: readonly ProjectStatus[];
  /** 0: no limit. */
  readonly capBytes: number;
  readonly isOverCap: boolean;
  /** When the last sweep began, milliseconds since 1970-01-01 UTC. */
  readonly lastSweep: number | undefined;
  /** Files that cannot be read as what they are to be. */
  readonly damaged: readonly Damage[];
  /** Folders beside the store with what a repair has put aside. */
  readonly aside: readonly string[];
}

/** What there is, from what is accounted for; objects are not looked at. */
export function storeStatus(parts: RetentionParts, maxTotalBytes: number): StoreStatus {
  const { base, folder, registry, journals } = parts;
  const storeBytes = parts.bytes.total();
  const legacy = listLegacy(base);
  const left = namesIn(base).filter((name) => /^(cleared|damaged)-/.test(name));
  const projects = registry
    .all()
    .map(({ h16, root, lastTouch, parent, notice }) => ({
      h16,
      workdir: root,
      snapshots: entriesOf(parts, h16).length,
      lastTouch,
      state: judgeWorkdir(root, parent),
      ...(notice === undefined ? {} : { notice }),
    }))
    .toSorted((one, other) => other.lastTouch - one.lastTouch);
  return {
    base,
    isThere: rawStat(folder) !== undefined,
    bytes:
      legacy.reduce((sum, one) => sum + one.bytes, storeBytes) +
      left.reduce((sum, name) => sum + measureFolder(join(base, name)), 0),
    storeBytes,
    legacy,
    projects,
    capBytes: maxTotalBytes,
    isOverCap: maxTotalBytes !== 0 && storeBytes > maxTotalBytes,
    lastSweep: lastSweepAt(base),
    damaged: [
      ...registry.damaged(),
      ...journals.hashes().flatMap((h16) => journals.of(h16).damaged()),
      ...damagedRestores(parts),
    ],
    aside: left.filter((name) => name.startsWith('damaged-')),
  };
}
