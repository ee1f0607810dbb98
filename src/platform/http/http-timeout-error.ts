import { displayUrl } from './display-url.ts';

const BRAND = Symbol.for('herma.http-timeout');

/** What was waited for in vain: the head of the answer, or more of its body. */
export type HttpPhase = 'answer' | 'body';

/** The server took longer than {@link FetchOptions} allow. Fetching, or reading the body, rejects with it. */
export class HttpTimeoutError extends Error {
  readonly [BRAND] = true;
  readonly phase: HttpPhase;

  constructor(phase: HttpPhase, url: string | URL, limitMs: number) {
    const limit = `${limitMs / 1000} s`;
    super(
      phase === 'answer'
        ? `no answer from ${displayUrl(url)} within ${limit}`
        : `the answer of ${displayUrl(url)} stopped coming: nothing for ${limit}`,
    );
    this.name = 'HttpTimeoutError';
    this.phase = phase;
  }

  /** True for errors of this class from any copy of the package. */
  static isInstance(value: unknown): value is HttpTimeoutError {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}
