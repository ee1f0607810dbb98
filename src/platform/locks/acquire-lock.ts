import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Failure } from '../../kernel/errors/index.ts';
import { type Clock, systemClock } from '../clock/index.ts';
import { describeFileError, type FileFailure, type FileResult } from '../files/index.ts';
import { createFolders, displayPath, errnoOf, fileSystemPath, isFileError } from '../paths/index.ts';
import { currentProcessIdentity, isAlive, type ProcessIdentity } from '../process/index.ts';
import { randomFraction, randomId } from '../random/index.ts';
import { isOwnLock, type ProcessPort, type TakeOutcome, takeLock } from './take-lock.ts';

export interface LockOptions {
  /** How long to wait for a lock that is held; by default not at all. `Infinity` waits until `signal` is aborted. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly processes?: ProcessPort;
}

/** A lock that this process holds. */
export interface Lock extends AsyncDisposable {
  readonly path: string;
  /**
   * Gives the lock back; does nothing the second time, and never removes a lock that is not this one. Should it fail, the
   * lock is free once this process has ended.
   */
  release(): Promise<FileResult<undefined>>;
}

/** A lock that somebody else holds, or that it cannot be said nobody holds. */
export interface LockHeld extends Failure<'held'> {
  /** Undefined when the file at the path of the lock does not say. */
  readonly holder: ProcessIdentity | undefined;
  readonly remedy: string;
}

export type LockResult<Value> = { readonly ok: true; readonly value: Value } | LockHeld | FileFailure;

const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 25;

const systemProcesses: ProcessPort = { current: currentProcessIdentity, isAlive };

/**
 * Takes the lock at `path`, a file that exists while the lock is held, together with its missing folders (0700). Only one
 * caller holds it at a time, in this process or any other on this machine.
 *
 * A lock whose holder is dead is taken over. When it cannot be found out whether the holder is alive (another container, a
 * file of unknown content) it fails closed, as `held`. Waiting callers are served in no particular order. Fails with
 * `cancelled` when `signal` is aborted, and with what is wrong when the file cannot be created; the file system must know
 * hard links.
 */
export async function acquireLock(path: string, options: LockOptions = {}): Promise<LockResult<Lock>> {
  const { waitMs = 0, signal, clock = systemClock, processes = systemProcesses } = options;
  const deadlineMs = clock.monotonicMs() + waitMs;
  const token = randomId('lock');
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    if (signal?.aborted === true) return cancelled(path);
    const taken = attempt(path, () => takeInFolder(path, token, processes));
    if (!taken.ok) return taken;
    if (taken.value.type === 'taken') return { ok: true, value: toLock(path, token) };
    const leftMs = deadlineMs - clock.monotonicMs();
    if (leftMs <= 0) return held(path, taken.value.holder, processes);
    const isRested = await rest(clock, Math.min(pauseMs * (0.5 + randomFraction()), leftMs), signal);
    if (!isRested) return cancelled(path);
  }
}

/** Runs `action` while the lock is held. What it throws is thrown, after the lock was given back. */
export async function withLock<Value>(
  path: string,
  options: LockOptions,
  action: () => Promise<Value>,
): Promise<LockResult<Value>> {
  const lock = await acquireLock(path, options);
  if (!lock.ok) return lock;
  try {
    return { ok: true, value: await action() };
  } finally {
    await lock.value.release();
  }
}

function takeInFolder(path: string, token: string, processes: ProcessPort): TakeOutcome {
  const record = { token, holder: processes.current() };
  try {
    return takeLock(path, record, processes);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    createFolders(dirname(path), 0o700);
    return takeLock(path, record, processes);
  }
}

function toLock(path: string, token: string): Lock {
  let isReleased = false;
  const release = (): Promise<FileResult<undefined>> => {
    if (isReleased) return Promise.resolve({ ok: true, value: undefined });
    const released = attempt(path, () => {
      if (isOwnLock(path, token)) rmSync(fileSystemPath(path), { force: true });
      return undefined;
    });
    isReleased = released.ok;
    return Promise.resolve(released);
  };
  return {
    path,
    release,
    [Symbol.asyncDispose]: async () => {
      await release();
    },
  };
}

/** False when aborted. */
async function rest(clock: Clock, delayMs: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await clock.sleep(delayMs, signal);
    return true;
  } catch (error) {
    if (signal?.aborted === true) return false;
    throw error;
  }
}

function attempt<Value>(path: string, action: () => Value): FileResult<Value> {
  try {
    return { ok: true, value: action() };
  } catch (error) {
    if (!isFileError(error)) throw error;
    return describeFileError(error, path, 'lock');
  }
}

function held(path: string, holder: ProcessIdentity | undefined, processes: ProcessPort): LockHeld {
  const shown = displayPath(path);
  const isCertain = holder !== undefined && processes.isAlive(holder) === 'alive';
  const who =
    holder === undefined
      ? 'somebody'
      : `process ${holder.pid}${isCertain ? '' : ', perhaps in another container'}`;
  return {
    ok: false,
    code: 'held',
    holder,
    message: `${shown} is held by ${who}`,
    remedy: isCertain
      ? `wait until process ${holder.pid} has ended, or end it`
      : `if no other Herma is running, remove ${shown}`,
  };
}

function cancelled(path: string): FileFailure {
  const message = `waiting for ${displayPath(path)} was cancelled`;
  return { ok: false, code: 'cancelled', message, remedy: 'try again', path };
}
