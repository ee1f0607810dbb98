import { rawStat } from '../../../platform/raw-files/index.ts';
import type { CaptureFailure } from '../api.ts';
import { MAX_SCANNED_FILES } from '../model/settings.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { ObjectStore } from '../objects/object-store.ts';
import type { Lease } from '../projects/leases.ts';
import { projectHash } from '../projects/project-hash.ts';
import type { Project } from '../projects/project-registry.ts';
import type { CaptureParts } from './capture-parts.ts';
import { storeFault } from './store-fault.ts';

/** Codes of the notices of a project that a capture sets, and takes away when they are no longer so. */
const BROAD = 'broad_root';
const TOO_MANY = 'too_many_files';
const FAILED = 'take_failed';

/** Runs `work` with a lease in a store that is there. What goes wrong with the store as a whole is one failure, and no value. */
export function withStore<Value>(
  parts: CaptureParts,
  failures: CaptureFailure[],
  work: (lease: Lease) => Value,
): Value | undefined {
  let lease: Lease | undefined;
  let value: Value | undefined;
  try {
    if (rawStat(`${parts.folder}/HEAD`) === undefined) ObjectStore.create(parts.folder);
    lease = parts.leases.take();
    parts.step?.('lease');
    value = work(lease);
  } catch (error) {
    failures.push({ path: parts.folder, message: storeFault(error, parts.folder) });
  }
  try {
    lease?.release();
    parts.step?.('release');
  } catch (error) {
    // The lease ends with this process at the latest.
    failures.push({ path: parts.folder, message: storeFault(error, parts.folder) });
  }
  return value;
}

/** Notes that a project was not captured, also where `status` shows it. Throws a bug again. */
export function noteFailure(parts: CaptureParts, root: string, error: unknown): CaptureFailure {
  const message = storeFault(error, root);
  tryToNote(root, () => {
    parts.registry.setNotice(projectHash(root), { code: FAILED, message, at: parts.now() });
  });
  return { path: root, message };
}

/** Notes that a root is too broad for a scan. A line for the person, the first time. */
export function broadNotice(parts: CaptureParts, root: string): string | undefined {
  const message = `${root} is too broad for a checkpoint of everything in it: only files that a call names are captured`;
  const isKnown = tryToNote(root, () => {
    const { h16, notice } = parts.registry.touch(root, parts.now());
    if (notice?.code === BROAD) return true;
    parts.registry.setNotice(h16, { code: BROAD, message, at: parts.now() });
    return false;
  });
  return isKnown === true ? undefined : message;
}

/** Brings the notice of a project in line with a capture that has worked. Lines for the person. */
export function noteCoverage(
  parts: CaptureParts,
  { h16, root, notice }: Pick<Project, 'h16' | 'root' | 'notice'>,
  snapshot: Snapshot | undefined,
): readonly string[] {
  if (snapshot?.coverage !== 'tracked') {
    const isOver = notice?.code === FAILED || (notice?.code === TOO_MANY && snapshot !== undefined);
    if (isOver)
      tryToNote(root, () => {
        parts.registry.clearNotice(h16, [FAILED, TOO_MANY]);
      });
    return [];
  }
  const count = MAX_SCANNED_FILES.toLocaleString('en');
  const message = `${root} has more than ${count} files: only those that git tracks, and folders that calls have touched, are captured`;
  if (notice?.code !== TOO_MANY)
    tryToNote(root, () => {
      parts.registry.setNotice(h16, { code: TOO_MANY, message, at: parts.now() });
    });
  return [message];
}

/** What is noted is only for `status`; the person is told at once, and a store that takes no note spoils no capture. */
function tryToNote<Value>(root: string, note: () => Value): Value | undefined {
  try {
    return note();
  } catch (error) {
    storeFault(error, root);
    return undefined;
  }
}
