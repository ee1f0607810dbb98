import type { CheckpointStore, PruneReport } from '../../../safety/checkpoints/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { printableLine } from '../output/printable.ts';
import { counted } from '../rollback/text-style.ts';
import { working } from '../rollback/working.ts';
import type { VerbContext } from '../verb.ts';
import { tellPruned } from './run-prune.ts';

/** `herma checkpoints verify`: 0 when nothing is wrong, else 1. */
export async function runVerify(context: VerbContext, store: CheckpointStore): Promise<ExitCode> {
  const { ok, objects, checkpoints, problems } = await working(context, 'verifying', () => store.verify());
  if (context.json) context.printJson({ ok, objects, checkpoints, problems });
  else {
    for (const problem of problems) context.print(printableLine(problem));
    context.print(
      `${counted(checkpoints, 'checkpoint')}, ${counted(objects, 'object')}: ${
        ok
          ? 'no problems'
          : `${counted(problems.length, 'problem')}; herma checkpoints repair mends what can be mended`
      }.`,
    );
  }
  return ok ? EXIT.done : EXIT.no;
}

/** `herma checkpoints repair`: 0 when nothing is wrong any more, else 1. */
export async function runRepair(context: VerbContext, store: CheckpointStore): Promise<ExitCode> {
  const { done, problems } = await working(context, 'repairing', () => store.repair());
  if (context.json) context.printJson({ done, problems });
  else {
    for (const line of done) context.print(printableLine(line));
    for (const line of problems) context.print(`not mended: ${printableLine(line)}`);
    if (done.length + problems.length === 0) context.print('Nothing to repair.');
  }
  return problems.length === 0 ? EXIT.done : EXIT.no;
}

/** `herma checkpoints maintain`, which the program starts itself: the sweep when it is due, then what is too much. */
export async function runMaintain(context: VerbContext, store: CheckpointStore): Promise<ExitCode> {
  const swept = await store.sweep();
  const isNeeded = await store.needsMaintenance();
  const maintained = isNeeded ? await store.maintain() : undefined;
  const report =
    swept === undefined || maintained === undefined ? (maintained ?? swept) : sum(swept, maintained);
  if (report !== undefined) return tellPruned(context, report);
  if (context.json) context.printJson(null);
  else context.print('Nothing to do.');
  return EXIT.done;
}

function sum(swept: PruneReport, maintained: PruneReport): PruneReport {
  return {
    scanned: swept.scanned,
    deletedOrphans: swept.deletedOrphans,
    deletedStale: swept.deletedStale,
    droppedEntries: swept.droppedEntries + maintained.droppedEntries,
    bytesReclaimed: swept.bytesReclaimed + maintained.bytesReclaimed,
    isOverCap: maintained.isOverCap,
    errors: [...swept.errors, ...maintained.errors],
  };
}
