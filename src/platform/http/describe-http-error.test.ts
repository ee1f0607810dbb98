import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeHttpError, displayUrl } from './index.ts';

const withCode = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('inner'), { code }) });

describe('describeHttpError', () => {
  it.each([
    ['ECONNREFUSED', 'refused'],
    ['EHOSTUNREACH', 'refused'],
    ['ENOTFOUND', 'unresolved'],
    ['EAI_AGAIN', 'unresolved'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['ETIMEDOUT', 'timeout'],
    ['ECONNRESET', 'reset'],
    ['UND_ERR_SOCKET', 'reset'],
    ['EPIPE', 'reset'],
    ['CERT_HAS_EXPIRED', 'tls'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
    ['EPROTO', 'tls'],
    ['ABORT_ERR', 'aborted'],
    ['ESOMETHING', 'other'],
  ])('knows %s as %s', (code, expected) => {
    expect(describeHttpError(withCode(code), 'http://host/').code).toBe(expected);
  });

  it('looks into the attempts at each address of a host', () => {
    const attempts = ['::1', '127.0.0.1'].map((host) =>
      Object.assign(new Error(host), { code: 'ECONNREFUSED' }),
    );
    const error = new TypeError('fetch failed', { cause: new AggregateError(attempts, '') });
    expect(describeHttpError(error, 'http://localhost:1/').code).toBe('refused');
  });

  it('knows what abort signals abort with', () => {
    expect(describeHttpError(new DOMException('x', 'AbortError'), 'http://host/').code).toBe('aborted');
    expect(describeHttpError(new DOMException('x', 'TimeoutError'), 'http://host/').code).toBe('timeout');
  });

  it('survives a cause that is its own cause', () => {
    const error = new Error('round');
    error.cause = error;
    expect(describeHttpError(error, 'http://host/')).toEqual({
      code: 'other',
      message: 'the request to http://host/ failed: round',
    });
  });

  it('never shows the secrets of an address, in one line, whatever was thrown', () => {
    const url = 'https://user:hunter2@host:8443/path?api_key=sesame#sesame';
    fc.assert(
      fc.property(
        fc.anything({ withNullPrototype: true }),
        fc.constantFrom('ECONNREFUSED', 'EPROTO', 'ECONNRESET', 'ENOTFOUND', 'x'),
        (thrown, code) => {
          for (const error of [withCode(code), thrown]) {
            const { message } = describeHttpError(error, url);
            expect(message).toContain('https://host:8443/path');
            expect(message).not.toMatch(/hunter2|sesame|\n/);
          }
        },
      ),
    );
  });
});

describe('displayUrl', () => {
  it.each([
    ['http://u:p@h:1/a/b?x=1#f', 'http://h:1/a/b'],
    ['https://h', 'https://h/'],
    ['no url ?key=1', 'no url '],
    ['//u:p@h/x?y', '//h/x'],
  ])('shows %s as %s', (given, shown) => {
    expect(displayUrl(given)).toBe(shown);
  });
});
