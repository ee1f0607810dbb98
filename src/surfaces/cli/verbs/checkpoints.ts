import { keepingVerbs } from '../checkpoints/keeping-verbs.ts';
import { takingVerbs } from '../checkpoints/taking-verbs.ts';
import { statusVerb, viewingVerbs } from '../checkpoints/viewing-verbs.ts';
import { type CheckpointOpener, withCheckpoints } from '../rollback/open-checkpoints.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = checkpointsVerb(withCheckpoints);

/** The verb on other checkpoints. */
export function checkpointsVerb(open: CheckpointOpener): Verb {
  return {
    ...statusVerb(open),
    name: 'checkpoints',
    summary: 'see, take, check and delete what is kept of files',
    details: 'Without a command it shows the status. `herma rollback` lists the checkpoints of one project.',
    example: 'herma checkpoints',
    subcommands: [...viewingVerbs(open), ...takingVerbs(open), ...keepingVerbs(open)],
  };
}
