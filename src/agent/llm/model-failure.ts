import { describeHttpError, displayUrl, HttpTimeoutError } from '../../platform/http/index.ts';
import type { ModelErrorCode, ModelFailure } from './chat-model.ts';
import type { ProviderError } from './provider-error.ts';
import type { RequestOrigin } from './request-origin.ts';

/** The failure of a request that was aborted. */
export const CANCELLED: ModelFailure = {
  code: 'cancelled',
  message: 'The request was cancelled.',
  retryable: false,
};

const CONTEXT_TOO_LONG =
  /context[_ -]?(length|window|size)|maximum context|prompt is too long|(input|prompt|request) (is |token count )?(too (long|large)|exceeds)|input[^.]{0,40}exceeds|reduce the length|request_too_large|string too long/i;
const NO_CREDIT = /insufficient_quota|billing|payment|credit balance|insufficient credits/i;
const BAD_KEY =
  /authentication|unauthori[sz]ed|permission|forbidden|unauthenticated|invalid_api_key|(invalid|incorrect|missing|no) api[ _-]?key|api key (not|is in)valid|api key not/i;
const NO_MODEL =
  /model_not_found|(unknown|invalid|no such|unsupported) model|model\b.{0,120}(not found|not exist|does ?n[o']t exist|not available|not supported)/i;
const RATE_LIMITED = /rate[_ ]?limit|resource_exhausted|too[_ ]many[_ ]requests|throttl/i;
const BUSY = /overloaded|unavailable|server_error|internal|api_error|timeout|deadline_exceeded|bad_gateway/i;

/**
 * What a provider's own error means for what is done next. `status` is that of the answer; undefined when the error
 * came inside a stream that had begun well.
 */
export function failureOfProviderError(
  error: ProviderError,
  origin: RequestOrigin,
  answered: { readonly status?: number; readonly retryAfterMs?: number } = {},
): ModelFailure {
  const status = answered.status ?? error.status;
  const code = codeOf(error, status);
  const hasNoCredit = status === 402 || NO_CREDIT.test(`${error.kind} ${error.message}`);
  const retryAfterMs = answered.retryAfterMs ?? error.retryAfterMs;
  return {
    code,
    ...wording(code, { error, origin, status, hasNoCredit }),
    ...(status === undefined ? {} : { statusCode: status }),
    retryable: (code === 'rate_limited' && !hasNoCredit) || code === 'server_error',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function codeOf({ kind, message }: ProviderError, status: number | undefined): ModelErrorCode {
  const text = `${kind} ${message}`;
  const isClientError = status === undefined || (status >= 400 && status < 500 && status !== 429);
  if (status === 413 || ((isClientError || status === 500) && CONTEXT_TOO_LONG.test(text)))
    return 'context_too_long';
  if (status === 429 || status === 402 || RATE_LIMITED.test(kind) || NO_CREDIT.test(kind))
    return 'rate_limited';
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'model_not_found';
  if (status !== undefined && (status >= 500 || status === 408 || status === 425)) return 'server_error';
  if (BAD_KEY.test(kind) || (isClientError && /api[ _-]?key/i.test(message) && BAD_KEY.test(message)))
    return 'unauthorized';
  if (isClientError && NO_MODEL.test(text)) return 'model_not_found';
  if (status === undefined)
    return BUSY.test(kind) || !/invalid_request/.test(kind) ? 'server_error' : 'bad_request';
  return 'bad_request';
}

interface Circumstances {
  readonly error: ProviderError;
  readonly origin: RequestOrigin;
  readonly status: number | undefined;
  readonly hasNoCredit: boolean;
}

function wording(
  code: ModelErrorCode,
  { error, origin, status, hasNoCredit }: Circumstances,
): { readonly message: string; readonly remedy?: string } {
  const { label, model, baseUrl, keyVariable } = origin;
  const said = origin.excerpt(error.message);
  const because = `${status === undefined ? '' : ` (${status})`}${said === '' ? '.' : `: ${said}`}`;
  switch (code) {
    case 'unauthorized':
      return keyVariable === undefined
        ? {
            message: `${baseUrl} wants a key${because}`,
            remedy: 'Name the environment variable that holds it with model.api_key_env.',
          }
        : {
            message: `${baseUrl} refused the key in ${keyVariable}${because}`,
            remedy: `Check the key in ${keyVariable}, and that it may use ${model}.`,
          };
    case 'model_not_found':
      return {
        message: `${baseUrl} does not know the model "${model}"${because}`,
        remedy: `Check the name of the model, and that the base URL is right: it should end in ${origin.pathSuffix}.`,
      };
    case 'rate_limited':
      return hasNoCredit
        ? {
            message: `${label}: no credit is left${because}`,
            remedy: 'Check the quota and the billing of the account.',
          }
        : { message: `${label}: too many requests${because}`, remedy: 'Wait a while, or use another model.' };
    case 'context_too_long':
      return {
        message: `${label}: the conversation is longer than the model can read${because}`,
        remedy: 'Compress it (/compress), begin a new session, or use a model with a larger context window.',
      };
    case 'server_error':
      return { message: `${baseUrl} failed${because}`, remedy: 'Try again later, or use another model.' };
    case 'bad_request':
    case 'bad_response':
    case 'network':
    case 'script_exhausted':
    case 'cancelled':
      return { message: `${baseUrl} refused the request for ${label}${because}` };
  }
}

/**
 * The failure of a request that got no answer, or whose answer broke off. A server that accepts and stays mute is
 * not worth another wait of the same length; everything that may pass is.
 */
export function failureOfTransport(error: unknown, url: string | URL, origin: RequestOrigin): ModelFailure {
  const { code, message } = describeHttpError(error, url);
  const isMute = findTimeout(error)?.phase === 'answer';
  return {
    code: 'network',
    message: `${origin.label}: ${origin.excerpt(message)}`,
    remedy: code === 'reset' || findTimeout(error)?.phase === 'body' ? 'Try again.' : origin.startHint,
    retryable: !isMute && code !== 'tls' && code !== 'other',
  };
}

function findTimeout(error: unknown): HttpTimeoutError | undefined {
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    if (HttpTimeoutError.isInstance(current)) return current;
    current = current.cause;
  }
  return undefined;
}

/** The failure of an answer that is none: a web page, or something else than a stream of events. */
export function failureOfContent(
  contentType: string,
  response: Response,
  origin: RequestOrigin,
): ModelFailure {
  return {
    code: 'bad_response',
    message: `${displayUrl(response.url)} answered ${origin.label} with ${contentType} (${response.status}), not with a stream of events.`,
    remedy: `Is the base URL ${origin.baseUrl} right? It should end in ${origin.pathSuffix}.`,
    statusCode: response.status,
    retryable: false,
  };
}

/** The failure of a stream whose content makes no sense, or that stops before its end. */
export function failureOfStream(what: string, origin: RequestOrigin, retryable: boolean): ModelFailure {
  return {
    code: 'bad_response',
    message: `${origin.baseUrl} ${what} (${origin.label}).`,
    remedy: retryable ? 'Try again.' : `Is the base URL right, and does the server speak this API?`,
    retryable,
  };
}
