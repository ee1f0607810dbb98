import { displayPath } from '../../../platform/paths/index.ts';
import type { CheckpointDiff } from '../../../safety/checkpoints/index.ts';
import { printable } from '../output/printable.ts';
import type { TextStyle } from './text-style.ts';
import { counted } from './text-style.ts';

type Hole = CheckpointDiff['holes'][number];

/** Why a path was not captured, for people. */
const HOLE_REASONS: Record<Hole['reason'], string> = {
  ignored: 'ignored',
  too_large: 'larger than checkpoints.max_file_size_mb',
  special: 'no regular file',
  unreadable: 'could not be read',
  budget: 'beyond the number of files that are scanned',
  unstable: 'was changing while it was read',
};

/** The patch for a terminal: coloured, and nothing in it can steer the terminal. */
export function patchText(patch: string, colours: TextStyle['colours']): readonly string[] {
  const rows = patch.split('\n');
  if (rows.at(-1) === '') rows.pop();
  let isHeader = true;
  return rows.map((row) => {
    if (row.startsWith('@@ ')) isHeader = false;
    else if (!isHeader && !/^[-+ \\]/.test(row)) isHeader = true;
    return painted(printable(row), { isHeader, colours });
  });
}

/** What the difference cannot tell about; empty when that is nothing. */
export function holesText(
  holes: readonly Hole[],
  { maxPaths }: Pick<TextStyle, 'maxPaths'>,
): readonly string[] {
  if (holes.length === 0) return [];
  const shown = holes.slice(0, maxPaths);
  const more = holes.length - shown.length;
  return [
    `${counted(holes.length, 'path')} not captured, and never touched by a restore:`,
    ...shown.map((hole) => `  ${holeName(hole)} (${HOLE_REASONS[hole.reason]})`),
    ...(more > 0 ? [`  … and ${String(more)} more`] : []),
  ];
}

/** A hole without a path is everything that nothing else is said of. */
function holeName({ path, reason }: Hole): string {
  if (path !== '') return displayPath(path);
  return reason === 'budget' ? 'the rest of the project' : 'the whole project';
}

function painted(
  row: string,
  { isHeader, colours }: { readonly isHeader: boolean; readonly colours: TextStyle['colours'] },
): string {
  if (isHeader) return colours.strong(row);
  switch (row.charAt(0)) {
    case '+':
      return colours.good(row);
    case '-':
      return colours.bad(row);
    case '@':
      return colours.accent(row);
    default:
      return row;
  }
}
