import { type CheckpointOpener, withCheckpoints } from '../rollback/open-checkpoints.ts';
import { rollbackOptions, words } from '../rollback/rollback-inputs.ts';
import { performRollback } from '../rollback/run-rollback.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = rollbackVerb(withCheckpoints);

/** The verb on other checkpoints. */
export function rollbackVerb(open: CheckpointOpener): Verb {
  return {
    name: 'rollback',
    summary: 'list checkpoints, and take back what was done to files since one',
    details: `  herma rollback                 list the checkpoints of this project
  herma rollback diff N [FILE…]  show what changed since checkpoint N
  herma rollback N [FILE…]       restore everything, or only these files
  herma rollback undo            take the last restore back
N is a number of the list, or an id or its beginning. What you changed yourself since is kept, unless --all is given.
After a restore of everything the conversation is taken back to the turn of the checkpoint.
Exit code 0 when it is done, 1 when you said no, 2 when it failed, 4 when there are no checkpoints.`,
    example: 'herma rollback diff 1',
    arguments: [words],
    options: rollbackOptions,
    run: (context) => performRollback(context, context.get(words), open),
  };
}
