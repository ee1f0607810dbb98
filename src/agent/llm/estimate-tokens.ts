import type { Message } from '../sessions/index.ts';

/** What a message costs beyond its text: its role and its frame. */
const TOKENS_PER_MESSAGE = 4;
const ASCII_CHARS_PER_TOKEN = 4;
const WIDE_CHARS_PER_TOKEN = 1.4;

/**
 * About how many tokens a model counts for a text or for messages, told by the script alone: four ASCII characters
 * make a token, 1.4 others do. Good to about ten per cent for English and Chinese; never less than what a text of
 * that script is likely to cost by much. Linear, and without a vocabulary to load.
 */
export function estimateTokens(input: string | readonly Message[]): number {
  if (typeof input === 'string') return Math.ceil(tokensOfText(input));
  return Math.ceil(input.reduce((sum, message) => sum + rememberedTokensOf(message), 0));
}

/** Messages never change, and the same history is measured before every request. */
const remembered = new WeakMap<Message, number>();

function rememberedTokensOf(message: Message): number {
  const known = remembered.get(message);
  if (known !== undefined) return known;
  const tokens = tokensOfMessage(message);
  remembered.set(message, tokens);
  return tokens;
}

function tokensOfMessage(message: Message): number {
  switch (message.role) {
    case 'user':
      return TOKENS_PER_MESSAGE + tokensOfText(message.text) + tokensOfText(message.context ?? '');
    case 'assistant': {
      const calls = message.calls.map(
        ({ callId, tool, args, rawArgs }) => callId + tool + (rawArgs ?? JSON.stringify(args)),
      );
      return (
        TOKENS_PER_MESSAGE +
        tokensOfText(message.text) +
        calls.reduce((sum, call) => sum + tokensOfText(call), 0)
      );
    }
    case 'tool':
      return TOKENS_PER_MESSAGE + tokensOfText(message.callId) + tokensOfText(message.text);
  }
}

function tokensOfText(text: string): number {
  let ascii = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) < 128) ascii += 1;
  return ascii / ASCII_CHARS_PER_TOKEN + (text.length - ascii) / WIDE_CHARS_PER_TOKEN;
}
