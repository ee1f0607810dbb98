import type { JsonObject } from '../../../kernel/json/index.ts';
import { printable } from '../../../kernel/tool-call/index.ts';
import { displayPath } from '../../../platform/paths/index.ts';
import type { CheckpointDiff, ListedCheckpoint } from '../../../safety/checkpoints/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { relativeTime } from '../output/relative-time.ts';
import { holesText } from '../rollback/diff-text.ts';
import { entryDocument } from '../rollback/documents.ts';
import { changeText } from '../rollback/list-text.ts';
import { localMinute } from '../rollback/local-minute.ts';
import type { OpenCheckpoints } from '../rollback/open-checkpoints.ts';
import { counted } from '../rollback/text-style.ts';
import { working } from '../rollback/working.ts';
import type { VerbContext } from '../verb.ts';

const MAX_PATHS = 100;
const MARKS: Record<CheckpointDiff['files'][number]['status'], string> = {
  created: 'A',
  modified: 'M',
  deleted: 'D',
  mode: 'm',
  type: 'T',
};

/** `herma checkpoints show`: one checkpoint, and what is different now. */
export async function runShow(
  context: VerbContext,
  { store }: OpenCheckpoints,
  { directory, ref }: { readonly directory: string; readonly ref: string },
): Promise<ExitCode> {
  const diff = await working(context, 'comparing', () => store.diff(directory, ref, { maxLines: 1 }));
  if (!diff.ok) return diff.code === 'no_checkpoints' ? nothing(context, diff) : context.fail(diff);
  const entry = await entryOf(store, directory, diff.value.id);
  if (context.json) context.printJson(documentOf(diff.value, entry));
  else for (const line of textOf(diff.value, entry, context)) context.print(line);
  return EXIT.done;
}

function nothing(context: VerbContext, failure: Parameters<VerbContext['fail']>[0]): ExitCode {
  context.fail(failure);
  return EXIT.nothing;
}

/** As it is listed: by turns, or, for a later call of one, by calls. */
async function entryOf(
  store: OpenCheckpoints['store'],
  directory: string,
  id: string,
): Promise<ListedCheckpoint | undefined> {
  for (const allCalls of [false, true]) {
    const { entries } = await store.list(directory, { allCalls });
    const entry = entries.find((each) => each.id === id);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

function documentOf(diff: CheckpointDiff, entry: ListedCheckpoint | undefined): JsonObject {
  return {
    ...(entry === undefined ? { id: diff.id } : entryDocument(entry)),
    root: diff.root,
    different: diff.files.map(({ path, status, insertions, deletions, binary }) => ({
      path,
      status,
      insertions,
      deletions,
      binary,
    })),
    not_captured: diff.holes.map(({ path, reason }) => ({ path, reason })),
  };
}

function textOf(
  diff: CheckpointDiff,
  entry: ListedCheckpoint | undefined,
  context: VerbContext,
): readonly string[] {
  const maxPaths = context.verbose ? Number.POSITIVE_INFINITY : MAX_PATHS;
  const files = diff.files.slice(0, maxPaths);
  const more = diff.files.length - files.length;
  return [
    `Checkpoint:  ${diff.id}`,
    `Project:     ${displayPath(diff.root)}`,
    ...(entry === undefined ? [] : entryLines(entry, context.clock.now())),
    diff.files.length === 0
      ? 'Nothing is different now.'
      : `Different now: ${counted(diff.files.length, 'file')}`,
    ...files.map(
      ({ path, status, insertions, deletions, binary }) =>
        `  ${MARKS[status]} ${displayPath(path)}${binary ? '  binary' : `  +${String(insertions)}/-${String(deletions)}`}`,
    ),
    ...(more > 0 ? [`  … and ${String(more)} more`] : []),
    ...holesText(diff.holes, { maxPaths }),
  ];
}

function entryLines(entry: ListedCheckpoint, now: number): readonly string[] {
  const { at, reason, kind, calls, sessionId, turnId, callId } = entry;
  const change = changeText(entry);
  return [
    `Taken:       ${localMinute(at)} (${relativeTime(at, now)}), ${printable(reason)}`,
    `Kind:        ${kind}${calls > 1 ? `, ${String(calls)} calls` : ''}`,
    ...(sessionId === undefined ? [] : [`Session:     ${printable(sessionId)}`]),
    ...(turnId === undefined ? [] : [`Turn:        ${printable(turnId)}`]),
    ...(callId === undefined ? [] : [`Call:        ${printable(callId)}`]),
    ...(change === '' ? [] : [`Its calls:   ${change.slice(1, -1)}`]),
  ];
}
