import { fail, type Result } from '../../../kernel/errors/index.ts';
import { displayPath } from '../../../platform/paths/index.ts';
import type { CheckpointStore, PruneReport } from '../../../safety/checkpoints/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { printableLine } from '../output/printable.ts';
import { working } from '../rollback/working.ts';
import { confirm } from '../runtime/confirm.ts';
import type { VerbContext } from '../verb.ts';
import { archiveSize } from './archive-size.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const MEGABYTE = 1024 * 1024;

export interface PruneRequest {
  /** Undefined for what the configuration says. */
  readonly retentionDays: number | undefined;
  readonly maxSizeMb: number | undefined;
  readonly keepOrphans: boolean;
}

/** `herma checkpoints prune`: asks before it deletes projects whose folder is gone; without a yes nothing is pruned. */
export async function runPrune(
  context: VerbContext,
  store: CheckpointStore,
  { retentionDays, maxSizeMb, keepOrphans }: PruneRequest,
): Promise<ExitCode> {
  const orphans = keepOrphans
    ? []
    : (await store.status()).projects.filter(({ state }) => state === 'orphan');
  if (orphans.length > 0) {
    context.note('Projects whose folder is gone:');
    for (const { workdir, snapshots } of orphans)
      context.note(`  ${displayPath(workdir)} (${String(snapshots)})`);
    const agreed = await agree(context);
    if (!agreed.ok) return context.fail(agreed);
    if (!agreed.value) return abort(context);
  }
  const report = await working(context, 'pruning', () =>
    store.prune({
      confirmedOrphans: orphans.map(({ h16 }) => h16),
      ...(retentionDays === undefined ? {} : { retentionMs: retentionDays * DAY_MS }),
      ...(maxSizeMb === undefined ? {} : { maxTotalBytes: maxSizeMb * MEGABYTE }),
    }),
  );
  return tellPruned(context, report);
}

/** Says what was dropped. Exit code 2 when something could not be. */
export function tellPruned(context: VerbContext, report: PruneReport): ExitCode {
  if (context.json) context.printJson(pruneDocument(report));
  else for (const line of pruneText(report)) context.print(line);
  for (const error of report.errors) context.note(printableLine(error));
  return report.errors.length === 0 ? EXIT.done : EXIT.couldNot;
}

/** Said where a person did not agree. */
export function abort(context: VerbContext): ExitCode {
  if (context.json) context.printJson({ aborted: true });
  else context.print('Aborted.');
  return EXIT.no;
}

async function agree(context: VerbContext): Promise<Result<boolean>> {
  const agreed = await confirm(context, 'Delete these orphan projects?');
  if (agreed.ok || agreed.code !== 'not_confirmed') return agreed;
  return fail(agreed.code, agreed.message, 'Add -f to delete them, or --keep-orphans to keep them.');
}

function pruneText(report: PruneReport): readonly string[] {
  return [
    `Scanned:         ${String(report.scanned)}`,
    `Deleted orphan:  ${String(report.deletedOrphans)}`,
    `Deleted stale:   ${String(report.deletedStale)}`,
    `Dropped:         ${String(report.droppedEntries)}`,
    `Errors:          ${String(report.errors.length)}`,
    `Bytes reclaimed: ${archiveSize(report.bytesReclaimed)}`,
    ...(report.isOverCap
      ? ['still over the cap: what is left are the last checkpoints of each project']
      : []),
  ];
}

function pruneDocument(report: PruneReport): object {
  return {
    scanned: report.scanned,
    deleted_orphan: report.deletedOrphans,
    deleted_stale: report.deletedStale,
    dropped: report.droppedEntries,
    bytes_reclaimed: report.bytesReclaimed,
    over_cap: report.isOverCap,
    errors: report.errors,
  };
}
