import type { CaptureFailure } from '../api.ts';
import type { Oid } from '../model/path-state.ts';
import type { Lease } from '../projects/leases.ts';
import { treeRef } from '../projects/ref-names.ts';
import type { CaptureParts } from './capture-parts.ts';
import { withStore } from './notices.ts';
import { isRecorded } from './scan-project.ts';
import { storeFault } from './store-fault.ts';

/**
 * Writes the stat manifests of the projects that were scanned since, and names the snapshots they describe so that they
 * stay alive. To be called when nobody waits. What fails stays pending; it is a cache.
 */
export function persistManifests(parts: CaptureParts): readonly CaptureFailure[] {
  const failures: CaptureFailure[] = [];
  if (parts.pending.size === 0) return failures;
  withStore(parts, failures, (lease) => {
    // Maintenance may be about to delete what the ref would name.
    if (!lease.mayReuse) return;
    for (const [h16, root] of parts.pending) {
      try {
        persist(parts, lease, h16, root);
        parts.pending.delete(h16);
      } catch (error) {
        failures.push({ path: parts.folder, message: storeFault(error, parts.folder) });
      }
    }
  });
  return failures;
}

function persist(parts: CaptureParts, lease: Lease, h16: string, root: Oid): void {
  // Its record may have been dropped meanwhile, and its objects with it.
  if (!isRecorded(parts, h16, root)) return;
  const writer = parts.objects.writer({ mayReuse: lease.mayReuse });
  try {
    const commit = writer.commit({ tree: root, message: 'manifest\n', at: parts.now() });
    parts.bytes.add(writer.finish());
    parts.step?.('tree-objects');
    parts.refs.set(treeRef(h16), commit);
    parts.step?.('tree-ref');
  } catch (error) {
    writer.abandon();
    throw error;
  }
  parts.scanner.persist(h16);
  parts.step?.('manifest');
}
