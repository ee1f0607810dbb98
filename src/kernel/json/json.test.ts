import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  fingerprint,
  getOwn,
  type JsonObject,
  parseJson,
  toJsonValue,
  validateJson,
} from './index.ts';

const json = fc.jsonValue().map((value) => toJsonValue(value));

describe('parseJson', () => {
  it.each([
    ['', 'the text is empty'],
    [' \n', 'the text is empty'],
    ['{"a":1', 'Expected'],
    ['{a:1}', 'line 1, column 2'],
    ['{\n  "a": "\\q"\n}', 'line 2, column 10'],
    ['{\n  "a": oops\n}', "Unexpected token 'o'"],
  ])('%j is refused with its place', (text, expected) => {
    const parsed = parseJson(text);
    expect(parsed.ok).toBe(false);
    if (!parsed.ok) expect(parsed.message).toContain(expected);
  });

  it('reads text behind a byte-order mark', () => {
    expect(parseJson('\uFEFF{"a":1}')).toEqual({ ok: true, value: { a: 1 } });
  });

  it('keeps __proto__ an ordinary key and pollutes nothing', () => {
    const parsed = parseJson('{"__proto__":{"polluted":true}}');
    expect(parsed.ok && Object.keys(parsed.value ?? {})).toEqual(['__proto__']);
    expect(getOwn<unknown>({}, 'polluted')).toBeUndefined();
  });

  it('reads back whatever canonicalJson writes', () => {
    fc.assert(
      fc.property(json, (value) => {
        const parsed = parseJson(canonicalJson(value));
        expect(parsed.ok && canonicalJson(parsed.value)).toBe(canonicalJson(value));
      }),
    );
  });
});

describe('canonicalJson', () => {
  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).toReversed());
        expect(canonicalJson(reversed)).toBe(canonicalJson(object));
      }),
    );
  });

  it('tells different values apart', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        if (canonicalJson(a) === canonicalJson(b))
          expect(JSON.stringify(b).length).toBe(JSON.stringify(a).length);
        else expect(fingerprint(a)).not.toBe(fingerprint(b));
      }),
    );
  });

  it('writes lone surrogates as escapes, and tells them apart', () => {
    expect(canonicalJson({ '\ud800': 'x\udfff' })).toBe('{"\\ud800":"x\\udfff"}');
    expect(fingerprint('\udc80')).not.toBe(fingerprint('\udc81'));
    expect(fingerprint('\udc80')).not.toBe(fingerprint('\uFFFD'));
  });
});

describe('getOwn', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    '%s is absent from an empty object',
    (key) => {
      expect(getOwn<unknown>({}, key)).toBeUndefined();
    },
  );
});

describe('toJsonValue', () => {
  it('ends on a cycle', () => {
    const value: Record<string, unknown> = { a: 1 };
    value['self'] = value;
    expect(toJsonValue(value)).toEqual({ a: 1, self: '[circular]' });
  });

  it('turns what JSON cannot carry into what it can', () => {
    expect(toJsonValue({ n: Number.NaN, b: 1n, f: () => 1, u: undefined, l: [undefined] })).toEqual({
      n: null,
      b: '1',
      l: [null],
    });
  });
});

describe('validateJson', () => {
  const schema = {
    type: 'object',
    properties: {
      path: { type: 'string' },
      limit: { type: 'integer', minimum: 1 },
      items: {
        type: 'array',
        items: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      },
    },
    required: ['path'],
    additionalProperties: false,
  };

  it.each<[JsonObject, string, string]>([
    [{}, 'args', 'lacks "path"'],
    [{ path: 5 }, 'args.path', 'must be string, not number'],
    [{ path: 'a', limit: 1.5 }, 'args.limit', 'must be integer, not number'],
    [{ path: 'a', colour: 1 }, 'args.colour', 'is not known'],
    [{ path: 'a', items: [{ id: 'x' }, {}] }, 'args.items.1', 'lacks "id"'],
  ])('%j is refused at %s', (value, path, message) => {
    expect(validateJson(schema, value, 'args')).toContainEqual({ path, message });
  });

  it('accepts what fits', () => {
    expect(validateJson(schema, { path: 'a', limit: 3, items: [{ id: 'x' }] }, 'args')).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['a reference that leads nowhere', { properties: { a: { $ref: '#/nowhere' } } }],
    ['a pattern that is no expression', { properties: { a: { pattern: '(' } } }],
  ])('takes nothing as fitting a schema with %s', (_, broken) => {
    const problems = validateJson(broken, { a: 'x' }, 'args');
    expect(problems[0]?.message).toContain('its schema is broken');
  });
});
