import type { Clock } from '../clock/index.ts';
import { HttpTimeoutError } from './http-timeout-error.ts';

export interface BodyLimit {
  readonly clock: Clock;
  readonly idleMs: number;
  readonly url: URL;
  /** Ends the exchange; reading then rejects with `reason`. */
  readonly abort: (reason: HttpTimeoutError) => void;
}

/**
 * The same response, with a body that ends with {@link HttpTimeoutError} when a read waits longer than `idleMs`. Time
 * in which nobody reads does not count.
 */
export function limitBody(response: Response, { clock, idleMs, url, abort }: BodyLimit): Response {
  if (response.body === null) return withUrl(response, url);
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const cancelTimer = clock.startTimer(idleMs, () => abort(new HttpTimeoutError('body', url, idleMs)));
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } finally {
          cancelTimer();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = response;
  return withUrl(new Response(body, { status, statusText, headers }), url);
}

/** A response that is made, not fetched, has no address of its own. */
function withUrl(response: Response, url: URL): Response {
  return Object.defineProperty(response, 'url', { value: url.href });
}
