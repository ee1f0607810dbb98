import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import { type ChatModel, estimateTokens, type TokenUsage } from '../llm/index.ts';
import type { Message } from '../sessions/index.ts';
import { planCompression } from './plan.ts';
import { summarise } from './summarise.ts';

export interface CompressionSettings {
  /** Whether history is condensed without being asked. */
  readonly enabled: boolean;
  /** Share of the context window above which that happens, 0 to 1. */
  readonly threshold: number;
  /** Messages at the start that are kept word for word, unless they alone are too long for a provider. */
  readonly keepFirst: number;
  /** Turns at the end that are kept word for word, as far as they fit into half of the allowed share. */
  readonly keepLastTurns: number;
}

export interface CompressOptions {
  /** Writes the summary. */
  readonly model: ChatModel;
  readonly clock: Clock;
  readonly settings: CompressionSettings;
  readonly signal: AbortSignal;
  /** Tokens that must be there to summarise for it to be worth a request; by default any. */
  readonly worthTokens?: number;
  /** Tokens the result should stay well below; by default, and at most, the configured share of the window. */
  readonly targetTokens?: number;
}

/** A condensed history, and what it cost. */
export interface Condensed {
  readonly messages: readonly Message[];
  readonly usage: TokenUsage;
}

/** Part of the context window that the transcript handed to the summary's writer may take. */
const TRANSCRIPT_PART = 0.6;

/** Whether a conversation of `tokens` has outgrown its share of the window. */
export function isOverThreshold(tokens: number, model: ChatModel, settings: CompressionSettings): boolean {
  return settings.enabled && tokens > settings.threshold * model.contextWindow;
}

/**
 * The conversation with its middle replaced by a summary that the model writes. `messages` must be repaired, and no
 * call may be running.
 *
 * On failure the history is to stay as it was: `nothing_to_compress`, `empty_summary`, `no_gain` when the summary is
 * longer than what it replaces, or the code of the model's failure.
 */
export async function compress(
  messages: readonly Message[],
  options: CompressOptions,
): Promise<Result<Condensed>> {
  const {
    model,
    clock,
    settings,
    signal,
    worthTokens = 0,
    targetTokens = Number.POSITIVE_INFINITY,
  } = options;
  const allowed = Math.min(settings.threshold * model.contextWindow, targetTokens);
  const plan = planCompression(messages, {
    keepFirst: settings.keepFirst,
    headBudget: targetTokens / 2,
    keepLastTurns: settings.keepLastTurns,
    tailBudget: allowed / 2,
    worthTokens,
    sizeOf: estimateTokens,
  });
  if (plan === undefined) return fail('nothing_to_compress', 'There is nothing to condense yet.');
  const maxTokens = Math.min(TRANSCRIPT_PART * model.contextWindow, targetTokens);
  const summary = await summarise(plan.middle, { model, clock, maxTokens, signal });
  if (!summary.ok) return summary;
  const replacement = summaryMessage(summary.value.text);
  if (estimateTokens([replacement]) >= estimateTokens(plan.middle))
    return fail('no_gain', 'The summary is no shorter than what it replaces.');
  return succeed({
    messages: [...plan.head, replacement, ...plan.unsettled, ...plan.tail],
    usage: summary.value.usage,
  });
}

function summaryMessage(summary: string): Message {
  const text = `[Summary of earlier work in this session, which is no longer shown in full]\n${summary}`;
  return { role: 'user', text, synthetic: 'summary' };
}
