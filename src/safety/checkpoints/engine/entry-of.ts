import type { Result } from '../../../kernel/errors/index.ts';
import type { Entry } from '../listing/entries.ts';
import { resolveCheckpoint } from '../listing/resolve-checkpoint.ts';
import { projectHash } from '../projects/project-hash.ts';
import type { EngineParts } from './engine-parts.ts';

/** The checkpoint of a project that a number or an id means. */
export function entryOf(
  parts: EngineParts,
  root: string,
  { ref, allCalls = false }: { readonly ref: string; readonly allCalls?: boolean | undefined },
): Result<Entry> {
  const { journals, registry, settings } = parts;
  return resolveCheckpoint({
    ref,
    directory: root,
    records: journals.of(projectHash(root)).records(),
    allCalls,
    ...(allCalls ? {} : { limit: settings.maxSnapshots }),
    otherProjects: () =>
      registry
        .all()
        .filter((project) => project.root !== root)
        .map((project) => ({ directory: project.root, records: journals.of(project.h16).records() })),
  });
}
