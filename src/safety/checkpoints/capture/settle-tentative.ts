import { isSameState } from '../model/path-state.ts';
import type { OpenRecord } from '../model/record.ts';
import { hashObject } from '../objects/object-name.ts';
import { projectHash } from '../projects/project-hash.ts';
import type { Project } from '../projects/project-registry.ts';
import { closeRef, openRef, privateRef } from '../projects/ref-names.ts';
import type { CaptureParts } from './capture-parts.ts';
import { readState } from './read-state.ts';

/**
 * Decides about a record of a place that is no project: when the call has changed what it names there, the place becomes a
 * project; otherwise nothing is left of the record. Undefined for the latter, and for a record of another kind.
 */
export function settleTentative(parts: CaptureParts, h16: string, open: OpenRecord): Project | undefined {
  const root = open.tentativeRoot;
  if (root === undefined || projectHash(root) !== h16) return undefined;
  const isChanged = open.named.some(
    ({ path, state }) =>
      !isSameState(
        state,
        readState(root, path, (bytes) => hashObject('blob', bytes)),
      ),
  );
  if (isChanged) return parts.registry.touch(root, parts.now());
  const { seq } = open;
  // The record before its refs: refs without a record are swept.
  parts.journals.of(h16).remove([seq]);
  for (const name of [openRef(h16, seq), closeRef(h16, seq), privateRef(h16, seq)]) parts.refs.delete(name);
  return undefined;
}
