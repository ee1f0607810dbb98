import { Conversation } from '../agent/loop/index.ts';
import { acquireSession, type RepairOptions, type SessionStore } from '../agent/sessions/index.ts';
import { fail, type Result, succeed } from '../kernel/errors/index.ts';
import type { Clock } from '../platform/clock/index.ts';
import type { Lock } from '../platform/locks/index.ts';
import type { HomePaths } from '../platform/paths/index.ts';

/** A conversation this process alone writes to, until it is closed. */
export interface OpenSession {
  readonly conversation: Conversation;
  /** Lets other processes write to it. A second call does nothing. */
  close(): Promise<void>;
}

/** Which session to open. */
export type SessionChoice =
  | { readonly type: 'new' }
  | { readonly type: 'resume'; readonly sessionId: string }
  /** The one last used in this folder. */
  | { readonly type: 'continue' };

export interface SessionHost {
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly cwd: string;
  readonly source: string;
  readonly model: string | undefined;
  readonly repair: RepairOptions;
}

/**
 * Opens a session for writing. Fails with `held` when another process has it, `no_such_session`, or `nothing_to_continue`
 * when no session was used in this folder.
 */
export async function openSession(
  store: SessionStore,
  choice: SessionChoice,
  host: SessionHost,
): Promise<Result<OpenSession>> {
  if (choice.type === 'new') return startSession(store, host);
  const chosen = choice.type === 'resume' ? store.get(choice.sessionId) : store.latest({ cwd: host.cwd });
  if (!chosen.ok) return chosen;
  if (chosen.value === undefined) {
    return fail(
      'nothing_to_continue',
      `No session was used in ${host.cwd} yet.`,
      'Start one with `herma chat`, or see `herma sessions list`.',
    );
  }
  const { id, rootSessionId } = chosen.value;
  const lock = await acquireSession(rootSessionId, { locks: host.paths.locks });
  if (!lock.ok) return lock;
  const conversation = Conversation.resume(store, id, host.repair);
  if (conversation.ok) return succeed(opened(conversation.value, lock.value));
  await lock.value.release();
  return conversation;
}

async function startSession(
  store: SessionStore,
  { cwd, source, model, paths }: SessionHost,
): Promise<Result<OpenSession>> {
  const started = Conversation.start(store, { cwd, source, ...(model === undefined ? {} : { model }) });
  if (!started.ok) return started;
  const lock = await acquireSession(started.value.rootSessionId, { locks: paths.locks });
  return lock.ok ? succeed(opened(started.value, lock.value)) : lock;
}

function opened(conversation: Conversation, lock: Lock): OpenSession {
  return {
    conversation,
    close: async () => {
      await lock.release();
    },
  };
}
