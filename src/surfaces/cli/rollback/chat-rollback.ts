import type { Rewind } from '../../../app/index.ts';
import { displayPath } from '../../../platform/paths/index.ts';
import type { CallOwner, CheckpointStore, RestoreOptions } from '../../../safety/checkpoints/index.ts';
import { holesText } from './diff-text.ts';
import { emptyListText, HOW_TO_SWITCH_ON, listText } from './list-text.ts';
import { readSlashRollback } from './read-slash-rollback.ts';
import { redactPatch } from './redact-patch.ts';
import { restoreText, rewindText } from './restore-text.ts';
import type { RestoreCommand, RollbackCommand } from './rollback-command.ts';
import { isWhole, rewindFor } from './run-rollback.ts';
import { shortId } from './short-ids.ts';
import { CHAT_STYLE } from './text-style.ts';

/** What `/rollback` needs of the chat. */
export interface ChatRollbackParts {
  readonly store: CheckpointStore;
  readonly isEnabled: boolean;
  /** Where the calls of the chat start, absolute. */
  readonly directory: string;
  /** Of the conversation in hand. */
  readonly rootSessionId: string;
  /** Rewinds the conversation in hand. */
  readonly rewindTo: (owner: CallOwner) => Promise<Rewind>;
  /** Whether the person agrees. */
  readonly confirm: (question: string) => Promise<boolean>;
  readonly say: (kind: 'info' | 'warning', text: string) => void;
  readonly fail: (failure: { readonly message: string; readonly remedy?: string }) => void;
}

/** Lines of a difference that are shown in the chat. */
const DIFF_LINES = 80;

/** Does what follows `/rollback` in the chat. */
export async function rollbackInChat(argument: string, parts: ChatRollbackParts): Promise<void> {
  const command = readSlashRollback(argument);
  if (!command.ok) return parts.fail(command);
  if (!parts.isEnabled && command.value.type !== 'list')
    parts.say(
      'warning',
      `Checkpoints are off in this chat: what it does is not captured. ${HOW_TO_SWITCH_ON}`,
    );
  return perform(command.value, parts);
}

async function perform(command: RollbackCommand, parts: ChatRollbackParts): Promise<void> {
  switch (command.type) {
    case 'list':
      return list(command.allCalls, parts);
    case 'diff':
      return diff(command, parts);
    case 'restore':
      return restore(command, parts);
    case 'undo':
      return undo(command, parts);
  }
}

async function list(
  allCalls: boolean,
  { store, directory, isEnabled, say }: ChatRollbackParts,
): Promise<void> {
  const listed = await store.list(directory, { allCalls });
  for (const problem of listed.problems) say('warning', problem);
  if (listed.entries.length === 0) {
    const lines = emptyListText(listed, { isEnabled, command: CHAT_STYLE.command });
    return say(isEnabled ? 'info' : 'warning', lines.join('\n'));
  }
  say('info', listText(listed, CHAT_STYLE).join('\n'));
  if (!isEnabled)
    say('warning', `Checkpoints are off in this chat: these are earlier ones. ${HOW_TO_SWITCH_ON}`);
}

async function diff(
  { ref, files, allCalls, isRaw }: Extract<RollbackCommand, { type: 'diff' }>,
  { store, directory, say, fail }: ChatRollbackParts,
): Promise<void> {
  const paths = files.length === 0 ? {} : { paths: files };
  const found = await store.diff(directory, ref, {
    ...paths,
    ...(allCalls === undefined ? {} : { allCalls }),
    maxLines: DIFF_LINES,
  });
  if (!found.ok) return fail(found);
  const { id, isCut, holes, files: changed } = found.value;
  const patch = isRaw === true ? found.value.patch : redactPatch(found.value.patch);
  const lines = [
    changed.length === 0 ? `Nothing is different from checkpoint ${shortId(id)}.` : patch.trimEnd(),
    ...(isCut ? [`… the rest is left out; all of it: herma rollback diff ${shortId(id)}`] : []),
    ...holesText(holes, CHAT_STYLE),
  ];
  say('info', lines.join('\n'));
}

async function restore(command: RestoreCommand, parts: ChatRollbackParts): Promise<void> {
  const { store, directory, rootSessionId, say, fail } = parts;
  const { target, files, mode, includeAmbiguous, isDryRun, allCalls } = command;
  const options: RestoreOptions = {
    mode,
    includeAmbiguous,
    isDryRun,
    ...(allCalls === undefined ? {} : { allCalls }),
    lineage: [rootSessionId],
    ...(files.length === 0 ? {} : { paths: files }),
  };
  const isAsked = mode === 'exact' && !isDryRun;
  const mayDelete = isAsked ? await agreeToDelete(command, options, parts) : undefined;
  if (isAsked && mayDelete === undefined) return;
  const agreement = mayDelete === undefined ? {} : { mayDelete };
  const report = await store.restore(directory, target, { ...options, ...agreement });
  if (!report.ok) return fail(report.error ?? { message: 'Nothing was restored.' });
  say('info', restoreText(report, { isUndo: false, isDryRun, mode }, CHAT_STYLE).join('\n'));
  const rewind = isWhole(command) ? await rewindFor(report, parts) : undefined;
  if (rewind !== undefined) say(rewind.type === 'rewound' ? 'info' : 'warning', rewindText(rewind));
}

async function undo(
  { mode, isDryRun }: Extract<RollbackCommand, { type: 'undo' }>,
  { store, directory, say, fail }: ChatRollbackParts,
): Promise<void> {
  const report = await store.undo(directory, { mode, isDryRun });
  if (!report.ok) return fail(report.error ?? { message: 'Nothing was taken back.' });
  say('info', restoreText(report, { isUndo: true, isDryRun, mode }, CHAT_STYLE).join('\n'));
}

/** What the person agrees to lose; undefined, after saying why, when it fails or the person does not agree. */
async function agreeToDelete(
  { target }: RestoreCommand,
  options: RestoreOptions,
  { store, directory, confirm, say, fail }: ChatRollbackParts,
): Promise<readonly string[] | undefined> {
  const { ok, error, deleted } = await store.restore(directory, target, { ...options, isDryRun: true });
  if (!ok) {
    fail(error ?? { message: 'Nothing was restored.' });
    return undefined;
  }
  if (deleted.length === 0) return deleted;
  const paths = deleted.map((path) => `  ${displayPath(path)}`);
  say('warning', ['These were not there at the checkpoint:', ...paths].join('\n'));
  const agreed = await confirm(`Delete ${deleted.length === 1 ? 'it' : `all ${String(deleted.length)}`}?`);
  if (!agreed) say('info', 'Nothing was restored.');
  return agreed ? deleted : undefined;
}
