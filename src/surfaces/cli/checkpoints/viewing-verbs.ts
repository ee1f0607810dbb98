import { integerOption } from '../inputs.ts';
import type { CheckpointOpener } from '../rollback/open-checkpoints.ts';
import { chosenDirectory, diffOptions, directory } from '../rollback/rollback-inputs.ts';
import { performRollback } from '../rollback/run-rollback.ts';
import type { Verb } from '../verb.ts';
import { checkpoint, files } from './checkpoint-inputs.ts';
import { opened } from './opened.ts';
import { runShow } from './run-show.ts';
import { runStatus } from './run-status.ts';

const DEFAULT_LIMIT = 20;

const limit = integerOption(
  '-n, --limit <n>',
  `projects that are shown (${String(DEFAULT_LIMIT)} by default)`,
  {
    min: 1,
    max: 100_000,
  },
);

/** Subcommands that only look. */
export function viewingVerbs(open: CheckpointOpener): readonly Verb[] {
  return [
    statusVerb(open),
    {
      ...statusVerb(open),
      name: 'list',
      summary: 'the same as status',
      example: 'herma checkpoints list',
    },
    showVerb(open),
    diffVerb(open),
  ];
}

/** What there is without a subcommand, too. */
export function statusVerb(open: CheckpointOpener): Verb {
  return {
    name: 'status',
    summary: 'show what is stored, and of which projects',
    details:
      'STATE is live, orphan (its folder is gone) or unreachable (a disk that is not there, perhaps). `herma rollback` lists the checkpoints of one project.',
    example: 'herma checkpoints status',
    options: [limit],
    run: opened(open, (context, checkpoints) =>
      runStatus(context, checkpoints, context.get(limit) ?? DEFAULT_LIMIT),
    ),
  };
}

function showVerb(open: CheckpointOpener): Verb {
  return {
    name: 'show',
    summary: 'show one checkpoint, and what is different now',
    example: 'herma checkpoints show 1',
    arguments: [checkpoint],
    options: [directory],
    run: opened(open, (context, checkpoints) =>
      runShow(context, checkpoints, { directory: chosenDirectory(context), ref: context.get(checkpoint) }),
    ),
  };
}

function diffVerb(open: CheckpointOpener): Verb {
  return {
    name: 'diff',
    summary: 'show what changed since a checkpoint, as `herma rollback diff` does',
    example: 'herma checkpoints diff 1',
    arguments: [checkpoint, files],
    options: diffOptions,
    run: (context) =>
      performRollback(context, ['diff', context.get(checkpoint), ...context.get(files)], open),
  };
}
