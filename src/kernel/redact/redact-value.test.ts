import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonValue, parseJson } from '../json/index.ts';
import { createRedactor, redact } from './index.ts';

const keyed = createRedactor({ key: new Uint8Array(32), extraSecrets: ['known words'] });

/** What stays the same: keys, order, lengths, and everything that is neither text nor a number. */
function shape(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(shape);
  if (isJsonObject(value)) return Object.entries(value).map(([key, item]) => [key, shape(item)]);
  return typeof value === 'string' || typeof value === 'number' ? 'leaf' : value;
}

describe('value', () => {
  it('redacts by name at any depth and keeps the scheme of an authorization', () => {
    const given = {
      a: [{ headers: { Authorization: 'Bearer abc', 'X-Api-Key': 'k' } }, { token: 't', n: 1 }],
    };
    expect(redact.value(given)).toEqual({
      a: [
        {
          headers: {
            Authorization: 'Bearer [redacted authorization len=3]',
            'X-Api-Key': '[redacted api_key len=1]',
          },
        },
        { token: '[redacted token len=1]', n: 1 },
      ],
    });
  });

  it('redacts everything under a name that holds secrets', () => {
    expect(
      redact.value({ secrets: { a: 'x', b: ['y', { c: 'z' }] }, cookies: [{ name: 'sid', value: 'abc' }] }),
    ).toEqual({
      secrets: {
        a: '[redacted secret len=1]',
        b: ['[redacted secret len=1]', { c: '[redacted secret len=1]' }],
      },
      cookies: [{ name: '[redacted cookie len=3]', value: '[redacted cookie len=3]' }],
    });
  });

  it('leaves schemas, counts, flags, references and entries of lock files alone', () => {
    const given = {
      properties: { token: { type: 'string', description: 'The token to parse' } },
      max_tokens: 4096,
      token_count: '12',
      tokens: ['a', 'b'],
      private: true,
      token: null,
      password: false,
      secretary: 'Bob',
      api_key: '${API_KEY}',
      cookie: { version: '0.6.0', resolved: 'https://registry.npmjs.org/cookie' },
      auth: 'jwt',
      pwd: '/work/x',
    };
    expect(redact.value(given)).toEqual(given);
  });

  it('redacts the next element of an argument list after a flag, and glued options', () => {
    expect(redact.value(['deploy', '--token', 'abc', '--password=x', '--verbose'])).toEqual([
      'deploy',
      '--token',
      '[redacted token len=3]',
      '--password=[redacted password len=1]',
      '--verbose',
    ]);
    expect(redact.value(['/usr/bin/mysql', '-uroot', '-pabc', 'db'])).toEqual([
      '/usr/bin/mysql',
      '-uroot',
      '-p[redacted password len=3]',
      'db',
    ]);
    expect(redact.value(['curl', '-u', 'bob:hunter2'])).toEqual([
      'curl',
      '-u',
      'bob:[redacted password len=7]',
    ]);
    expect(redact.value(['--token', '--verbose', '--token', '-v'])).toEqual([
      '--token',
      '--verbose',
      '--token',
      '-v',
    ]);
    expect(redact.value(['--token', '-a7q'])).toEqual(['--token', '[redacted token len=4]']);
    expect(redact.value(['grep', 'password', 'src/a.ts'])).toEqual(['grep', 'password', 'src/a.ts']);
    expect(redact.value(['password', 'username'])).toEqual(['password', 'username']);
  });

  it('redacts the value beside a telling name', () => {
    expect(
      redact.value([
        { name: 'API_KEY', value: 'abc' },
        ['X-Api-Key', 'abc1'],
        { name: 'PATH', value: '/bin' },
      ]),
    ).toEqual([
      { name: 'API_KEY', value: '[redacted api_key len=3]' },
      ['X-Api-Key', '[redacted api_key len=4]'],
      { name: 'PATH', value: '/bin' },
    ]);
  });

  it('redacts numbers only under the name of a password', () => {
    expect(redact.value({ password: 12345678, token: 12345678, pass: 12, port: 5432 })).toEqual({
      password: '[redacted password len=8]',
      token: 12345678,
      pass: 12,
      port: 5432,
    });
  });

  it('keeps __proto__ and constructor as ordinary keys', () => {
    const parsed = parseJson('{"__proto__":{"token":"abc"},"constructor":{"password":"x"}}');
    const redacted = parsed.ok ? redact.value(parsed.value) : null;
    expect(JSON.stringify(redacted)).toBe(
      '{"__proto__":{"token":"[redacted token len=3]"},"constructor":{"password":"[redacted password len=1]"}}',
    );
    expect(Object.getPrototypeOf(redacted)).toBe(Object.prototype);
  });

  it('redacts keys that are secrets and keeps both of two that read the same afterwards', () => {
    const given = { ghp_0123456789abcdefghij: 1, ghp_9876543210abcdefghij: 2 };
    expect(redact.value(given)).toEqual({ '[redacted token len=24]': 1, '[redacted token len=24] (2)': 2 });
  });

  it('does not change what it is given, and returns scalars as they are', () => {
    const given = Object.freeze({ token: 'abc', list: Object.freeze(['--token', 'abc']) });
    redact.value(given);
    expect(given).toEqual({ token: 'abc', list: ['--token', 'abc'] });
    for (const scalar of [null, true, 0, -1.5, '', 'plain']) expect(redact.value(scalar)).toBe(scalar);
  });

  it('goes as deep as the value does', () => {
    let deep: JsonValue = { token: 'abc' };
    for (let depth = 0; depth < 100_000; depth += 1) deep = depth % 2 === 0 ? [deep] : { deep };
    let inner: JsonValue = redact.value(deep);
    while (typeof inner === 'object' && inner !== null && !Object.hasOwn(inner, 'token'))
      inner = Object.values(inner)[0] ?? null;
    expect(inner).toEqual({ token: '[redacted token len=3]' });
  });

  it('takes huge arrays', () => {
    const given = Array.from({ length: 200_000 }, (_, index) => (index % 2 === 0 ? 'docker' : '--token'));
    expect(redact.value(given)).toHaveLength(200_000);
  });

  it('redacting twice changes nothing, and the shape stays', () => {
    const keys = fc.oneof(
      fc.constantFrom('token', 'password', 'auth', 'name', 'value', '__proto__', 'type', 'secrets'),
      fc.string(),
    );
    const leaves = fc.oneof(
      fc.constantFrom<JsonValue>(
        'Bearer abc',
        'hunter2',
        '--token',
        'mysql',
        '-pabc',
        'known words',
        12345,
        true,
        null,
      ),
      fc.string({ unit: 'binary' }),
    );
    const { value: values } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        leaves,
        fc.array(tie('value'), { maxLength: 5 }),
        fc
          .array(fc.tuple(keys, tie('value')), { maxLength: 5 })
          .map((entries) => Object.fromEntries(entries)),
      ),
    }));
    fc.assert(
      fc.property(values, (value) => {
        const once = keyed.value(value);
        expect(shape(once)).toEqual(shape(value));
        expect(keyed.value(once)).toEqual(once);
      }),
      { numRuns: 3000 },
    );
  });

  it('a secret is gone from wherever it was put', () => {
    const path = fc.array(fc.oneof(fc.nat({ max: 3 }), fc.constantFrom('a', 'b', '__proto__', 'body')), {
      maxLength: 8,
    });
    const wrap = (steps: readonly (string | number)[], leaf: JsonValue): JsonValue =>
      steps.reduceRight<JsonValue>(
        (inner, step) =>
          typeof step === 'number'
            ? [...Array.from({ length: step }, () => 'x'), inner]
            : Object.fromEntries([[step, inner]]),
        leaf,
      );
    const leaf = fc.constantFrom<JsonValue>(
      { api_key: 'Zq7-planted' },
      'api_key=Zq7-planted',
      '{"api_key":"Zq7-planted"}',
      { 'password=Zq7-planted': 1 },
      ['--api-key', 'Zq7-planted'],
      'see known words Zq7'.slice(0, 15),
    );
    fc.assert(
      fc.property(path, leaf, (steps, planted) => {
        expect(JSON.stringify(keyed.value(wrap(steps, planted)))).not.toMatch(/Zq7|known words/);
      }),
    );
  });
});
