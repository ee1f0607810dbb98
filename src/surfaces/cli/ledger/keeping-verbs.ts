import { flagOption, integerOption, restArgument, textArgument, textOption } from '../inputs.ts';
import type { Verb } from '../verb.ts';
import { withJournal } from './open-journal.ts';
import { runAck } from './run-ack.ts';
import { runErase } from './run-erase.ts';
import { runPrune } from './run-prune.ts';
import { runSelftest } from './run-selftest.ts';
import { runVerify } from './run-verify.ts';

const call = textArgument('id', 'the call, by its number in the list', { completion: 'ledger-ids' });
const calls = restArgument('ids', 'the calls, by their numbers in the list', { completion: 'ledger-ids' });
const all = flagOption('--all', 'all ghosts there are now');
const olderThan = textOption('--older-than <time>', 'rows older than this (30d), instead of retention_days');
const keep = integerOption('--keep <n>', 'all but the newest n, instead of max_rows', {
  min: 1,
  max: 100_000_000,
});
const dryRun = flagOption('--dry-run', 'say what would go, and remove nothing');

const ackVerb: Verb = {
  name: 'ack',
  summary: 'take ghosts off the list: you know what became of them',
  details:
    'Takes also what ended with an unknown effect: it does not count towards ledger.retry_limit any more. Exit code 1 when something that was named is neither. Refused in the shell of an agent.',
  example: 'herma ledger ack 12',
  arguments: [calls],
  options: [all],
  run: withJournal((context, journal) =>
    runAck(context, journal, { ids: context.get(calls), all: context.get(all) }),
  ),
};

const verifyVerb: Verb = {
  name: 'verify',
  summary: 'check that nobody has edited, deleted or replaced anything',
  details:
    'Exit code 1 when somebody has, 2 when it cannot be told, 4 when there is no journal yet. `docs/ledger.md` says what it can prove.',
  example: 'herma ledger verify --json',
  run: withJournal(runVerify),
};

const pruneVerb: Verb = {
  name: 'prune',
  summary: 'remove old calls, but no open ghost',
  details: 'Asks first. Exit code 1 when the answer is no. Refused in the shell of an agent.',
  example: 'herma ledger prune --older-than 30d --dry-run',
  options: [olderThan, keep, dryRun],
  run: withJournal((context, journal) =>
    runPrune(context, journal, {
      olderThan: context.get(olderThan),
      keep: context.get(keep),
      isDryRun: context.get(dryRun),
    }),
  ),
};

const eraseVerb: Verb = {
  name: 'erase',
  summary: 'take arguments and result of one call out of the journal',
  details:
    'Asks first. That there was a call stays, and the chain stays valid. Refused in the shell of an agent, and for a call that is open.',
  example: 'herma ledger erase 12',
  arguments: [call],
  run: withJournal((context, journal) => runErase(context, journal, context.get(call))),
};

const selftestVerb: Verb = {
  name: 'selftest',
  summary: 'check that the journal of this installation does what it is for',
  details: 'Works on a journal of its own, which it removes. Exit code 1 when something fails.',
  example: 'herma ledger selftest',
  run: withJournal(runSelftest),
};

/** Subcommands that change the journal, or check it. */
export const keepingVerbs: readonly Verb[] = [ackVerb, verifyVerb, pruneVerb, eraseVerb, selftestVerb];
