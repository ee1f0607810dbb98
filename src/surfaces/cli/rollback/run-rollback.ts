import type { Rewind } from '../../../app/index.ts';
import { type Failure, fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { statPath } from '../../../platform/files/index.ts';
import { displayPath } from '../../../platform/paths/index.ts';
import type { RestoreOptions, RestoreReport } from '../../../safety/checkpoints/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { printableLine } from '../output/printable.ts';
import { confirm } from '../runtime/confirm.ts';
import type { VerbContext } from '../verb.ts';
import { holesText, patchText } from './diff-text.ts';
import { diffDocument, entryDocument, restoreDocument } from './documents.ts';
import { emptyListText, listText } from './list-text.ts';
import type { CheckpointOpener, OpenCheckpoints } from './open-checkpoints.ts';
import { readRollback } from './read-rollback.ts';
import { redactPatch } from './redact-patch.ts';
import { placesOfCall, restoreCall } from './restore-call.ts';
import { type RestoreTold, restoreText, rewindText } from './restore-text.ts';
import type { RestoreCommand, RollbackCommand } from './rollback-command.ts';
import { chosenDirectory, directory as chosenFolder, readFlags } from './rollback-inputs.ts';
import { shortId } from './short-ids.ts';
import type { TextStyle } from './text-style.ts';
import { working } from './working.ts';

interface RollbackRun {
  readonly context: VerbContext;
  readonly checkpoints: OpenCheckpoints;
  /** Absolute; it need not exist (any more). */
  readonly directory: string;
}

/** What the store says where there is nothing to look at. */
const NOTHING: ReadonlySet<string> = new Set(['no_checkpoints', 'nothing_to_undo']);
const COMMAND = 'herma rollback';
const MAX_PATHS = 100;

/** Reads the words of a command line, with the options beside them, and does what they ask for. */
export async function performRollback(
  context: VerbContext,
  words: readonly string[],
  open: CheckpointOpener,
): Promise<ExitCode> {
  const command = readRollback({ words, flags: readFlags(context), command: COMMAND });
  if (!command.ok) return context.fail(command);
  const directory = chosenDirectory(context);
  return open(context, (checkpoints) => runRollback({ context, checkpoints, directory }, command.value));
}

/** Does in the shell what a command asks for, and says what was done. */
async function runRollback(run: RollbackRun, command: RollbackCommand): Promise<ExitCode> {
  const { context, checkpoints, directory } = run;
  for (const line of await checkpoints.store.recover(directory)) context.note(printableLine(line));
  switch (command.type) {
    case 'list':
      return runList(run, command.allCalls);
    case 'diff':
      return runDiff(run, command);
    case 'restore':
      return runRestore(run, command);
    case 'undo':
      return runUndo(run, command);
  }
}

async function runList(
  { context, checkpoints, directory }: RollbackRun,
  allCalls: boolean,
): Promise<ExitCode> {
  const list = await checkpoints.store.list(directory, { allCalls });
  for (const problem of list.problems) context.note(printableLine(problem));
  const isEmpty = list.entries.length === 0;
  // A folder that is gone may be what has to be brought back; one that was never there is a mistake.
  if (isEmpty && context.get(chosenFolder) !== undefined && !(await isThere(directory)))
    return context.fail(
      fail(
        'no_such_folder',
        `${displayPath(directory)} is not there, and there is no checkpoint of it`,
        'name a folder of the project with --dir',
      ),
    );
  if (context.json) context.printJson(list.entries.map(entryDocument));
  if (isEmpty) {
    const { isEnabled } = checkpoints;
    for (const line of emptyListText(list, { isEnabled, command: COMMAND })) context.note(line);
  } else if (!context.json) for (const line of listText(list, styleOf(context))) context.print(line);
  return isEmpty ? EXIT.nothing : EXIT.done;
}

async function isThere(folder: string): Promise<boolean> {
  const stat = await statPath(folder);
  return !stat.ok || stat.value !== undefined;
}

async function runDiff(
  { context, checkpoints, directory }: RollbackRun,
  { ref, files, allCalls, isRaw }: Extract<RollbackCommand, { type: 'diff' }>,
): Promise<ExitCode> {
  const options = {
    ...(allCalls === undefined ? {} : { allCalls }),
    ...(files.length === 0 ? {} : { paths: files }),
  };
  const diff = await working(context, 'comparing', () => checkpoints.store.diff(directory, ref, options));
  if (!diff.ok) return refuse(context, diff);
  const value = isRaw === true ? diff.value : { ...diff.value, patch: redactPatch(diff.value.patch) };
  if (context.json) {
    context.printJson(diffDocument(value));
    return EXIT.done;
  }
  if (context.stdout.isTty) for (const line of patchText(value.patch, context.colours)) context.print(line);
  else context.stdout.write(value.patch);
  if (value.files.length === 0) context.note(`Nothing is different from checkpoint ${shortId(value.id)}.`);
  for (const line of holesText(value.holes, styleOf(context))) context.note(line);
  return EXIT.done;
}

async function runRestore(run: RollbackRun, command: RestoreCommand): Promise<ExitCode> {
  const { context, checkpoints, directory } = run;
  const { store } = checkpoints;
  const places = await placesOfCall(command.target, checkpoints);
  if (!places.ok) return refuse(context, places);
  const options: RestoreOptions = {
    mode: command.mode,
    includeAmbiguous: command.includeAmbiguous,
    isDryRun: command.isDryRun,
    ...(command.allCalls === undefined ? {} : { allCalls: command.allCalls }),
    ...(command.files.length === 0 ? {} : { paths: command.files }),
  };
  let agreement: Pick<RestoreOptions, 'mayDelete'> = {};
  if (command.mode === 'exact' && !command.isDryRun) {
    const agreed = await agreeToDelete(run, command, options);
    if (!agreed.ok) return refuse(context, agreed);
    if (agreed.value === undefined) return decline(context);
    agreement = { mayDelete: agreed.value };
  }
  const report = await working(context, 'restoring', () =>
    places.value === undefined
      ? store.restore(directory, command.target, { ...options, ...agreement })
      : restoreCall(store, places.value, { ...options, directory }),
  );
  const rewind = isWhole(command) ? await rewindFor(report, checkpoints) : undefined;
  const told = { isUndo: false, isDryRun: command.isDryRun, mode: command.mode };
  return conclude(context, { report, told, rewind });
}

async function runUndo(
  { context, checkpoints, directory }: RollbackRun,
  { mode, isDryRun }: Extract<RollbackCommand, { type: 'undo' }>,
): Promise<ExitCode> {
  const report = await working(context, 'taking the restore back', () =>
    checkpoints.store.undo(directory, { mode, isDryRun }),
  );
  return conclude(context, { report, told: { isUndo: true, isDryRun, mode }, rewind: undefined });
}

/** Whether everything that came after the checkpoint is taken back: only then the conversation is, too. */
export function isWhole({ files, isDryRun, target }: RestoreCommand): boolean {
  return files.length === 0 && !isDryRun && 'ref' in target;
}

/** The rewind after a restore; undefined where there is none: it failed, or the checkpoint belongs to no conversation. */
export async function rewindFor(
  { ok, target }: RestoreReport,
  { rewindTo }: Pick<OpenCheckpoints, 'rewindTo'>,
): Promise<Rewind | undefined> {
  return ok && target?.owner !== undefined ? rewindTo(target.owner) : undefined;
}

/** Shows what `--exact` would delete, and asks: what was agreed to, undefined when it was not. Nothing to delete needs no answer. */
async function agreeToDelete(
  { context, checkpoints, directory }: RollbackRun,
  { target }: RestoreCommand,
  options: RestoreOptions,
): Promise<Result<readonly string[] | undefined>> {
  const preview = await working(context, 'comparing', () =>
    checkpoints.store.restore(directory, target, { ...options, isDryRun: true }),
  );
  const { ok, error, deleted } = preview;
  if (!ok) return error === undefined ? unknownError() : fail(error.code, error.message, error.remedy);
  if (deleted.length === 0) return succeed(deleted);
  context.note('These were not there at the checkpoint:');
  for (const path of deleted) context.note(`  ${displayPath(path)}`);
  const answer = await confirm(
    context,
    `Delete ${deleted.length === 1 ? 'it' : `all ${String(deleted.length)}`}?`,
  );
  return answer.ok ? succeed(answer.value ? deleted : undefined) : answer;
}

function decline(context: VerbContext): ExitCode {
  const report = { ok: false, root: '', restored: [], deleted: [], kept: [], skipped: [] };
  const error = { code: 'declined', message: 'Nothing was restored.' };
  if (context.json) context.printJson(restoreDocument({ ...report, error }, undefined));
  else context.print('Nothing was restored.');
  return EXIT.no;
}

function conclude(
  context: VerbContext,
  ended: {
    readonly report: RestoreReport;
    readonly told: RestoreTold;
    readonly rewind: Rewind | undefined;
  },
): ExitCode {
  const { report, told, rewind } = ended;
  if (context.json) context.printJson(restoreDocument(report, rewind));
  if (!report.ok) {
    for (const { path, reason } of report.skipped)
      context.note(`  ${displayPath(path)}: ${printableLine(reason)}`);
    return refuse(context, report.error ?? unknownError());
  }
  if (!context.json) {
    for (const line of restoreText(report, told, styleOf(context))) context.print(line);
    if (rewind !== undefined) context.print(rewindText(rewind));
  }
  return EXIT.done;
}

function refuse(context: VerbContext, failure: Omit<Failure, 'ok'>): ExitCode {
  const code = context.fail(failure);
  return NOTHING.has(failure.code) ? EXIT.nothing : code;
}

function unknownError(): Failure {
  return fail('not_restored', 'Nothing was restored, and nobody said why.', 'report this, please');
}

function styleOf({ colours, stdout, verbose }: VerbContext): TextStyle {
  return {
    colours,
    columns: stdout.columns,
    command: COMMAND,
    maxPaths: verbose ? Number.POSITIVE_INFINITY : MAX_PATHS,
  };
}
