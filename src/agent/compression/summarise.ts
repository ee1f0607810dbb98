import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import type { ChatModel } from '../llm/index.ts';
import type { Message } from '../sessions/index.ts';

const INSTRUCTION = `You condense the transcript of an agent's work for the agent itself, which will go on from your words alone.
State: what the person asked for and decided; what was done, with file paths, commands and their outcomes; what was learnt; what is still to do.
Keep names, numbers, ids and error texts exactly. Do not invent outcomes: where the transcript does not show that something succeeded, say that it is unconfirmed.
Answer with the summary only.`;

/** Characters of one message that the summary is written from. */
const MAX_MESSAGE_CHARS = 8_000;

/** Asks the model for a summary of `messages`. Fails when the request does, or the answer is empty. */
export async function summarise(
  model: ChatModel,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<Result<string>> {
  const transcript = messages.map(renderMessage).join('\n\n');
  const request = {
    system: INSTRUCTION,
    messages: [{ role: 'user' as const, text: transcript }],
    tools: [],
    signal,
  };
  let text = '';
  for await (const event of model.stream(request)) {
    if (event.type === 'text-delta') text += event.text;
    if (event.type === 'failed') return fail(event.failure.code, event.failure.message, event.failure.remedy);
  }
  return text.trim() === ''
    ? fail('empty_summary', 'The model answered with an empty summary.')
    : succeed(text.trim());
}

function renderMessage(message: Message): string {
  switch (message.role) {
    case 'user':
      return `[user]\n${cut(message.text)}`;
    case 'assistant': {
      const calls = message.calls.map(({ callId, tool, args, rawArgs }) => {
        return `calls ${tool} (${callId}) with ${cut(rawArgs ?? JSON.stringify(args))}`;
      });
      return ['[assistant]', cut(message.text), ...calls].filter((line) => line !== '').join('\n');
    }
    case 'tool':
      return `[result of ${message.tool} (${message.callId}), ${message.status}]\n${cut(message.text)}`;
  }
}

function cut(text: string): string {
  if (text.length <= MAX_MESSAGE_CHARS) return text;
  const half = MAX_MESSAGE_CHARS / 2;
  const left = text.length - MAX_MESSAGE_CHARS;
  return `${text.slice(0, half).toWellFormed()}\n[… ${String(left)} characters left out …]\n${text.slice(-half).toWellFormed()}`;
}
