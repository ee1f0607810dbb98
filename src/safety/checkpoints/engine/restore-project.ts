import { dirname, resolve } from 'node:path';
import { type Failure, fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { printable } from '../../../kernel/tool-call/index.ts';
import { makeRawFolder, rawStat, removeRawFolder } from '../../../platform/raw-files/index.ts';
import type { RestoreOptions, RestoreReport, RestoreTarget } from '../api.ts';
import { settleDead } from '../capture/settle-dead.ts';
import type { OpenRecord } from '../model/record.ts';
import { canonicalPath } from '../projects/canonical-path.ts';
import { projectHash } from '../projects/project-hash.ts';
import type { PlanTarget } from '../restore/plan-model.ts';
import { recoverProject as recover } from '../restore/recover.ts';
import { type RestoreOutcome, restoreProject as restore, undoRestore as undo } from '../restore/restore.ts';
import type { EngineParts } from './engine-parts.ts';
import { entryOf } from './entry-of.ts';

export interface ProjectRestore extends RestoreOptions {
  readonly root: string;
  /** Where relative paths start, absolute. */
  readonly directory: string;
  readonly target: RestoreTarget;
}

/** Brings the files of a project back to what they were at a checkpoint, or without one call. */
export async function restoreProject(parts: EngineParts, request: ProjectRestore): Promise<RestoreReport> {
  const { root, mode = 'agent', paths, includeAmbiguous = false, isDryRun = false } = request;
  const directory = canonicalPath(resolve(request.directory));
  const project = { h16: projectHash(root), root };
  if (!isDryRun && isThere(parts)) settleDead(parts, project.h16);
  const target = targetOf(parts, request);
  if (!target.ok) return refused(root, target);
  const lineage = lineageOf(request, target.value);
  const { mayDelete } = request;
  const outcome = await withRoot(root, isDryRun, async () =>
    restore(parts, {
      project,
      directory,
      mode,
      includeAmbiguous,
      isDryRun,
      target: target.value,
      ...(paths === undefined ? {} : { paths }),
      ...(lineage === undefined ? {} : { lineage }),
      ...(mayDelete === undefined ? {} : { mayDelete: new Set(mayDelete) }),
    }),
  );
  return reportOf(root, outcome);
}

/** Runs `restore` with the root of the project there, though it may have been removed; it goes again when nothing comes of it. */
async function withRoot<Value>(
  root: string,
  isDryRun: boolean,
  restore: () => Promise<Value>,
): Promise<Value> {
  const isMade = !isDryRun && rawStat(root) === undefined && rawStat(dirname(root)) !== undefined;
  if (isMade) makeRawFolder(root, ROOT_MODE);
  try {
    return await restore();
  } finally {
    if (isMade) removeRawFolder(root);
  }
}

/** Of a project's folder that is gone: nobody knows what it was. */
const ROOT_MODE = 0o755;

/** Takes the newest restore of a project back. */
export async function undoRestore(
  parts: EngineParts,
  {
    root,
    mode = 'agent',
    isDryRun = false,
  }: Pick<RestoreOptions, 'mode' | 'isDryRun'> & { readonly root: string },
): Promise<RestoreReport> {
  const project = { h16: projectHash(root), root };
  if (mode === 'exact') return refused(root, fail('usage', 'an undo is never exact', 'leave out --exact'));
  return reportOf(root, await withRoot(root, isDryRun, async () => undo(parts, { project, mode, isDryRun })));
}

/** Ends a restore whose process died in it; a line for the person for each thing that was done. */
export async function recoverProject(parts: EngineParts, root: string): Promise<readonly string[]> {
  const recovered = await recover(parts, { h16: projectHash(root), root });
  if (!recovered.ok) {
    const { message, remedy } = recovered;
    return [remedy === undefined ? message : `${message}; ${remedy}`];
  }
  const { type, left } = recovered.recovery;
  if (type === 'none') return [];
  const what = type === 'finished' ? 'finished' : 'taken back';
  return [
    `A restore of ${root} that had been broken off was ${what}.`,
    ...left.map(({ path, reason }) => `${printable(path)}: ${reason}`),
  ];
}

/** Whether there is a store. Without one there is nothing to end, and none is made. */
export function isThere({ folder }: EngineParts): boolean {
  return rawStat(folder) !== undefined;
}

function targetOf(parts: EngineParts, { root, target, allCalls }: ProjectRestore): Result<PlanTarget> {
  if ('ref' in target) {
    const entry = entryOf(parts, root, { ref: target.ref, allCalls });
    if (!entry.ok) return entry;
    const [first, ...others] = entry.value.calls.map(({ open }) => open);
    if (first === undefined) throw new Error('an entry has no call');
    return succeed({ type: 'entry', opens: [first, ...others] });
  }
  const isWanted = (open: OpenRecord): boolean =>
    'callOf' in target ? open.id === target.callOf : open.owner?.callId === target.callId;
  const calls = parts.journals
    .of(projectHash(root))
    .records()
    .filter((record): record is OpenRecord => record.type === 'open' && isWanted(record));
  const open = calls.at(-1);
  if (open !== undefined) return succeed({ type: 'call', open });
  const wanted = 'callOf' in target ? `with checkpoint ${target.callOf}` : `"${printable(target.callId)}"`;
  return fail(
    'no_such_call',
    `no checkpoint was taken here for a call ${wanted}`,
    'see the calls with `rollback --all-calls`',
  );
}

/** A chat keeps what other sessions changed, but for those of the checkpoint it goes back to. */
function lineageOf({ lineage }: ProjectRestore, target: PlanTarget): ReadonlySet<string> | undefined {
  if (lineage === undefined) return undefined;
  const owner = target.type === 'call' ? target.open.owner : target.opens[0].owner;
  return new Set([...lineage, ...(owner === undefined ? [] : [owner.rootSessionId])]);
}

function reportOf(root: string, outcome: RestoreOutcome): RestoreReport {
  return { ...outcome, root };
}

function refused(root: string, { code, message, remedy }: Failure): RestoreReport {
  const error = { code, message, ...(remedy === undefined ? {} : { remedy }) };
  return { ok: false, root, restored: [], deleted: [], kept: [], skipped: [], error };
}
