import type { CheckpointStore } from '../../../safety/checkpoints/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { counted } from '../rollback/text-style.ts';
import { working } from '../rollback/working.ts';
import { confirm } from '../runtime/confirm.ts';
import type { VerbContext } from '../verb.ts';
import { archiveSize } from './archive-size.ts';
import { abort } from './run-prune.ts';
import { legacyLine } from './status-text.ts';

/** `herma checkpoints clear`: deletes everything, after asking. */
export async function runClear(context: VerbContext, store: CheckpointStore): Promise<ExitCode> {
  const { bytes, storeBytes, projects, legacy } = await store.status();
  if (storeBytes === 0 && projects.length === 0 && legacy.length === 0) {
    if (context.json) context.printJson({ bytes: 0 });
    else context.print('Nothing to clear.');
    return EXIT.done;
  }
  const what = [`Size: ${archiveSize(bytes)}`, `Projects: ${String(projects.length)}`];
  if (legacy.length > 0) what.push(`Legacy archives: ${String(legacy.length)}`);
  for (const line of what) context.note(line);
  const agreed = await confirm(context, 'Delete all checkpoints of all projects?');
  if (!agreed.ok) return context.fail(agreed);
  if (!agreed.value) return abort(context);
  const cleared = await working(context, 'deleting', () => store.clear());
  if (!cleared.ok) return context.fail(cleared);
  if (context.json) context.printJson({ bytes: cleared.value.bytes });
  else context.print(`Deleted all checkpoints (${archiveSize(cleared.value.bytes)}).`);
  return EXIT.done;
}

/** `herma checkpoints clear-legacy`: deletes what older versions left, after asking. */
export async function runClearLegacy(context: VerbContext, store: CheckpointStore): Promise<ExitCode> {
  const { legacy } = await store.status();
  if (legacy.length === 0) {
    if (context.json) context.printJson({ bytes: 0, archives: 0 });
    else context.print('No legacy archives to clear.');
    return EXIT.done;
  }
  for (const { name, bytes } of legacy) context.note(legacyLine(name, bytes));
  const agreed = await confirm(context, `Delete ${counted(legacy.length, 'legacy archive')}?`);
  if (!agreed.ok) return context.fail(agreed);
  if (!agreed.value) return abort(context);
  const cleared = await working(context, 'deleting', () => store.clearLegacy());
  if (!cleared.ok) return context.fail(cleared);
  const { bytes, archives } = cleared.value;
  if (context.json) context.printJson({ bytes, archives });
  else context.print(`Deleted ${counted(archives, 'legacy archive')} (${archiveSize(bytes)}).`);
  return EXIT.done;
}
