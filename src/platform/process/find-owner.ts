import { type Ancestor, chooseOwner } from './choose-owner.ts';
import { type ProcessIdentity, processIdentity } from './process-identity.ts';
import { processTable } from './process-table.ts';

export interface FindOwnerOptions {
  /** The process whose owner is sought; this process when absent. */
  readonly from?: number | undefined;
}

/** More than any real chain is long; ends the walk should a snapshot ever show a circle. */
const MOST_ANCESTORS = 256;

function ancestorsOf(pid: number): Ancestor[] {
  const ancestors: Ancestor[] = [];
  let parent = processTable.read([pid])[0]?.ppid ?? 0;
  while (parent > 0 && ancestors.length < MOST_ANCESTORS) {
    const entry = processTable.read([parent])[0];
    if (entry === undefined) break;
    ancestors.push({ pid: entry.pid, name: entry.name, argv: processTable.argumentsOf(entry.pid) });
    parent = entry.ppid;
  }
  return ancestors;
}

/**
 * The owner of a call that a short-lived command makes: see `chooseOwner` for who that is. Undefined when no ancestor can be
 * seen (the parent is in another pid namespace, as with `docker exec`, or has ended), so that nobody can be made the owner.
 */
export function findOwner({ from = process.pid }: FindOwnerOptions = {}): ProcessIdentity | undefined {
  const argv =
    from === process.pid ? [process.execPath, ...process.argv.slice(1)] : processTable.argumentsOf(from);
  const owner = chooseOwner({ ancestors: ancestorsOf(from), argv });
  return owner === undefined ? undefined : processIdentity(owner.pid);
}
