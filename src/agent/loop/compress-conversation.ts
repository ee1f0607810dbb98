import { type Result, succeed } from '../../kernel/errors/index.ts';
import { compress } from '../compression/index.ts';
import { repairMessages } from '../sessions/index.ts';
import type { Conversation } from './conversation.ts';
import type { AgentParts } from './run-turn.ts';

/**
 * Condenses a conversation in which no call is open, and moves it to a session of the same lineage.
 *
 * @returns how many messages it has now. On failure the conversation is as it was.
 */
export async function compressConversation(
  { model, compression, toolBox }: Pick<AgentParts, 'model' | 'compression' | 'toolBox'>,
  conversation: Conversation,
  signal: AbortSignal,
): Promise<Result<number>> {
  const repaired = repairMessages(conversation.messages, { effectOf: toolBox.effectOf });
  const condensed = await compress(repaired, model, compression, signal);
  if (!condensed.ok) return condensed;
  const moved = conversation.continueWith(condensed.value);
  return moved.ok ? succeed(condensed.value.length) : moved;
}
