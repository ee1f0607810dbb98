import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { rawContent, rawKindOf, rawLink, rawStat } from '../../../platform/raw-files/index.ts';
import type { CheckpointDiff } from '../api.ts';
import { readState } from '../capture/read-state.ts';
import { scanProject } from '../capture/scan-project.ts';
import type { CurrentTree } from '../listing/current-tree.ts';
import { diffSince } from '../listing/diff-since.ts';
import type { Entry } from '../listing/entries.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { hashObject } from '../objects/object-name.ts';
import { canonicalPath } from '../projects/canonical-path.ts';
import { projectHash } from '../projects/project-hash.ts';
import { treeRef } from '../projects/ref-names.ts';
import type { EngineParts } from './engine-parts.ts';

export interface DiffNowRequest {
  readonly root: string;
  readonly entry: Entry;
  /** Where relative paths start, absolute. */
  readonly directory: string;
  readonly paths?: readonly string[];
  readonly maxLines?: number;
}

/** What is different now from what it was at a checkpoint. Fails with `outside` for a path that is not in the project. */
export function diffNow(parts: EngineParts, request: DiffNowRequest): Result<CheckpointDiff> {
  const { root, entry, directory, paths, maxLines } = request;
  const wanted: string[] = [];
  for (const path of paths ?? []) {
    const named = resolve(directory, path);
    // The name itself may be a link, which is what is asked about.
    const inside = relative(root, join(canonicalPath(dirname(named)), basename(named)));
    if (inside === '..' || inside.startsWith(`..${sep}`))
      return fail('outside', `${path} is not in ${root}`, 'name a file of the project');
    wanted.push(inside);
  }
  const report = diffSince(parts.differ, {
    entry,
    records: parts.journals.of(projectHash(root)).records(),
    now: currentTree(parts, root),
    ...(paths === undefined ? {} : { paths: wanted }),
    ...(maxLines === undefined ? {} : { maxLines }),
  });
  return succeed({ ...report, root });
}

function currentTree(parts: EngineParts, root: string): CurrentTree {
  return {
    stateOf: (path) => readState(root, path, (bytes) => hashObject('blob', bytes)),
    contentOf: (path) => {
      const place = `${root}/${path}`;
      const stat = rawStat(place);
      if (stat !== undefined && rawKindOf(stat) === 'link') return rawLink(place);
      return rawContent(place)?.bytes;
    },
    scanNow: () => scanNow(parts, root),
  };
}

/** The project as it is, in the store. Undefined when it is too broad for that. */
function scanNow(parts: EngineParts, root: string): Snapshot | undefined {
  if (parts.registry.isBroad(root)) return undefined;
  const h16 = projectHash(root);
  const lease = parts.leases.take();
  try {
    const { snapshot, bytes } = scanProject(parts, { h16, root }, lease, []);
    // No record has it: without a name it would be swept, and the next scan would read everything again.
    const writer = parts.objects.writer({ mayReuse: lease.mayReuse });
    const commit = writer.commit({ tree: snapshot.root, message: 'looked at\n', at: parts.now() });
    parts.bytes.add(bytes + writer.finish());
    parts.refs.set(treeRef(h16), commit);
    return snapshot;
  } finally {
    lease.release();
  }
}
