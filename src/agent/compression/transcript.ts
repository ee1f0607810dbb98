import { estimateTokens } from '../llm/index.ts';
import type { Message } from '../sessions/index.ts';

/** Characters of one message, and of the arguments of one call, tried in this order until all of it fits. */
const MESSAGE_LIMITS = [8_000, 2_000, 500, 120];

/** A share of the characters that is taken each time when even the shortest form does not fit. */
const SHRINK = 0.7;

/**
 * Messages as text, for a model to summarise: what does not fit into `maxTokens` is cut from the middle of messages,
 * longest first, in the end from the middle of the whole. Says where something was left out.
 */
export function transcriptOf(messages: readonly Message[], maxTokens: number): string {
  let text = '';
  for (const maxChars of MESSAGE_LIMITS) {
    text = messages.map((message) => renderMessage(message, maxChars)).join('\n\n');
    if (estimateTokens(text) <= maxTokens) return text;
  }
  const whole = text;
  for (let maxChars = whole.length; maxChars > 1 && estimateTokens(text) > maxTokens; ) {
    maxChars = Math.floor(maxChars * SHRINK);
    text = cut(whole, maxChars);
  }
  return text;
}

function renderMessage(message: Message, maxChars: number): string {
  switch (message.role) {
    case 'user':
      return ['[user]', cut(message.text, maxChars), cut(message.context ?? '', maxChars)]
        .filter((line) => line !== '')
        .join('\n');
    case 'assistant': {
      const calls = message.calls.map(({ callId, tool, args, rawArgs }) => {
        return `calls ${tool} (${callId}) with ${cut(rawArgs ?? JSON.stringify(args), maxChars)}`;
      });
      return ['[assistant]', cut(message.text, maxChars), ...calls].filter((line) => line !== '').join('\n');
    }
    case 'tool':
      return `[result of ${message.tool} (${message.callId}), ${message.status}]\n${cut(message.text, maxChars)}`;
  }
}

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2);
  const left = text.length - 2 * half;
  const tail = text.slice(text.length - half).toWellFormed();
  return `${text.slice(0, half).toWellFormed()}\n[… ${String(left)} characters left out …]\n${tail}`;
}
