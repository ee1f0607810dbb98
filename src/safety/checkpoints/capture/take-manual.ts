import { resolve } from 'node:path';
import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import type { CaptureFailure } from '../api.ts';
import type { Oid } from '../model/path-state.ts';
import type { CallOwner } from '../model/record.ts';
import { canonicalPath } from '../projects/canonical-path.ts';
import type { CaptureParts } from './capture-parts.ts';
import { kindAt } from './named-paths.ts';
import { broadNotice, noteFailure, withStore } from './notices.ts';
import { type RecordRequest, takeRecord } from './take-record.ts';

export interface ManualCheckpoint {
  readonly id: Oid;
  readonly h16: string;
  readonly seq: number;
  /** Of the project, canonical. */
  readonly root: string;
  readonly files: number;
  readonly holes: number;
  /** Lines for the person. */
  readonly notices: readonly string[];
}

export type ManualErrorCode = 'broad_root' | 'not_a_folder' | 'take_failed';

/**
 * Captures the whole project that a folder (absolute) belongs to, for a person. Fails with `broad_root` for `/`, the home
 * folder and the like, in any spelling; with `not_a_folder`; and with `take_failed` for what disks and files can do.
 */
export function takeManual(
  parts: CaptureParts,
  directory: string,
  reason: string,
  owner?: CallOwner,
): Result<ManualCheckpoint, ManualErrorCode> {
  const failures: CaptureFailure[] = [];
  const outcome = withStore(parts, failures, (lease) => {
    const place = manualPlace(parts, directory);
    if (!place.ok) return place;
    try {
      return succeed(takeAt(parts, place.value, { lease, reason, owner }));
    } catch (error) {
      failures.push(noteFailure(parts, place.value, error));
      return undefined;
    }
  });
  return outcome ?? fail('take_failed', failures[0]?.message ?? 'no checkpoint was taken');
}

/** The root of the project to capture. */
function manualPlace(parts: CaptureParts, directory: string): Result<string, ManualErrorCode> {
  const folder = canonicalPath(resolve(directory));
  if (kindAt(folder) !== 'directory')
    return fail('not_a_folder', `${folder} is not a folder`, 'name a folder of the project');
  const root = parts.registry.rootOf(folder);
  if (!parts.registry.isBroad(root)) return succeed(root);
  broadNotice(parts, root);
  const message = `${root} is too broad for a checkpoint of everything in it`;
  return fail('broad_root', message, 'take it in the folder of a project');
}

function takeAt(
  parts: CaptureParts,
  root: string,
  request: Pick<RecordRequest, 'lease' | 'reason' | 'owner'>,
): ManualCheckpoint {
  const { process } = parts;
  const taken = takeRecord(parts, { ...request, root, kind: 'manual', process, paths: [], isScanned: true });
  const { id, seq, before } = taken.record;
  const { files, holes } = before ?? { files: 0, holes: 0 };
  return { id, h16: taken.project.h16, seq, root, files, holes, notices: taken.notices };
}
