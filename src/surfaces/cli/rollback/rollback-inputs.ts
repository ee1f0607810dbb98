import { resolve } from 'node:path';
import { flagOption, type Option, restArgument, textOption } from '../inputs.ts';
import type { VerbContext } from '../verb.ts';
import type { RollbackFlags } from './rollback-command.ts';

const all = flagOption('--all', 'also take back what others than the agent changed since');
const exact = flagOption('--exact', 'as --all, and delete what was not there; shows it and asks');
const includeAmbiguous = flagOption(
  '--include-ambiguous',
  'also take back changes of which it is not known who made them',
);
const dryRun = flagOption('--dry-run', 'say what would be done, and write nothing');
const call = textOption(
  '--call <id>',
  'take back exactly this call: its number in `herma ledger`, or its id',
  {
    completion: 'ledger-ids',
  },
);
const allCalls = flagOption('--all-calls', 'list every call, not every turn');

const raw = flagOption('--raw', 'show secrets in a difference as they are');

export const directory = textOption(
  '--dir <folder>',
  'of the project of this folder, not of the current one',
  {
    completion: 'folders',
  },
);
export const words = restArgument('what', 'a checkpoint and files', { completion: 'checkpoint-ids' });

/** Options of a restore. */
export const restoreOptions: readonly Option[] = [all, exact, includeAmbiguous, dryRun, call, directory];
export const undoOptions: readonly Option[] = [all, dryRun, directory];
export const diffOptions: readonly Option[] = [raw, directory];
export const rollbackOptions: readonly Option[] = [...restoreOptions, allCalls, raw];

export function readFlags(context: VerbContext): RollbackFlags {
  return {
    all: context.get(all),
    exact: context.get(exact),
    includeAmbiguous: context.get(includeAmbiguous),
    dryRun: context.get(dryRun),
    allCalls: context.get(allCalls),
    raw: context.get(raw),
    call: context.get(call),
  };
}

/** Absolute. Throws a HermaError when it is relative to a folder that is gone. */
export function chosenDirectory(context: VerbContext): string {
  const given = context.get(directory);
  if (given === undefined) return context.workingDirectory();
  return given.startsWith('/') ? resolve(given) : resolve(context.workingDirectory(), given);
}
