import { parseJson } from '../../kernel/json/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import type { Fetch } from '../../platform/http/index.ts';
import type { ModelFailure } from './chat-model.ts';
import { failureOfContent, failureOfProviderError, failureOfTransport } from './model-failure.ts';
import { findProviderError } from './provider-error.ts';
import type { RequestOrigin } from './request-origin.ts';
import { readRetryAfter } from './retry-after.ts';

/** Thrown by {@link checkedFetch}; the failure has been reported before. */
export class ModelRequestError extends Error {
  readonly failure: ModelFailure;

  constructor(failure: ModelFailure) {
    super(failure.message);
    this.name = 'ModelRequestError';
    this.failure = failure;
  }
}

export interface CheckOptions {
  readonly fetch: Fetch;
  readonly origin: RequestOrigin;
  readonly clock: Clock;
}

/** What is read of an answer that is an error. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * A fetch that only returns what may be a stream of events. Everything else, whatever the provider, rejects with
 * {@link ModelRequestError}.
 */
export function checkedFetch({ fetch, origin, clock }: CheckOptions): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init).catch((error: unknown) => {
      if (init?.signal?.aborted === true) throw error;
      throw new ModelRequestError(failureOfTransport(error, addressOf(input), origin));
    });
    const failure = await failureOfAnswer(response, origin, clock);
    if (failure === undefined) return response;
    throw new ModelRequestError(failure);
  };
}

function addressOf(input: string | URL | Request): string {
  return input instanceof Request ? input.url : String(input);
}

async function failureOfAnswer(
  response: Response,
  origin: RequestOrigin,
  clock: Clock,
): Promise<ModelFailure | undefined> {
  const contentType = response.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isPage = contentType.includes('html');
  if (response.ok && !isPage && contentType !== 'application/json') return undefined;
  const text = await readStart(response);
  const parsed = parseJson(text);
  const error = parsed.ok ? findProviderError(parsed.value) : undefined;
  if (response.ok)
    return error === undefined
      ? failureOfContent(contentType, response, origin)
      : failureOfProviderError(error, origin);
  const { status, headers } = response;
  const isPlace = isPage && (status === 404 || status === 405);
  if (isPlace || status < 400)
    return failureOfContent(contentType === '' ? 'nothing' : contentType, response, origin);
  const retryAfterMs = readRetryAfter(headers, clock.now());
  return failureOfProviderError(error ?? { message: isPage ? titleOf(text) : text, kind: '' }, origin, {
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function titleOf(page: string): string {
  return /<title[^>]*>([^<]*)/i.exec(page)?.[1] ?? 'a web page';
}

/** The first bytes of a body as text; what there was when it breaks off. */
async function readStart(response: Response): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
    while (bytes < MAX_ERROR_BYTES) {
      const { done, value } = await reader.read();
      if (done) return text;
      bytes += value.byteLength;
      text += decoder.decode(value, { stream: true });
    }
    await reader.cancel();
  } catch {
    // The status alone says enough; what more the server had to say is lost with its connection.
    return text;
  }
  return text;
}
