import { isJsonObject, toJsonValue } from '../../kernel/json/index.ts';
import { describeHttpError } from '../../platform/http/index.ts';
import type { ModelFailure } from './chat-model.ts';
import { ModelRequestError } from './checked-fetch.ts';
import { failureOfProviderError, failureOfStream, failureOfTransport } from './model-failure.ts';
import { findProviderError } from './provider-error.ts';
import type { RequestOrigin } from './request-origin.ts';

/** Errors of the AI SDK, by their name: what the server sent makes no sense to it. */
const UNREADABLE = new Set(['AI_JSONParseError', 'AI_TypeValidationError', 'AI_InvalidResponseDataError']);

/** What the AI SDK says when a stream stops without a reason. */
const INCOMPLETE = /without a finish (reason|chunk)|no output generated/i;

/** The failure behind whatever the AI SDK throws, or reports as an error of the stream. */
export function failureOfSdkError(error: unknown, origin: RequestOrigin): ModelFailure {
  const reported = findRequestError(error);
  if (reported !== undefined) return reported.failure;
  if (error instanceof Error) {
    if (INCOMPLETE.test(error.message))
      return failureOfStream('stopped before the answer was complete', origin, true);
    if (UNREADABLE.has(error.name)) return failureOfStream(unreadable(error, origin), origin, false);
    if (describeHttpError(error, origin.baseUrl).code !== 'other')
      return failureOfTransport(error, origin.baseUrl, origin);
  }
  const said = findProviderError(payloadOf(error));
  if (said !== undefined) return failureOfProviderError(said, origin);
  return failureOfStream(
    `sent an answer that cannot be read: ${origin.excerpt(messageIn(error))}`,
    origin,
    false,
  );
}

function findRequestError(error: unknown): ModelRequestError | undefined {
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    if (current instanceof ModelRequestError) return current;
    current = current.cause;
  }
  return undefined;
}

function unreadable(error: Error, origin: RequestOrigin): string {
  const sent = 'text' in error ? error.text : 'value' in error ? toJsonValue(error.value) : error.message;
  return `sent an answer that cannot be read: ${origin.excerpt(typeof sent === 'string' ? sent : JSON.stringify(sent))}`;
}

/** An error of a stream is what the provider sent, or an object of the SDK around it. */
function payloadOf(error: unknown): ReturnType<typeof toJsonValue> {
  if (typeof error === 'string') return { error };
  if (!(error instanceof Error)) return toJsonValue(error);
  const { message } = error;
  const data = 'data' in error ? toJsonValue(error.data) : null;
  const type = 'type' in error ? toJsonValue(error.type) : null;
  const code = 'code' in error ? toJsonValue(error.code) : null;
  const statusCode = 'statusCode' in error ? toJsonValue(error.statusCode) : null;
  const isProviders = isJsonObject(data) || type !== null || code !== null || statusCode !== null;
  return isProviders ? { ...(isJsonObject(data) ? data : {}), message, type, code, statusCode } : null;
}

function messageIn(error: unknown): string {
  return error instanceof Error ? error.message : JSON.stringify(toJsonValue(error));
}
