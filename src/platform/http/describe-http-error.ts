import { displayUrl } from './display-url.ts';
import { HttpAddressError } from './http-address-error.ts';
import { HttpRedirectError } from './http-redirect-error.ts';
import { HttpTimeoutError } from './http-timeout-error.ts';

/** What kept a request from being answered. */
export type HttpErrorCode =
  | 'refused'
  | 'unresolved'
  | 'timeout'
  | 'reset'
  | 'tls'
  | 'aborted'
  | 'forbidden'
  | 'other';

export interface HttpErrorDescription {
  readonly code: HttpErrorCode;
  /** One line, naming the address without user name, password and query string. */
  readonly message: string;
}

/** Error codes of Node.js and of its fetch, by what they mean to a person. TLS ones are told by {@link TLS_CODE}. */
const CODES: ReadonlyMap<string, HttpErrorCode> = new Map([
  ['ECONNREFUSED', 'refused'],
  ['EHOSTUNREACH', 'refused'],
  ['ENETUNREACH', 'refused'],
  ['EHOSTDOWN', 'refused'],
  ['ENOTFOUND', 'unresolved'],
  ['EAI_AGAIN', 'unresolved'],
  ['EAI_FAIL', 'unresolved'],
  ['ETIMEDOUT', 'timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
  ['UND_ERR_BODY_TIMEOUT', 'timeout'],
  ['ECONNRESET', 'reset'],
  ['ECONNABORTED', 'reset'],
  ['EPIPE', 'reset'],
  ['UND_ERR_SOCKET', 'reset'],
  ['EPROTO', 'tls'],
]);

const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/;

/** How deep causes are looked into. */
const MAX_DEPTH = 8;

/**
 * Says in one line what went wrong when fetching `url` or reading its answer rejected with `error`. Total: what is
 * not recognised is `other`, with its own message.
 */
export function describeHttpError(error: unknown, url: string | URL): HttpErrorDescription {
  const address = displayUrl(url);
  const chain = causes(error);
  for (const cause of chain) {
    if (HttpTimeoutError.isInstance(cause)) return { code: 'timeout', message: cause.message };
    if (HttpRedirectError.isInstance(cause)) return { code: 'other', message: cause.message };
    if (HttpAddressError.isInstance(cause)) return { code: 'forbidden', message: cause.message };
    if (isTimeout(cause)) return { code: 'timeout', message: `cannot reach ${address} in time` };
    if (isAbort(cause)) return { code: 'aborted', message: `the request to ${address} was cancelled` };
    const code = codeOf(cause);
    const kind = CODES.get(code) ?? (TLS_CODE.test(code) ? 'tls' : undefined);
    if (kind !== undefined) return { code: kind, message: sentence(kind, code, address) };
  }
  const innermost = chain.at(-1);
  return { code: 'other', message: `the request to ${address} failed: ${firstLine(reasonOf(innermost))}` };
}

function sentence(kind: HttpErrorCode, code: string, address: string): string {
  switch (kind) {
    case 'refused':
      return `cannot connect to ${address}: ${code === 'ECONNREFUSED' ? 'connection refused' : 'no way to that host'} (${code})`;
    case 'unresolved':
      return `cannot connect to ${address}: its host name is not found (${code})`;
    case 'timeout':
      return `cannot reach ${address} in time (${code})`;
    case 'reset':
      return `the connection to ${address} was cut (${code})`;
    case 'tls':
      return `no secure connection to ${address}: its certificate or protocol is not accepted (${code})`;
    case 'aborted':
    case 'forbidden':
    case 'other':
      return `the request to ${address} failed (${code})`;
  }
}

/** The error, its causes, and what an aggregate of them holds, outermost first. */
function causes(error: unknown, depth = 0): readonly unknown[] {
  if (!(error instanceof Error) || depth >= MAX_DEPTH) return [error];
  const inner: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  const direct = error.cause === undefined ? [] : [error.cause];
  return [error, ...[...direct, ...inner].flatMap((cause) => causes(cause, depth + 1))];
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || codeOf(error) === 'ABORT_ERR');
}

/** Not everything that is thrown can be made a text of. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  return typeof thrown === 'string' ? thrown : `a value of type ${typeof thrown} was thrown`;
}

/** What `AbortSignal.timeout` aborts with. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
