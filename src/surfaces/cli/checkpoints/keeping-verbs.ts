import { flagOption, integerOption } from '../inputs.ts';
import type { CheckpointOpener } from '../rollback/open-checkpoints.ts';
import type { Verb } from '../verb.ts';
import { opened } from './opened.ts';
import { runClear, runClearLegacy } from './run-clear.ts';
import { runMaintain, runRepair, runVerify } from './run-health.ts';
import { runPrune } from './run-prune.ts';

const MAX_DAYS = 36_500;
const MAX_MB = 10_000_000;

const retentionDays = integerOption('--retention-days <n>', 'drop what is older, instead of retention_days', {
  min: 0,
  max: MAX_DAYS,
});
const maxSizeMb = integerOption(
  '--max-size-mb <n>',
  'bring the store below this, instead of max_total_size_mb',
  {
    min: 1,
    max: MAX_MB,
  },
);
const keepOrphans = flagOption('--keep-orphans', 'keep projects whose folder is gone, and do not ask');

/** Subcommands about the store as a whole. */
export function keepingVerbs(open: CheckpointOpener): readonly Verb[] {
  return [
    pruneVerb(open),
    clearVerb(open),
    clearLegacyVerb(open),
    verifyVerb(open),
    repairVerb(open),
    maintainVerb(open),
  ];
}

function pruneVerb(open: CheckpointOpener): Verb {
  return {
    name: 'prune',
    summary: 'drop what is old or too much, now',
    details:
      'Asks before it deletes projects whose folder is gone; a no ends it with exit code 1. Exit code 2 when something could not be dropped.',
    example: 'herma checkpoints prune --keep-orphans',
    options: [retentionDays, maxSizeMb, keepOrphans],
    run: opened(open, (context, { store }) =>
      runPrune(context, store, {
        retentionDays: context.get(retentionDays),
        maxSizeMb: context.get(maxSizeMb),
        keepOrphans: context.get(keepOrphans),
      }),
    ),
  };
}

function clearVerb(open: CheckpointOpener): Verb {
  return {
    name: 'clear',
    summary: 'delete all checkpoints of all projects',
    details: 'Asks first. Exit code 1 when the answer is no. Files are deleted, not overwritten.',
    example: 'herma checkpoints clear',
    run: opened(open, (context, { store }) => runClear(context, store)),
  };
}

function clearLegacyVerb(open: CheckpointOpener): Verb {
  return {
    name: 'clear-legacy',
    summary: 'delete the archives of older layouts',
    details: 'Asks first. Exit code 1 when the answer is no.',
    example: 'herma checkpoints clear-legacy',
    run: opened(open, (context, { store }) => runClearLegacy(context, store)),
  };
}

function verifyVerb(open: CheckpointOpener): Verb {
  return {
    name: 'verify',
    summary: 'read everything that is stored, and say what is damaged',
    details: 'Exit code 1 when something is.',
    example: 'herma checkpoints verify --json',
    run: opened(open, (context, { store }) => runVerify(context, store)),
  };
}

function repairVerb(open: CheckpointOpener): Verb {
  return {
    name: 'repair',
    summary: 'mend what can be mended',
    details: 'Exit code 1 when something is left that cannot be mended.',
    example: 'herma checkpoints repair',
    run: opened(open, (context, { store }) => runRepair(context, store)),
  };
}

function maintainVerb(open: CheckpointOpener): Verb {
  return {
    name: 'maintain',
    summary: 'drop what is too much; the program starts this itself',
    isHidden: true,
    example: 'herma checkpoints maintain',
    run: opened(open, (context, { store }) => runMaintain(context, store)),
  };
}
