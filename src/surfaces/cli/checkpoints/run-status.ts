import type { JsonObject } from '../../../kernel/json/index.ts';
import type { StoreStatus } from '../../../safety/checkpoints/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { isoTime } from '../rollback/documents.ts';
import { HOW_TO_SWITCH_ON } from '../rollback/list-text.ts';
import type { OpenCheckpoints } from '../rollback/open-checkpoints.ts';
import type { VerbContext } from '../verb.ts';
import { gitVersion } from './git-version.ts';
import { statusText } from './status-text.ts';

/** `herma checkpoints status` */
export async function runStatus(
  context: VerbContext,
  { store, isEnabled }: OpenCheckpoints,
  limit: number,
): Promise<ExitCode> {
  const [status, git] = await Promise.all([store.status(), gitVersion(context)]);
  if (context.json) context.printJson(statusDocument(status, { isEnabled, git }));
  else {
    const now = context.clock.now();
    for (const line of statusText(status, { limit, now, columns: context.stdout.columns, git }))
      context.print(line);
    if (!isEnabled) context.note(`Checkpoints are off. ${HOW_TO_SWITCH_ON}`);
  }
  return EXIT.done;
}

function statusDocument(
  status: StoreStatus,
  { isEnabled, git }: { readonly isEnabled: boolean; readonly git: string | undefined },
): JsonObject {
  return {
    base: status.base,
    bytes: status.bytes,
    store_bytes: status.storeBytes,
    legacy: status.legacy.map(({ name, bytes }) => ({ name, bytes })),
    projects: status.projects.map(({ workdir, snapshots, lastTouch, state, notice }) => ({
      workdir,
      snapshots,
      last_touch: lastTouch > 0 ? isoTime(lastTouch) : null,
      state,
      ...(notice === undefined ? {} : { notice }),
    })),
    enabled: isEnabled,
    cap_bytes: status.capBytes,
    over_cap: status.isOverCap,
    problems: [...status.problems],
    git: git ?? null,
  };
}
