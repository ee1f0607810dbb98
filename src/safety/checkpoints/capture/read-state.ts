import { errnoOf } from '../../../platform/paths/index.ts';
import { type RawStat, rawContent, rawKindOf, rawLink, rawStat } from '../../../platform/raw-files/index.ts';
import type { Oid, PathState } from '../model/path-state.ts';
import { below } from '../projects/canonical-path.ts';

/** Larger files are not captured, not even by name. In bytes. */
const MAX_NAMED_BYTES = 64 * 1024 * 1024;

const ABSENT: PathState = { kind: 'absent' };
const UNREADABLE: PathState = { kind: 'hole', reason: 'unreadable' };

/**
 * What stands at `path` below `root`, links not followed, also not on the way: what lies behind a link is not there.
 * `keep` stores content; only what it throws is thrown.
 */
export function readState(root: string, path: string, keep: (bytes: Buffer) => Oid): PathState {
  const found = look(root, path);
  return 'state' in found ? found.state : found.toState(keep(found.bytes));
}

type Found =
  | { readonly state: PathState }
  | { readonly bytes: Buffer; readonly toState: (oid: Oid) => PathState };

function look(root: string, path: string): Found {
  try {
    const parts = path.split('/');
    let place = root;
    for (const part of parts.slice(0, -1)) {
      place = below(place, part);
      const stat = rawStat(place);
      if (stat === undefined || rawKindOf(stat) !== 'directory') return { state: ABSENT };
    }
    place = below(place, parts.at(-1) ?? '');
    const stat = rawStat(place);
    return stat === undefined ? { state: ABSENT } : lookAt(place, stat);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return { state: errno === 'ENOENT' ? ABSENT : UNREADABLE };
  }
}

function lookAt(place: string, stat: RawStat): Found {
  switch (rawKindOf(stat)) {
    case 'directory':
      return { state: { kind: 'directory', mode: permissionsOf(stat) } };
    case 'link':
      return { bytes: rawLink(place), toState: (oid) => ({ kind: 'link', oid }) };
    case 'special':
      return { state: { kind: 'hole', reason: 'special' } };
    case 'file':
      return lookInto(place, stat);
  }
}

function lookInto(place: string, { size }: RawStat): Found {
  if (size > MAX_NAMED_BYTES) return { state: { kind: 'hole', reason: 'too_large' } };
  const content = rawContent(place, MAX_NAMED_BYTES);
  // It has become something else, or grown, since it was looked at.
  if (content === undefined) return { state: { kind: 'hole', reason: 'unstable' } };
  const { bytes, stat } = content;
  return { bytes, toState: (oid) => ({ kind: 'file', mode: permissionsOf(stat), oid, size: bytes.length }) };
}

function permissionsOf({ mode }: RawStat): number {
  return mode & 0o7777;
}
