import { join } from 'node:path';
import { errnoOf } from '../../../platform/paths/index.ts';
import {
  createRawFile,
  ensureRawFolder,
  hasReliableTimes,
  type RawStat,
  rawStat,
  touchRaw,
  unlinkRaw,
} from '../../../platform/raw-files/index.ts';

/** Longer than any local file system takes its times for the same. In milliseconds. */
const GRANULARITY_MS = 10;
/** The same for file systems of which nothing is known: FAT has two seconds. */
const UNKNOWN_GRANULARITY_MS = 2000;

/**
 * Says whether the times of a file are too young to prove anything: it could change once more and have the same ones.
 *
 * When a scan begins is what the file system says of a file that is touched then, never what the clock of the process
 * says. In doubt a time is too young: the file is then read once more by the next scan, which costs time only.
 */
export class ScanClock {
  /** Of the root: what lies on another device is not on the file system that was asked. */
  readonly #device: number;
  readonly #startedAt: number;
  readonly #isReliable: boolean;
  /** The latest time seen that is not in the future. */
  #latest = 0;

  private constructor(parts: { device: number; startedAt: number; isReliable: boolean }) {
    this.#device = parts.device;
    this.#startedAt = parts.startedAt;
    this.#isReliable = parts.isReliable;
  }

  /** @param scratch a folder for the file that is touched; it is made when it is not there. */
  static start(root: string, rootStat: RawStat, scratch: string): ScanClock {
    const probe = join(scratch, 'clock');
    touchProbe(probe, scratch);
    const stat = rawStat(probe);
    const isSame = stat?.dev === rootStat.dev;
    return new ScanClock({
      device: rootStat.dev,
      startedAt: stat?.ctimeMs ?? 0,
      isReliable: hasReliableTimes(root) && (isSame || hasReliableTimes(scratch)),
    });
  }

  /** Whether a folder whose times are the same, and not racy, has the same names. */
  provesNames(folder: RawStat): boolean {
    return this.#isReliable && folder.dev === this.#device;
  }

  isRacy({ mtimeMs, ctimeMs, dev }: RawStat): boolean {
    const newest = Math.max(mtimeMs, ctimeMs);
    if (this.#isReliable && dev === this.#device) return newest >= this.#startedAt - GRANULARITY_MS;
    if (newest > this.#startedAt) return true;
    this.#latest = Math.max(this.#latest, newest);
    return newest >= this.#latest - UNKNOWN_GRANULARITY_MS;
  }
}

/** Changes the file, so that its ctime, which nobody can set, is that of now. */
function touchProbe(probe: string, folder: string): void {
  try {
    if (touchRaw(probe, 0)) return;
  } catch (error) {
    // It is another user's: only its own may touch it.
    if (!['EPERM', 'EACCES'].includes(errnoOf(error) ?? '')) throw error;
    unlinkRaw(probe);
  }
  ensureRawFolder(folder);
  try {
    createRawFile(probe, [], { mode: 0o600 });
  } catch (error) {
    // Another process was faster.
    if (errnoOf(error) !== 'EEXIST') throw error;
    touchRaw(probe, 0);
  }
}
