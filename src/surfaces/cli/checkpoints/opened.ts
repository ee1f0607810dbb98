import type { CheckpointOpener, OpenCheckpoints } from '../rollback/open-checkpoints.ts';
import type { VerbContext } from '../verb.ts';

type Ran = ReturnType<CheckpointOpener>;

/** What a verb does with checkpoints, as its `run`. */
export function opened(
  open: CheckpointOpener,
  use: (context: VerbContext, checkpoints: OpenCheckpoints) => Ran,
): (context: VerbContext) => Ran {
  return (context) => open(context, (checkpoints) => use(context, checkpoints));
}
