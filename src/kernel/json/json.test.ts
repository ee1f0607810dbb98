import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  fingerprint,
  frozenCopy,
  getOwn,
  isCostlySchema,
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

  it.each([
    ['100,000 levels', '['.repeat(100_000) + ']'.repeat(100_000), 'more than 500 levels'],
    ['a number that would become Infinity', '{"timeout":1e999}', 'too large'],
  ])('refuses %s', (_, text, expected) => {
    const parsed = parseJson(text);
    expect(parsed.ok).toBe(false);
    if (!parsed.ok) expect(parsed.message).toContain(expected);
  });

  it('takes 500 levels', () => {
    const parsed = parseJson('['.repeat(500) + ']'.repeat(500));
    expect(parsed.ok && fingerprint(parsed.value)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('takes the last of two members with the same name', () => {
    expect(parseJson('{"command":"ls","command":"rm"}')).toEqual({ ok: true, value: { command: 'rm' } });
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

  it('ends on what is too deep', () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(JSON.stringify(toJsonValue(deep))).toContain('[too deep]');
  });

  it('asks toJSON, and does not throw for what throws', () => {
    const value = {
      day: new Date(0),
      url: new URL('http://h/'),
      self: { toJSON: (): unknown => ({ a: 1 }) },
      broken: {
        get x(): never {
          throw new Error('no');
        },
      },
    };
    expect(toJsonValue(value)).toEqual({
      day: '1970-01-01T00:00:00.000Z',
      url: 'http://h/',
      self: { a: 1 },
      broken: '[unreadable]',
    });
  });

  it('turns what JSON cannot carry into what it can', () => {
    expect(toJsonValue({ n: Number.NaN, b: 1n, f: () => 1, u: undefined, l: [undefined] })).toEqual({
      n: null,
      b: '1',
      l: [null],
    });
  });
});

describe('frozenCopy', () => {
  it('is equal to the value, and nobody can change it at any depth', () => {
    fc.assert(
      fc.property(json, (value) => {
        const copy = frozenCopy(value);
        expect(copy).toEqual({ ok: true, value });
        if (copy.ok) expect(isFrozenThroughout(copy.value)).toBe(true);
      }),
    );
  });

  it('does not change with what it was made of', () => {
    const value = { list: [{ a: 1 }], text: 'x' };
    const copy = frozenCopy(value);
    value.list.push({ a: 2 });
    value.text = 'y';
    expect(copy).toEqual({ ok: true, value: { list: [{ a: 1 }], text: 'x' } });
  });

  it('keeps __proto__ an ordinary key', () => {
    const parsed = parseJson('{"__proto__":{"a":1}}');
    const copy = parsed.ok ? frozenCopy(parsed.value) : parsed;
    expect(copy.ok && Object.keys(copy.value ?? {})).toEqual(['__proto__']);
  });

  it.each<[string, () => unknown, string]>([
    ['what contains itself', circular, 'levels'],
    ['infinity', () => ({ n: Number.POSITIVE_INFINITY }), 'too large'],
    ['a function', () => [() => 1], 'function'],
  ])('refuses %s', (_, make, expected) => {
    const copy = frozenCopy(make() as JsonObject);
    expect(copy.ok).toBe(false);
    if (!copy.ok) expect(copy.message).toContain(expected);
  });
});

function circular(): unknown {
  const value: unknown[] = [];
  value.push(value, value);
  return value;
}

function isFrozenThroughout(value: unknown): boolean {
  return (
    typeof value !== 'object' ||
    value === null ||
    (Object.isFrozen(value) && Object.values(value).every(isFrozenThroughout))
  );
}

describe('isCostlySchema', () => {
  it.each<[JsonObject, boolean]>([
    [{ type: 'object', properties: { a: { type: 'string', enum: ['x'] } }, required: ['a'] }, false],
    [{ type: 'object', properties: { pattern: { type: 'string' }, format: { type: 'string' } } }, false],
    [{ properties: { a: { items: { pattern: '(a+)+$' } } } }, true],
    [{ properties: { a: { format: 'url' } } }, true],
    [{ patternProperties: { '(a+)+$': {} } }, true],
    [{ $defs: { a: {} }, items: [{ $ref: '#/$defs/a' }] }, true],
    [{ properties: { a: { uniqueItems: true } } }, true],
    [{ allOf: [{}] }, true],
  ])('of %j is %j', (schema, expected) => {
    expect(isCostlySchema(schema)).toBe(expected);
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

  it('quotes no more of a schema than fits on a line or two', () => {
    const choices = Array.from({ length: 10_000 }, (_, index) => `choice ${String(index)}`);
    const [problem] = validateJson({ properties: { a: { enum: choices } } }, { a: 1 }, 'args');
    expect(problem?.message.length).toBeLessThanOrEqual(300);
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
