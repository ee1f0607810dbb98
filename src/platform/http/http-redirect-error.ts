import { displayUrl } from './display-url.ts';

const BRAND = Symbol.for('herma.http-redirect');

/** A redirect that is not followed. The message says from where to where, and why not. */
export class HttpRedirectError extends Error {
  readonly [BRAND] = true;

  constructor(from: URL, to: string | URL, reason: string) {
    super(`${displayUrl(from)} redirects to ${displayUrl(to)}, which is not followed: ${reason}`);
    this.name = 'HttpRedirectError';
  }

  /** True for errors of this class from any copy of the package. */
  static isInstance(value: unknown): value is HttpRedirectError {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}
