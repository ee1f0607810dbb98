import type { Session, SessionStore } from '../agent/sessions/index.ts';
import type { Result } from '../kernel/errors/index.ts';
import type { ChildState, LedgerRow } from '../safety/ledger/index.ts';

/** How far the sessions got that a call delegated to; undefined when they cannot be looked up. */
export async function childState(
  { sessionId, ts }: LedgerRow,
  sessions: () => Result<SessionStore>,
): Promise<ChildState | undefined> {
  const store = sessions();
  const children = store.ok ? store.value.childrenOf(sessionId, Date.parse(ts)) : store;
  if (!children.ok) return Promise.resolve(undefined);
  return Promise.resolve(stateOf(children.value));
}

function stateOf(children: readonly Session[]): ChildState {
  if (children.length === 0) return { state: 'none', summary: 'no session was delegated to since' };
  const summary = children
    .map(({ id, endReason }) => `session ${id} (${endReason ?? 'broke off'})`)
    .join(', ');
  return {
    state: children.every(({ endReason }) => endReason === 'completed') ? 'completed' : 'failed',
    summary,
  };
}
