import { getOwn, getString, isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json/index.ts';
import { listIn } from './json-list.ts';

/** What a provider says about a request that failed, whatever form its API gives it. */
export interface ProviderError {
  readonly message: string;
  /** Types, codes and status names it gives, in lower case, separated by spaces. */
  readonly kind: string;
  /** An HTTP status it names in the text. */
  readonly status?: number;
  readonly retryAfterMs?: number;
}

/**
 * Finds the error in an answer. Forms: OpenAI `{error: {message, type, code}}`, Anthropic `{type: "error", error:
 * {type, message}}`, Google `{error: {code, message, status, details}}` (also in an array), and `{error: "…"}`,
 * `{message: "…"}`, `{detail: "…"}` of smaller servers. Undefined when there is none.
 */
export function findProviderError(answer: JsonValue): ProviderError | undefined {
  const [first] = listIn(answer) ?? [];
  if (first !== undefined) return findProviderError(first);
  if (!isJsonObject(answer)) return undefined;
  const error = getOwn(answer, 'error');
  if (isJsonObject(error)) return readErrorObject(error);
  if (typeof error === 'string') return { message: error, kind: kindOf(answer) };
  const nested = getOwn(answer, 'response');
  if (isJsonObject(nested) && isJsonObject(getOwn(nested, 'error'))) return findProviderError(nested);
  const message = getString(answer, 'message') ?? detailOf(answer);
  return message === undefined ? undefined : readErrorObject({ ...answer, message });
}

function readErrorObject(error: JsonObject): ProviderError {
  const message = getString(error, 'message') ?? JSON.stringify(error);
  const status = [getOwn(error, 'code'), getOwn(error, 'status'), getOwn(error, 'statusCode')]
    .map(Number)
    .find((number) => Number.isInteger(number) && number >= 400 && number <= 599);
  const retryAfterMs = retryDelayOf(error);
  return {
    message,
    kind: kindOf(error),
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function kindOf(error: JsonObject): string {
  return ['type', 'code', 'status']
    .map((key) => getString(error, key) ?? '')
    .filter((text) => text !== '')
    .join(' ')
    .toLowerCase();
}

/** FastAPI: `detail` is a text, or a list of `{msg}`. */
function detailOf(answer: JsonObject): string | undefined {
  const detail = getOwn(answer, 'detail');
  if (typeof detail === 'string') return detail;
  const first = listIn(detail)?.[0];
  return isJsonObject(first) ? getString(first, 'msg') : undefined;
}

/** google.rpc.RetryInfo: `details: [{retryDelay: "34s"}]`. */
function retryDelayOf(error: JsonObject): number | undefined {
  for (const detail of listIn(getOwn(error, 'details')) ?? []) {
    const delay = isJsonObject(detail) ? getString(detail, 'retryDelay') : undefined;
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delay ?? '')?.[1];
    if (seconds !== undefined) return Math.round(Number(seconds) * 1000);
  }
  return undefined;
}
