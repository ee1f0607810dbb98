import type { Conversation } from '../agent/loop/index.ts';
import { acquireSession, type SessionStore } from '../agent/sessions/index.ts';
import type { CallOwner } from '../safety/checkpoints/index.ts';

/** What became of the conversation that a checkpoint belongs to. */
export type Rewind =
  | { readonly type: 'rewound'; readonly sessionId: string; readonly removedMessages: number }
  /** Another process writes to it: nothing was changed. */
  | { readonly type: 'open_elsewhere'; readonly sessionId: string; readonly message: string }
  | { readonly type: 'not_possible'; readonly message: string };

/** Rewinds the conversation in hand to before the turn of a checkpoint. */
export function rewindOpen(owner: CallOwner, conversation: Conversation): Rewind {
  if (owner.rootSessionId !== conversation.rootSessionId)
    return notPossible('the checkpoint belongs to another session');
  const rewound = conversation.rewindToTurn(owner.turnId);
  if (!rewound.ok) return notPossible(rewound.message);
  return { type: 'rewound', sessionId: conversation.sessionId, ...rewound.value };
}

/** Rewinds a stored session to before the turn of a checkpoint, unless another process has it open. */
export async function rewindStored(
  owner: CallOwner,
  { store, locks }: { readonly store: SessionStore; readonly locks: string },
): Promise<Rewind> {
  const current = store.currentOf(owner.sessionId);
  if (!current.ok) return notPossible(current.message);
  const { id, rootSessionId } = current.value;
  const lock = await acquireSession(rootSessionId, { locks });
  if (!lock.ok && lock.code === 'held')
    return { type: 'open_elsewhere', sessionId: id, message: lock.message };
  if (!lock.ok) return notPossible(lock.message);
  try {
    const rewound = store.rewindToTurn(id, owner.turnId);
    return rewound.ok ? { type: 'rewound', sessionId: id, ...rewound.value } : notPossible(rewound.message);
  } finally {
    await lock.value.release();
  }
}

function notPossible(message: string): Rewind {
  return { type: 'not_possible', message };
}
