import type { Damage } from '../projects/damage.ts';
import { readRestoreJournal } from '../restore/restore-journal.ts';
import type { RetentionParts } from './retention-parts.ts';

/** A journal of a restore that cannot be read: it stops every restore of its project. */
export interface DamagedRestore extends Damage {
  readonly h16: string;
}

/** The journals of restores that cannot be read. Throws what the file system does. */
export function damagedRestores({
  folder,
  journals,
}: Pick<RetentionParts, 'folder' | 'journals'>): readonly DamagedRestore[] {
  return journals.hashes().flatMap((h16) => {
    const read = readRestoreJournal(folder, h16);
    return read.type === 'damaged' ? [{ h16, path: read.path, problem: read.problem }] : [];
  });
}
