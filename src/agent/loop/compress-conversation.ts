import { type Result, succeed } from '../../kernel/errors/index.ts';
import { type Condensed, compress } from '../compression/index.ts';
import type { AgentParts } from './agent-parts.ts';
import type { Conversation } from './conversation.ts';

export interface CompressConversationOptions {
  readonly signal: AbortSignal;
  /** Tokens that must be there to summarise for it to be worth a request; by default any. */
  readonly worthTokens?: number;
  /** Tokens the condensed conversation should stay well below; by default the configured share of the window. */
  readonly targetTokens?: number;
}

/**
 * Condenses a conversation in which no call is running, and moves it to a session of the same lineage. It does so
 * whether or not compression by itself is switched on.
 *
 * @returns the messages it has now. On failure (`nothing_to_compress`, `empty_summary`, `no_gain`, the code of the
 * model's or the store's failure) the conversation is as it was.
 */
export async function compressConversation(
  { model, compression, toolBox, clock }: Pick<AgentParts, 'model' | 'compression' | 'toolBox' | 'clock'>,
  conversation: Conversation,
  options: CompressConversationOptions,
): Promise<Result<Condensed>> {
  const condensed = await compress(conversation.repaired(toolBox), {
    model,
    clock,
    settings: compression,
    ...options,
  });
  if (!condensed.ok) return condensed;
  const moved = conversation.continueWith(condensed.value.messages);
  return moved.ok ? succeed(condensed.value) : moved;
}
