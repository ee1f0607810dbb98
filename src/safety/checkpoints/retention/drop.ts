import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { dropEntry, entriesOf } from './entries-of.ts';
import type { RetentionParts } from './retention-parts.ts';

/**
 * Drops one entry of a project: the one with the call of this id. Fails with `not_found`, and with `in_use` while a call of
 * it or a restore of the project runs.
 */
export function drop(
  parts: RetentionParts,
  { h16, id }: { readonly h16: string; readonly id: string },
): Result<{ readonly calls: number }, 'not_found' | 'in_use'> {
  const stored = entriesOf(parts, h16).find(({ entry }) => entry.calls.some(({ open }) => open.id === id));
  if (stored === undefined)
    return fail('not_found', `there is no checkpoint ${id}`, 'see `herma checkpoints list`');
  if (stored.isInUse)
    return fail(
      'in_use',
      `the checkpoint ${id} is in use`,
      'try again when its call or the restore has ended',
    );
  dropEntry(parts, stored);
  return succeed({ calls: stored.entry.calls.length });
}
