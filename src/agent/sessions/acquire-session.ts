import { join } from 'node:path';
import { type Failure, fail } from '../../kernel/errors/index.ts';
import type { FileFailure } from '../../platform/files/index.ts';
import { acquireLock, type Lock } from '../../platform/locks/index.ts';

export interface AcquireSessionOptions {
  /** The folder for locks, usually `run/locks` in Herma's home; made when it is not there. */
  readonly locks: string;
}

/** Somebody else writes to the session. */
export interface SessionHeld extends Failure<'held'> {
  /** Of the process that does; undefined when the lock does not say. */
  readonly pid: number | undefined;
}

export type AcquiredSession =
  | { readonly ok: true; readonly value: Lock }
  | SessionHeld
  | Failure<'no_such_session'>
  | FileFailure;

const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Makes this process the only one that writes to a session, until it releases the lock or ends, in whatever way.
 *
 * Fails closed: `held` also when it cannot be found out whether the other process still lives. To hold a whole lineage,
 * so that a compression changes nothing, acquire its `rootSessionId`. A text that cannot be the id of a session fails
 * as `no_such_session`; whether there is such a session is not looked up.
 */
export async function acquireSession(
  sessionId: string,
  options: AcquireSessionOptions,
): Promise<AcquiredSession> {
  if (!SESSION_ID.test(sessionId)) {
    const shown = JSON.stringify(sessionId.slice(0, 128));
    return fail(
      'no_such_session',
      `${shown} cannot be the id of a session.`,
      'herma sessions list shows them.',
    );
  }
  const lock = await acquireLock(join(options.locks, `session-${sessionId}`));
  if (lock.ok || lock.code !== 'held') return lock;
  const pid = lock.holder?.pid;
  const message = `Session ${sessionId} is in use by ${pid === undefined ? 'another process' : `process ${pid}`}.`;
  return { ok: false, code: 'held', pid, message, remedy: lock.remedy };
}
