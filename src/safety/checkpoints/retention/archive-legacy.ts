import { join } from 'node:path';
import { rawStat, renameRaw } from '../../../platform/raw-files/index.ts';
import { textOf } from './floor.ts';
import { LEGACY_PREFIX } from './legacy.ts';
import { namesIn, walkFolder } from './measure-folder.ts';

/** The layout that this program writes, in `<store>/herma-version`. */
const VERSION = 1;

/** What stands where the store is to be. */
export type StoreLayout =
  /** Nothing, or the beginning of one of ours. */
  | { readonly type: 'none' }
  | { readonly type: 'current' }
  /** It was moved to `<base>/<name>`. */
  | { readonly type: 'archived'; readonly name: string }
  /** One that Hermes made: left alone, and no place for ours. */
  | { readonly type: 'hermes' }
  /** One that a newer version of this program made: left alone. */
  | { readonly type: 'newer'; readonly version: number };

/**
 * Looks at what stands where the store is to be, and moves it aside when it is an older one of ours or none of ours.
 * To be called before the store is made. `now`: milliseconds since 1970. Throws what the file system does.
 */
export function archiveLegacy(base: string, now: number): StoreLayout {
  const layout = storeLayout(join(base, 'store'));
  if (layout !== 'other') return layout;
  for (let count = 1; ; count += 1) {
    const name = `${LEGACY_PREFIX}${stampOf(now)}${count === 1 ? '' : `-${String(count)}`}`;
    if (rawStat(join(base, name)) !== undefined) continue;
    renameRaw(join(base, 'store'), join(base, name));
    return { type: 'archived', name };
  }
}

function storeLayout(folder: string): Exclude<StoreLayout, { type: 'archived' }> | 'other' {
  const version = /^(\d{1,9})\n?$/.exec(textOf(join(folder, 'herma-version')) ?? '')?.[1];
  if (version !== undefined && Number(version) > VERSION) return { type: 'newer', version: Number(version) };
  if (Number(version) === VERSION) return { type: 'current' };
  if (isOfHermes(folder)) return { type: 'hermes' };
  if (version !== undefined) return 'other';
  // The file with the version was lost.
  if (namesIn(join(folder, 'refs/herma')).length > 0 && namesIn(join(folder, 'journals')).length > 0)
    return { type: 'current' };
  return isEmpty(folder) ? { type: 'none' } : 'other';
}

/** Its refs may be packed, as its own maintenance leaves them: then its configuration says whose it is. */
function isOfHermes(folder: string): boolean {
  return (
    namesIn(join(folder, 'refs/hermes')).length > 0 ||
    (textOf(join(folder, 'config'))?.includes('hermes@local') ?? false)
  );
}

/** Whether there is nothing in it but what making a store begins with. */
function isEmpty(folder: string): boolean {
  if (rawStat(folder) === undefined) return true;
  const begun = new Set(['config', 'HEAD', 'info', 'refs', 'objects', 'leases', 'bytes']);
  if (namesIn(folder).some((name) => !begun.has(name) && !name.startsWith('tmp_'))) return false;
  return ['objects', 'refs'].every((place) =>
    [...walkFolder(join(folder, place))].every(({ stat }) => (stat.mode & 0o170_000) === 0o040_000),
  );
}

/** A moment as `YYYYmmdd-HHMMSS`, in UTC. */
export function stampOf(now: number): string {
  return new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
}
