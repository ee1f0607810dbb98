import { join } from 'node:path';
import { isFileError, isInside } from '../../platform/paths/index.ts';
import { type RawStat, rawKindOf, rawNames, rawStat } from '../../platform/raw-files/index.ts';
import type { CommandTarget } from './command-targets.ts';
import { followPath } from './follow-path.ts';
import type { ProtectedPaths } from './protected-paths.ts';

const MAX_NAMES = 20_000;

/** What is protected, under every name it has at this moment. */
export class ProtectedPlaces {
  /** Nothing there or below may be changed. */
  readonly #closed: readonly string[];
  /** May not be changed as a whole. */
  readonly #around: readonly string[];
  readonly #real: readonly string[];
  #inodes: ReadonlySet<string> | undefined;

  constructor({ home, roots, records, aside }: ProtectedPaths) {
    const closed = [
      ...roots.filter(({ watch }) => watch !== 'way').map(({ path }) => path),
      records,
      aside,
    ].flatMap(namesOf);
    this.#real = [...new Set(closed)];
    this.#closed = this.#real.map(folded);
    this.#around = [...roots.filter(({ watch }) => watch === 'way').map(({ path }) => path), home]
      .flatMap(namesOf)
      .map(folded);
  }

  isHitBy({ path, isPattern, isWhole }: CommandTarget): boolean {
    if (isPattern) return this.#isHitByPattern(folded(path));
    const names = namesOf(path);
    if (names.map(folded).some((name) => this.#isHitByName(name, isWhole))) return true;
    return names.some((name) => this.#isOtherNameOfProtected(name));
  }

  #isHitByName(name: string, isWhole: boolean): boolean {
    if (this.#around.includes(name)) return true;
    if (this.#closed.some((closed) => isInside(closed, name))) return true;
    return isWhole && [...this.#closed, ...this.#around].some((place) => isInside(name, place));
  }

  /** A pattern is hit by the name itself, and by every folder on the way to it. */
  #isHitByPattern(pattern: string): boolean {
    const expression = new RegExp(`^${pattern.split('/').map(segmentExpression).join('/')}$`, 'su');
    return [...this.#closed, ...this.#around].some((place) => expression.test(place));
  }

  /** A hard link. Programs that install packages make many, so the protected files are only looked at when it may be one. */
  #isOtherNameOfProtected(path: string): boolean {
    const stat = statOf(path);
    if (stat === undefined || rawKindOf(stat) !== 'file' || stat.nlink < 2) return false;
    this.#inodes ??= inodesBelow(this.#real);
    return this.#inodes.has(inodeOf(stat));
  }
}

/** As it is written, and as the system follows it. */
function namesOf(path: string): readonly string[] {
  return [path, followPath(path)];
}

/** On some disks `Approvals.json` is `approvals.json`, in both ways to write an accent; nowhere is it anything of worth. */
function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

function segmentExpression(segment: string): string {
  return segment
    .replaceAll(/[\\^$.+()[\]{}|]/g, '\\$&')
    .replaceAll(/\*+/g, '[^/]*')
    .replaceAll('?', '[^/]');
}

function inodeOf({ dev, ino }: RawStat): string {
  return `${String(dev)}:${String(ino)}`;
}

function inodesBelow(paths: readonly string[]): ReadonlySet<string> {
  const inodes = new Set<string>();
  const pending = [...paths];
  for (let looked = 0; looked < MAX_NAMES; looked += 1) {
    const path = pending.pop();
    if (path === undefined) break;
    const stat = statOf(path);
    if (stat === undefined) continue;
    if (rawKindOf(stat) === 'file') inodes.add(inodeOf(stat));
    if (rawKindOf(stat) === 'directory') pending.push(...namesBelow(path));
  }
  return inodes;
}

function namesBelow(folder: string): readonly string[] {
  return unlessUnreadable(() => rawNames(folder).map((name) => join(folder, name))) ?? [];
}

function statOf(path: string): RawStat | undefined {
  return unlessUnreadable(() => rawStat(path));
}

/** What may not be looked at is not changed through another name either. */
function unlessUnreadable<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch (error) {
    if (!isFileError(error)) throw error;
    return undefined;
  }
}
