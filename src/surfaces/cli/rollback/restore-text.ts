import type { Rewind } from '../../../app/index.ts';
import { printable } from '../../../kernel/tool-call/index.ts';
import { displayPath } from '../../../platform/paths/index.ts';
import type { RestoreReport } from '../../../safety/checkpoints/index.ts';
import { localMinute } from './local-minute.ts';
import { shortId } from './short-ids.ts';
import { counted, type TextStyle } from './text-style.ts';

/** What was asked for, as far as the text depends on it. */
export interface RestoreTold {
  readonly isUndo: boolean;
  readonly isDryRun: boolean;
  readonly mode: 'agent' | 'all' | 'exact';
}

/** What a restore did, or would do, line by line. */
export function restoreText(report: RestoreReport, told: RestoreTold, style: TextStyle): readonly string[] {
  const deleted = new Set(report.deleted);
  const written = report.restored.filter((path) => !deleted.has(path));
  const isNothing = report.restored.length === 0;
  const reasons = new Map(report.skipped.map(({ path, reason }) => [path, reason]));
  const mentioned = new Set([...report.restored, ...report.kept]);
  const labels = told.isDryRun
    ? (['restore', 'remove', 'keep'] as const)
    : (['restored', 'removed', 'kept'] as const);
  const lines = (label: string, paths: readonly string[]): readonly string[] =>
    pathLines({ label, paths, reasons }, style);
  return [
    headline(report, told, isNothing),
    ...lines(labels[0], written),
    ...lines(labels[1], report.deleted),
    ...lines(labels[2], report.kept),
    ...lines(
      'skipped',
      report.skipped.flatMap(({ path }) => (mentioned.has(path) ? [] : [path])),
    ),
    ...keptHint(report, told, style),
    ...doubtHint(report, told, style),
    ...ending(report, told, style),
  ];
}

/** What became of the conversation. */
export function rewindText(rewind: Rewind): string {
  switch (rewind.type) {
    case 'rewound':
      return `Chat rewound to before that turn (${counted(rewind.removedMessages, 'message')} removed).`;
    case 'open_elsewhere':
      return `Chat not rewound: ${printable(rewind.message)} The session there still remembers what was taken back.`;
    case 'not_possible':
      return `Chat not rewound: ${printable(rewind.message)}`;
  }
}

function headline(
  { target, skipped, kept }: RestoreReport,
  { isUndo, isDryRun }: RestoreTold,
  isNothing: boolean,
): string {
  const which =
    target === undefined
      ? ''
      : ` ${shortId(target.id)} (${localMinute(target.at)}, ${printable(target.reason)})`;
  if (isNothing) {
    const isSame = skipped.length === 0 && kept.length === 0;
    const place = which === '' ? '' : `${isUndo ? '' : ' checkpoint'}${which}`;
    return isSame
      ? `Nothing to restore: everything is as it was${place === '' ? '.' : ` at${place}.`}`
      : `Nothing ${isDryRun ? 'would be' : 'was'} restored${place === '' ? '.' : ` from${place}.`}`;
  }
  if (isUndo) return isDryRun ? 'This would be taken back:' : 'The last restore was taken back:';
  return isDryRun ? `This would be restored to checkpoint${which}:` : `Restored to checkpoint${which}:`;
}

interface PathList {
  readonly label: string;
  readonly paths: readonly string[];
  /** What there is to say of some of them. */
  readonly reasons: ReadonlyMap<string, string>;
}

function pathLines({ label, paths, reasons }: PathList, style: TextStyle): readonly string[] {
  return limited(
    paths.map((path) => {
      const reason = reasons.get(path);
      const note = reason === undefined ? '' : ` (${printable(reason)})`;
      return `  ${label.padEnd(8)}  ${displayPath(path)}${note}`;
    }),
    style,
  );
}

function limited(lines: readonly string[], { maxPaths }: TextStyle): readonly string[] {
  const more = lines.length - maxPaths;
  return more > 0 ? [...lines.slice(0, maxPaths), `  … and ${String(more)} more`] : lines;
}

function keptHint({ kept, target }: RestoreReport, told: RestoreTold, style: TextStyle): readonly string[] {
  if (kept.length === 0 || told.mode !== 'agent') return [];
  const repeat = told.isUndo ? 'undo' : target === undefined ? 'N' : shortId(target.id);
  const them = kept.length === 1 ? 'it' : 'them';
  return [
    `${counted(kept.length, 'file')} changed since by other hands. To take ${them} back too: ${style.command} ${repeat} --all`,
  ];
}

function doubtHint(
  { skipped, target }: RestoreReport,
  told: RestoreTold,
  style: TextStyle,
): readonly string[] {
  const doubtful = skipped.filter(({ isAmbiguous }) => isAmbiguous === true);
  if (doubtful.length === 0 || told.isUndo) return [];
  const repeat = target === undefined ? 'N' : shortId(target.id);
  const them = doubtful.length === 1 ? 'it' : 'them';
  return [
    `${counted(doubtful.length, 'path')} may be somebody else's doing. To take ${them} back too: ${style.command} ${repeat} --include-ambiguous`,
  ];
}

function ending(
  { safetyId }: RestoreReport,
  { isDryRun }: RestoreTold,
  { command }: TextStyle,
): readonly string[] {
  if (isDryRun) return ['Nothing was written.'];
  return safetyId === undefined
    ? []
    : [`A pre-rollback snapshot was saved: ${command} undo takes this back.`];
}
