import type { AssistantModelMessage } from 'ai';
import type { RequestedCall } from '../sessions/index.ts';

type Content = Exclude<AssistantModelMessage['content'], string>;

/** Replies that are remembered; older ones are forgotten. */
const MAX_REPLIES = 256;

/**
 * Replies with calls exactly as the provider gave them. Besides text and calls they hold what some models want back
 * with the results: signed thoughts, reasoning. It is not part of a session, so after a resume it is missing, which
 * providers accept.
 */
export class ReplyMemory {
  readonly #replies = new Map<string, Content>();

  remember(text: string, calls: readonly RequestedCall[], content: Content): void {
    const key = keyOf(text, calls);
    this.#replies.delete(key);
    this.#replies.set(key, content);
    const [oldest] = this.#replies.keys();
    if (this.#replies.size > MAX_REPLIES && oldest !== undefined) this.#replies.delete(oldest);
  }

  recall(text: string, calls: readonly RequestedCall[]): Content | undefined {
    return this.#replies.get(keyOf(text, calls));
  }
}

/** All that a session has of a reply: some servers give calls of different replies the same id. */
function keyOf(text: string, calls: readonly RequestedCall[]): string {
  return JSON.stringify([calls.map(({ callId, tool, args }) => [callId, tool, args]), text]);
}
