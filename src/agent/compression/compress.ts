import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import { type ChatModel, estimateTokens } from '../llm/index.ts';
import type { Message } from '../sessions/index.ts';
import { planCompression } from './plan.ts';
import { summarise } from './summarise.ts';

export interface CompressionSettings {
  readonly enabled: boolean;
  /** Share of the context window above which history is condensed, 0 to 1. */
  readonly threshold: number;
  readonly keepFirst: number;
  readonly keepLastTurns: number;
}

/** Whether a conversation of `tokens` has outgrown its share of the window. */
export function isOverThreshold(tokens: number, model: ChatModel, settings: CompressionSettings): boolean {
  return settings.enabled && tokens > settings.threshold * model.contextWindow;
}

/**
 * The conversation with its middle replaced by a summary that the model writes. `messages` must be repaired, and no
 * call may be running.
 *
 * On failure (`nothing_to_compress`, or the code of the model's failure) the history is to stay as it was.
 */
export async function compress(
  messages: readonly Message[],
  model: ChatModel,
  settings: CompressionSettings,
  signal: AbortSignal,
): Promise<Result<readonly Message[]>> {
  const plan = planCompression(messages, {
    keepFirst: settings.keepFirst,
    keepLastTurns: settings.keepLastTurns,
    tailBudget: (settings.threshold * model.contextWindow) / 2,
    sizeOf: estimateTokens,
  });
  if (plan === undefined) return fail('nothing_to_compress', 'There is nothing to condense yet.');
  const summary = await summarise(model, plan.middle, signal);
  if (!summary.ok) return summary;
  return succeed([...plan.head, summaryMessage(summary.value), ...plan.unsettled, ...plan.tail]);
}

function summaryMessage(summary: string): Message {
  const text = `[Summary of earlier work in this session, which is no longer shown in full]\n${summary}`;
  return { role: 'user', text, synthetic: 'summary' };
}
