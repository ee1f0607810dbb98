import { unlinkRaw } from '../../../platform/raw-files/index.ts';
import { treeRef } from '../projects/ref-names.ts';
import type { RetentionParts } from './retention-parts.ts';

/** Gives up the stat manifest of a project and the snapshot that it keeps alive. The next scan reads everything. */
export function forgetTree(parts: RetentionParts, h16: string): void {
  unlinkRaw(`${parts.folder}/manifests/${h16}.bin`);
  parts.refs.delete(treeRef(h16));
}
