import type { Hole } from '../model/path-state.ts';
import type { Coverage, SnapshotMeta } from '../model/snapshot.ts';
import {
  type FolderRecord,
  holeReasonOf,
  KIND,
  MODE_GROUP,
  modeKey,
  permissionsOf,
  splitModeKey,
} from './folder-record.ts';

/** Stands for all that was not looked at. */
const REST: Hole = { path: '', reason: 'budget' };

const DEFAULT_BITS: readonly number[] = [0o644, 0o755, 0o755];

/** What a snapshot says of a tree beside the trees of git. Depends on nothing but what is there. */
export function collectMeta(
  root: FolderRecord,
  { coverage, touched }: { readonly coverage: Coverage; readonly touched: readonly string[] },
): SnapshotMeta {
  const usual = usualModes(root);
  const found = {
    modes: new Map<string, number>(),
    emptyDirectories: new Array<string>(),
    holes: coverage === 'tracked' ? [REST] : new Array<Hole>(),
    missing: new Array<string>(),
  };
  const usualKeys = new Set(usual.map(({ key }) => key));
  const pending: { readonly record: FolderRecord; readonly prefix: string }[] = [
    { record: root, prefix: '' },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { record, prefix } = next;
    const hasOddModes = [...record.modes.keys()].some((key) => !usualKeys.has(key));
    for (let at = 0; at < record.names.length; at += 1) {
      const kind = record.kinds[at] ?? KIND.gone;
      if (!hasOddModes && (kind === KIND.file || kind === KIND.link)) continue;
      const path = prefix + (record.names[at] ?? '');
      const reason = holeReasonOf(kind);
      if (reason !== undefined) found.holes.push({ path, reason });
      if (kind === KIND.gone && coverage === 'tracked') found.missing.push(path);
      const key = modeKey(record, at);
      if (key !== undefined && !usualKeys.has(key)) found.modes.set(path, permissionsOf(record, at));
      const inner = record.folders[at];
      if (kind !== KIND.folder || inner === undefined) continue;
      if (inner.tree === '') found.emptyDirectories.push(path);
      pending.push({ record: inner, prefix: `${path}/` });
    }
  }
  return {
    version: 1,
    fileMode: usual[MODE_GROUP.file]?.bits ?? 0o644,
    executableMode: usual[MODE_GROUP.executable]?.bits ?? 0o755,
    directoryMode: usual[MODE_GROUP.folder]?.bits ?? 0o755,
    ...found,
    coverage,
    touched: coverage === 'tracked' ? touched : [],
  };
}

/** For each group the permission bits most of its entries have; of two that occur as often, the lower ones. */
function usualModes(root: FolderRecord): readonly { readonly key: number; readonly bits: number }[] {
  const counts = new Map<number, number>();
  const pending = [root];
  for (let record = pending.pop(); record !== undefined; record = pending.pop()) {
    for (const [key, count] of record.modes) counts.set(key, (counts.get(key) ?? 0) + count);
    for (const inner of record.folders) if (inner !== undefined) pending.push(inner);
  }
  const keys = [...counts.keys()].sort((one, other) => one - other);
  return DEFAULT_BITS.map((fallback, group) => {
    let best: number | undefined;
    for (const key of keys) {
      if (splitModeKey(key).group !== group) continue;
      if (best === undefined || (counts.get(key) ?? 0) > (counts.get(best) ?? 0)) best = key;
    }
    return best === undefined ? { key: -1, bits: fallback } : { key: best, bits: splitModeKey(best).bits };
  });
}
