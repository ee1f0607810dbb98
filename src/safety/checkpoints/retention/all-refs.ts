import { join } from 'node:path';
import { errnoOf } from '../../../platform/paths/index.ts';
import { rawContent, rawKindOf } from '../../../platform/raw-files/index.ts';
import type { Oid } from '../model/path-state.ts';
import { walkFolder } from './measure-folder.ts';

/** Every object that a ref of the repository names, also one that a person made with git: nothing below it may go. */
export function allRefs(folder: string): ReadonlySet<Oid> {
  const oids = new Set<Oid>();
  for (const { path, stat } of walkFolder(join(folder, 'refs')))
    if (rawKindOf(stat) === 'file') for (const oid of oidsIn(path)) oids.add(oid);
  for (const name of ['packed-refs', 'HEAD']) for (const oid of oidsIn(join(folder, name))) oids.add(oid);
  return oids;
}

function oidsIn(path: string): readonly Oid[] {
  try {
    const text = rawContent(path)?.bytes.toString('latin1') ?? '';
    return [...text.matchAll(/^\^?([0-9a-f]{40})(?: |$)/gm)].flatMap(([, oid]) => oid ?? []);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
