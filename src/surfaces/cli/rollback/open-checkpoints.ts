import type { OpenJournal, Rewind } from '../../../app/index.ts';
import { type Result, succeed } from '../../../kernel/errors/index.ts';
import type { CallOwner, CheckpointStore } from '../../../safety/checkpoints/index.ts';
import type { ExitCode } from '../exit-code.ts';
import { openRuntime } from '../runtime/open-runtime.ts';
import type { VerbContext } from '../verb.ts';

/** The checkpoints of this home, as a command uses them. */
export interface OpenCheckpoints {
  readonly store: CheckpointStore;
  /** Whether calls are captured, by the configuration. */
  readonly isEnabled: boolean;
  /** Takes the conversation of a checkpoint back, unless it is open elsewhere. */
  rewindTo(owner: CallOwner): Promise<Rewind>;
  /** What was captured before a call of the journal: null when nothing was, undefined when the journal holds no such call. */
  checkpointOf(id: number): Promise<Result<string | null | undefined>>;
}

/** Opens the checkpoints for `use`, and closes them. `use` does not run when they cannot be opened. */
export type CheckpointOpener = (
  context: VerbContext,
  use: (checkpoints: OpenCheckpoints) => Promise<ExitCode>,
) => Promise<ExitCode>;

/** Opens those of the home that the context names. */
export const withCheckpoints: CheckpointOpener = async (context, use) => {
  // The folder the person is in may be what has to be brought back.
  const opened = await openRuntime(context, { surface: 'checkpoints', cwd: context.paths.home });
  if (!opened.ok) return context.fail(opened);
  const runtime = opened.value;
  try {
    const store = await runtime.checkpoints();
    if (!store.ok) return context.fail(store);
    return await use({
      store: store.value,
      isEnabled: runtime.checkpointsEnabled,
      rewindTo: (owner) => runtime.rewindTo(owner),
      checkpointOf: async (id) => checkpointOf(await runtime.journal(), id),
    });
  } finally {
    await runtime.close();
  }
};

async function checkpointOf(
  { ledger }: OpenJournal,
  id: number,
): ReturnType<OpenCheckpoints['checkpointOf']> {
  if (!ledger.file.exists) return succeed(undefined);
  const row = await ledger.row(id);
  return row.ok ? succeed(row.value === undefined ? undefined : row.value.checkpoint) : row;
}
