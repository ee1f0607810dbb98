import { displayPath } from '../../../platform/paths/index.ts';
import type { ProjectStatus, StoreStatus } from '../../../safety/checkpoints/index.ts';
import { displayWidth, truncateToWidth } from '../output/display-width.ts';
import { printableLine } from '../output/printable.ts';
import { relativeTime } from '../output/relative-time.ts';
import { archiveSize } from './archive-size.ts';

export interface StatusTextOptions {
  /** Projects that are shown, those touched last first. */
  readonly limit: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Width of the terminal; undefined for a pipe. */
  readonly columns: number | undefined;
  /** `2.39.5`; undefined where there is no git. */
  readonly git: string | undefined;
}

/** Columns of the folder: as many as its longest path has, within these bounds. */
const NARROW = 40;
const WIDE = 60;
/** Columns that the others of the table take, with the gaps and the indent. */
const OTHERS = 36;
const COUNT = 7;
const TIME = 12;

/** What is stored, of which projects, and what is wrong with it. */
export function statusText(status: StoreStatus, options: StatusTextOptions): readonly string[] {
  const { base, bytes, storeBytes, legacy, projects } = status;
  const legacyBytes = legacy.reduce((sum, archive) => sum + archive.bytes, 0);
  return [
    `Checkpoint base: ${displayPath(base)}`,
    `Total size:      ${archiveSize(bytes)}`,
    `  store/         ${archiveSize(storeBytes)}`,
    `  legacy-*       ${archiveSize(legacyBytes)}`,
    `Projects:        ${String(projects.length)}`,
    ...capLine(status),
    ...projectTable(projects, options),
    ...legacyLines(legacy),
    ...notices(projects),
    ...(status.problems.length === 0 ? [] : ['', ...status.problems.map(printableLine)]),
    '',
    `git: ${options.git ?? 'not found (not needed)'}`,
  ];
}

function capLine({ isOverCap, storeBytes, capBytes }: StoreStatus): readonly string[] {
  if (!isOverCap) return [];
  return [
    `over the cap: ${archiveSize(storeBytes)} of ${archiveSize(capBytes)} (checkpoints.max_total_size_mb); herma checkpoints prune makes room`,
  ];
}

function projectTable(
  projects: readonly ProjectStatus[],
  { limit, now, columns }: StatusTextOptions,
): readonly string[] {
  if (projects.length === 0) return [];
  const shown = projects.toSorted((a, b) => b.lastTouch - a.lastTouch).slice(0, limit);
  const paths = shown.map(({ workdir }) => displayPath(workdir));
  const longest = Math.max(NARROW, ...paths.map(displayWidth));
  const room = columns === undefined ? WIDE : Math.max(NARROW, columns - OTHERS);
  const width = Math.min(longest, WIDE, room);
  const row = (...[workdir = '', count = '', time = '', state = '']: readonly string[]): string =>
    `  ${pad(workdir, width)}  ${count.padStart(COUNT)}  ${time.padStart(TIME)}  ${state}`;
  const more = projects.length - shown.length;
  return [
    '',
    row('WORKDIR', 'COMMITS', 'LAST TOUCH', 'STATE'),
    ...shown.map(({ snapshots, lastTouch, state }, index) =>
      row(paths[index] ?? '', String(snapshots), lastTouch > 0 ? relativeTime(lastTouch, now) : '—', state),
    ),
    ...(more > 0 ? [`  … and ${String(more)} more; --limit ${String(projects.length)} shows them`] : []),
  ];
}

function legacyLines(legacy: StoreStatus['legacy']): readonly string[] {
  if (legacy.length === 0) return [];
  return [
    '',
    `Legacy archives (${String(legacy.length)}):`,
    ...legacy.map(({ name, bytes }) => legacyLine(name, bytes)),
    '',
    'Clear with: herma checkpoints clear-legacy',
  ];
}

/** An archive with its size, below the column of the commits. */
export function legacyLine(name: string, bytes: number): string {
  const size = archiveSize(bytes);
  return `  ${pad(displayPath(name), NARROW + 2 + COUNT - size.length)}${size}`;
}

function notices(projects: readonly ProjectStatus[]): readonly string[] {
  const lines = projects.flatMap(({ workdir, notice }) =>
    notice === undefined ? [] : [`${displayPath(workdir)}: ${printableLine(notice)}`],
  );
  return lines.length === 0 ? [] : ['', ...lines];
}

/** The end of a path tells more than its beginning: that is what `…` stands for. */
function pad(path: string, width: number): string {
  const cut = displayWidth(path) <= width ? path : endOf(path, width);
  return `${cut}${' '.repeat(Math.max(0, width - displayWidth(cut)))}`;
}

function endOf(path: string, width: number): string {
  const reversed = [...new Intl.Segmenter().segment(path)].map(({ segment }) => segment).toReversed();
  let [kept, taken] = ['', 1];
  for (const segment of reversed) {
    taken += displayWidth(segment);
    if (taken > width) break;
    kept = segment + kept;
  }
  return truncateToWidth(`…${kept}`, width);
}
