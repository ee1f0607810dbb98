import { flagOption, integerOption, textArgument, textOption } from '../inputs.ts';
import type { Verb } from '../verb.ts';
import { withJournal } from './open-journal.ts';
import { runExport } from './run-export.ts';
import { runGhosts } from './run-ghosts.ts';
import { runList } from './run-list.ts';
import { runShow } from './run-show.ts';
import { runStatus } from './run-status.ts';
import { runTail } from './run-tail.ts';

const DEFAULT_LIMIT = 50;
const DEFAULT_LINES = 10;
const MAX_LIMIT = 1_000_000;

const limit = integerOption('-n, --limit <n>', `how many (${String(DEFAULT_LIMIT)} by default)`, {
  min: 1,
  max: MAX_LIMIT,
});
const lines = integerOption(
  '-n, --lines <n>',
  `calls that are shown at first (${String(DEFAULT_LINES)} by default)`,
  { min: 0, max: MAX_LIMIT },
);
const session = textOption('--session <id>', 'only of this session, or of the lineage it began', {
  completion: 'session-ids',
});
const tool = textOption('--tool <name>', 'only of this tool');
const status = textOption('--status <status>', 'only with this status: PENDING, ERROR, BLOCKED:policy');
const since = textOption('--since <when>', 'only those issued since: 2h, 7d, 2026-03-16');
const probe = flagOption('--probe', 'look at the world now, and note what is seen');
const follow = flagOption('-f, --follow', 'go on showing what happens, until Ctrl-C');
const call = textArgument('id', 'the call, by its number in the list', { completion: 'ledger-ids' });

/** Without a subcommand, too. */
export const listVerb: Verb = {
  name: 'list',
  summary: 'list calls with an effect, the newest first',
  details:
    'With --json an array of rows with the columns of the table. Exit code 4 when there is no journal yet.',
  example: 'herma ledger list --status ERROR --since 7d',
  options: [limit, session, tool, status, since],
  run: withJournal((context, journal) =>
    runList(context, journal, {
      limit: context.get(limit) ?? DEFAULT_LIMIT,
      session: context.get(session),
      tool: context.get(tool),
      status: context.get(status),
      since: context.get(since),
    }),
  ),
};

const statusVerb: Verb = {
  name: 'status',
  summary: 'show where the journal is, what it holds and how long it keeps it',
  example: 'herma ledger status',
  run: withJournal(runStatus),
};

const showVerb: Verb = {
  name: 'show',
  summary: 'show everything that is known of one call',
  example: 'herma ledger show 12',
  arguments: [call],
  run: withJournal((context, journal) => runShow(context, journal, context.get(call))),
};

const ghostsVerb: Verb = {
  name: 'ghosts',
  summary: 'list calls of which nobody knows how they ended',
  details: 'Exit code 1 when there are some, 0 when there are none.',
  example: 'herma ledger ghosts --probe',
  options: [probe],
  run: withJournal((context, journal) => runGhosts(context, journal, { probe: context.get(probe) })),
};

const exportVerb: Verb = {
  name: 'export',
  summary: 'print every call as a line of JSON, the oldest first',
  details: 'With --json one array. Exit code 4 when there is no journal yet.',
  example: 'herma ledger export >calls.jsonl',
  run: withJournal(runExport),
};

const tailVerb: Verb = {
  name: 'tail',
  summary: 'show the last calls, and with -f what happens from now on',
  details: 'With --json one object on each line.',
  example: 'herma ledger tail -f',
  options: [lines, follow],
  run: withJournal((context, journal) =>
    runTail(context, journal, {
      lines: context.get(lines) ?? DEFAULT_LINES,
      isFollowing: context.get(follow),
    }),
  ),
};

/** Subcommands that only look. */
export const lookingVerbs: readonly Verb[] = [
  listVerb,
  statusVerb,
  showVerb,
  ghostsVerb,
  exportVerb,
  tailVerb,
];
