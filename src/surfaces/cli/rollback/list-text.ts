import { printable } from '../../../kernel/tool-call/index.ts';
import { displayPath } from '../../../platform/paths/index.ts';
import type { CheckpointList, ListedCheckpoint } from '../../../safety/checkpoints/index.ts';
import { displayWidth, truncateToWidth } from '../output/display-width.ts';
import { localMinute } from './local-minute.ts';
import { shortIds } from './short-ids.ts';
import { counted, type TextStyle } from './text-style.ts';

const SHORTEST_REASON = 12;
const MAX_OTHERS = 10;

/** The list as a person sees it, with what can be done with it. */
export function listText({ root, entries }: CheckpointList, style: TextStyle): readonly string[] {
  const ids = shortIds(entries.map(({ id }) => id));
  const digits = Math.max(...entries.map(({ n }) => String(n).length));
  const line = entryLine(style, digits);
  return [
    style.colours.strong(`📸 Checkpoints for ${displayPath(root)}:`),
    '',
    ...entries.map((entry) => line(entry, ids.get(entry.id) ?? entry.id)),
    '',
    ...hints(style),
  ];
}

/** Why there is no list, and what to do. */
export function emptyListText(
  { root, others }: CheckpointList,
  { isEnabled, command }: { readonly isEnabled: boolean; readonly command: string },
): readonly string[] {
  const shown = others.slice(0, MAX_OTHERS);
  const more = others.length - shown.length;
  return [
    `There are no checkpoints for ${displayPath(root)}.`,
    isEnabled
      ? 'One is taken before the next call that may change a file.'
      : `Checkpoints are off. ${HOW_TO_SWITCH_ON}`,
    ...(shown.length === 0
      ? []
      : [
          command.startsWith('/')
            ? 'Projects that have some:'
            : `Projects that have some (${command} --dir FOLDER):`,
        ]),
    ...shown.map(({ workdir, snapshots }) => `  ${displayPath(workdir)} (${String(snapshots)})`),
    ...(more > 0 ? [`  … and ${String(more)} more`] : []),
  ];
}

export const HOW_TO_SWITCH_ON =
  'To switch them on: herma chat --checkpoints, or for good: herma config set checkpoints.enabled true';

/** `(1 file, +1/-0)`; empty when nothing changed. */
export function changeText({
  files,
  insertions,
  deletions,
}: Pick<ListedCheckpoint, 'files' | 'insertions' | 'deletions'>): string {
  return files === 0 ? '' : `(${counted(files, 'file')}, +${String(insertions)}/-${String(deletions)})`;
}

function entryLine(
  { colours, columns = Number.POSITIVE_INFINITY }: TextStyle,
  digits: number,
): (entry: ListedCheckpoint, id: string) => string {
  return (entry, id) => {
    const number = `  ${String(entry.n).padStart(digits)}. `;
    const time = `  ${localMinute(entry.at)}  `;
    const change = changeText(entry);
    const after = [change, entry.holes === 0 ? '' : `[${counted(entry.holes, 'path')} not captured]`]
      .filter((text) => text !== '')
      .map((text) => `  ${text}`);
    const room = columns - displayWidth([number, id, time, ...after].join(''));
    const reason = truncateToWidth(printable(entry.reason), Math.max(SHORTEST_REASON, room));
    return `${number}${colours.accent(id)}${colours.faint(time)}${reason}${colours.faint(after.join(''))}`;
  };
}

function hints({ command, colours }: TextStyle): readonly string[] {
  const rows = [
    ['<N>', 'restore to checkpoint N'],
    ['diff <N>', 'preview changes since checkpoint N'],
    ['<N> <file>', 'restore a single file from checkpoint N'],
  ].map(([usage = '', what = '']) => [`  ${command} ${usage}`, what] as const);
  const width = Math.max(...rows.map(([usage]) => usage.length)) + 2;
  return rows.map(([usage, what]) => colours.faint(`${usage.padEnd(width)}${what}`));
}
