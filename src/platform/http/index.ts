export { createFetch, type Fetch, type FetchOptions } from './create-fetch.ts';
export { describeHttpError, type HttpErrorCode, type HttpErrorDescription } from './describe-http-error.ts';
export { displayUrl } from './display-url.ts';
export { type HttpPhase, HttpTimeoutError } from './http-timeout-error.ts';
export { type PostOptions, postOnce } from './post-once.ts';
