import { type Clock, systemClock } from '../clock/index.ts';
import { displayUrl } from './display-url.ts';
import { HttpRedirectError } from './http-redirect-error.ts';
import { type HttpRequest, readRequest } from './http-request.ts';
import { HttpTimeoutError } from './http-timeout-error.ts';
import { limitBody } from './limit-body.ts';
import { nextHop } from './next-hop.ts';

/** The shape of the global `fetch`. */
export type Fetch = typeof globalThis.fetch;

export interface FetchOptions {
  /** By default the clock of the machine. */
  readonly clock?: Clock;
  /** Milliseconds from the request until the head of its answer, connecting included. By default 60,000. */
  readonly firstByteMs?: number;
  /** Milliseconds a read of the body may wait for more. By default 120,000. */
  readonly idleMs?: number;
  /** By default 5. */
  readonly maxRedirects?: number;
}

/**
 * A `fetch` that always ends. On top of the global one, which gives up connecting after 10 s: the time limits of
 * {@link FetchOptions}, user names in addresses, and redirects that never carry credentials or data to another host.
 *
 * Rejects as `fetch` does, with the reason of the signal when that is aborted, and with {@link HttpTimeoutError} or
 * {@link HttpRedirectError}; {@link describeHttpError} tells them apart.
 */
export function createFetch(options: FetchOptions = {}): Fetch {
  const { maxRedirects = 5 } = options;
  return async (input, init) => {
    const first = await readRequest(input, init);
    let request = first;
    for (let hops = 0; ; hops += 1) {
      const response = await send(request, options);
      const next = first.rest.redirect === 'manual' ? undefined : nextHop(request, response);
      if (next === undefined) return response;
      await response.body?.cancel();
      if (hops === maxRedirects)
        throw new HttpRedirectError(request.url, next.url, `it is the ${hops + 1}th in a row`);
      request = next;
    }
  };
}

async function send(request: HttpRequest, options: FetchOptions): Promise<Response> {
  const { clock = systemClock, firstByteMs = 60_000, idleMs = 120_000 } = options;
  const { url, method, headers, body = null, rest } = request;
  const limit = new AbortController();
  const signal =
    request.signal === undefined ? limit.signal : AbortSignal.any([request.signal, limit.signal]);
  const abort = (reason: HttpTimeoutError): void => limit.abort(reason);
  const cancelTimer = clock.startTimer(firstByteMs, () =>
    abort(new HttpTimeoutError('answer', url, firstByteMs)),
  );
  try {
    const response = await fetch(url, { ...rest, method, headers, body, signal, redirect: 'manual' });
    if (response.status < 200 || response.status > 599) {
      await response.body?.cancel();
      throw new Error(
        `${displayUrl(url)} answered with the status ${response.status}, which HTTP does not have`,
      );
    }
    return limitBody(response, { clock, idleMs, url, abort });
  } finally {
    cancelTimer();
  }
}
