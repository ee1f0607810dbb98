import { printable } from '../../../kernel/tool-call/index.ts';
import type { Hole } from '../model/path-state.ts';
import { type Line, type Span, span } from './line.ts';

/** What is shown of a difference. */
export interface ShownDiff {
  readonly patch: string;
  readonly isCut: boolean;
  readonly files: readonly unknown[];
  readonly holes: readonly Hole[];
}

const MAX_HOLES = 10;
const REASONS: Record<Hole['reason'], string> = {
  ignored: 'ignored',
  too_large: 'too large',
  special: 'no regular file',
  unreadable: 'not readable',
  budget: 'too many files',
  unstable: 'changing while it was read',
};

const ROLES: ReadonlyMap<string, Span['role']> = new Map([
  ['+', 'added'],
  ['-', 'removed'],
  ['@', 'hunk'],
]);

/** A difference as a person sees it: the patch with control characters escaped, and what it cannot tell about. */
export function formatDiff({ patch, isCut, files, holes }: ShownDiff): readonly Line[] {
  const lines: Line[] = files.length === 0 ? [[span('plain', 'Nothing is different.')]] : patchLines(patch);
  if (isCut) lines.push([span('hint', '… the rest is left out')]);
  if (holes.length === 0) return lines;
  const count = `${String(holes.length)} ${holes.length === 1 ? 'path' : 'paths'}`;
  lines.push([], [span('holes', `${count} not captured:`)]);
  for (const { path, reason } of holes.slice(0, MAX_HOLES))
    lines.push([span('holes', `  ${printable(path)} (${REASONS[reason]})`)]);
  if (holes.length > MAX_HOLES)
    lines.push([span('holes', `  … and ${String(holes.length - MAX_HOLES)} more`)]);
  return lines;
}

/** The lines of a patch for a terminal: nothing in them can steer it. Tabs stay. */
function patchLines(patch: string): Line[] {
  let inHunk = false;
  const rows = patch.split('\n');
  if (rows.at(-1) === '') rows.pop();
  return rows.map((row) => {
    if (row.startsWith('@@ ')) inHunk = true;
    else if (inHunk && !/^[-+ \\]/.test(row)) inHunk = false;
    return [span(roleOf(row, inHunk), row.split('\t').map(printable).join('\t'))];
  });
}

function roleOf(row: string, inHunk: boolean): Span['role'] {
  if (!inHunk) return 'header';
  return ROLES.get(row.slice(0, 1)) ?? 'plain';
}
