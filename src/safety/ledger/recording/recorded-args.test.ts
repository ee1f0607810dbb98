import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, toJsonValue } from '../../../kernel/json/index.ts';
import { createRedactor } from '../../../kernel/redact/index.ts';
import { isRecorded } from '../../../kernel/tool-call/index.ts';
import { graceOf } from './grace-of.ts';
import { MAX_ARGS_CHARS, recordedArgs } from './recorded-args.ts';
import { blockedStatus, errorStatus, MAX_RESULT_CHARS, resultDigest } from './result-digest.ts';

const redactor = createRedactor();

function record(args: JsonObject, effect: 'write' | 'external' = 'external'): string {
  return recordedArgs({ args, effect }, redactor);
}

describe('recordedArgs', () => {
  it('keeps small arguments as they are', () => {
    expect(record({ command: 'ls -l', n: 1, list: [true, null] })).toBe(
      '{"command":"ls -l","n":1,"list":[true,null]}',
    );
  });

  it('are JSON of at most 4,000 characters, whatever they were, and the same every time', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary', maxLength: 300 }), fc.jsonValue({ maxDepth: 20 }), {
          maxKeys: 200,
        }),
        (given) => {
          const value = toJsonValue(given);
          if (!isJsonObject(value)) return;
          const text = record(value);
          expect(text.length).toBeLessThanOrEqual(MAX_ARGS_CHARS);
          expect(JSON.parse(text)).toBeTypeOf('object');
          expect(text.isWellFormed()).toBe(true);
          expect(record(value)).toBe(text);
        },
      ),
    );
  });

  it.each([
    ['five megabytes of one letter', { text: 'a'.repeat(5_000_000) }],
    [
      'a thousand keys',
      Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${String(index)}`, 'v'.repeat(50)])),
    ],
    ['a deep nest', Array.from({ length: 400 }).reduce<JsonObject>((inner) => ({ a: inner }), { end: 1 })],
    ['NUL and lone surrogates', { a: 'x\0y', b: '\ud800', '\udc00': 1 }],
    ['a long list', { list: Array.from({ length: 100_000 }, (_, index) => index) }],
  ])('can take %s', (_, args) => {
    const text = record(args);
    expect(text.length).toBeLessThanOrEqual(MAX_ARGS_CHARS);
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  it('say how much is missing', () => {
    const { text } = JSON.parse(record({ text: 'a'.repeat(10_000) })) as { text: string };
    expect(text).toMatch(/^a+…\+\d+$/);
    expect(text.indexOf('…') + Number(/\+(\d+)$/.exec(text)?.[1])).toBe(10_000);
  });

  it('keep of the content of a file its size, its hash and its beginning, without secrets', () => {
    const content = `DB_PASSWORD=hunter2-hunter2\n${'x'.repeat(5000)}`;
    const { path, content: kept } = JSON.parse(record({ path: '.env', content }, 'write')) as {
      path: string;
      content: { bytes: number; sha256: string; start: string };
    };
    expect([path, kept.bytes]).toEqual(['.env', content.length]);
    expect(kept.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(kept.start.length).toBeLessThanOrEqual(200);
    expect(JSON.stringify(kept)).not.toContain('hunter2');
  });

  it.each([
    { command: "curl -H 'Authorization: Bearer sk-CANARY7f3a-1aaaaaaaaaaaaaaaaaaaaa' https://api.one.test" },
    { command: 'cat > .env <<EOF\nSTRIPE_KEY=CANARY7f3a-live-3333333333\nEOF' },
    { command: `${'x'.repeat(3990)} ghp_CANARY7f3aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa` },
    { headers: { Authorization: 'Basic Q0FOQVJZN2YzYTpwYXNz', Cookie: 'sid=CANARY7f3a' } },
    { command: 'export OPENAI_API_KEY=sk-CANARY7f3a-2bbbbbbbbbbbbbbbbbbb && run' },
  ])('hold no secret: %j', (args) => {
    expect(record(args)).not.toContain('CANARY7f3a');
  });
});

describe('what else is recorded', () => {
  it('of a result is at most 300 characters, without secrets', () => {
    expect(resultDigest('a'.repeat(1000), redactor).length).toBeLessThanOrEqual(MAX_RESULT_CHARS);
    expect(resultDigest('token=ghp_abcdefghijklmnopqrstuvwxyz0123456789', redactor)).not.toContain(
      'abcdefghij',
    );
  });

  it('as a status needs no quoting', () => {
    expect([errorStatus(undefined), errorStatus("x'; DROP"), blockedStatus(' a \n b ')]).toEqual([
      'ERROR:error',
      'ERROR:x_DROP',
      'BLOCKED:a b',
    ]);
  });

  it.each([
    ['read_file', 'none', false],
    ['terminal', 'none', true],
    ['mcp__x__read', 'none', true],
    ['todo', 'none', false],
    ['write_file', 'write', true],
    ['anything', 'external', true],
  ] as const)('%s with effect %s: %s', (tool, effect, recorded) => {
    expect(isRecorded({ tool, effect })).toBe(recorded);
  });

  it('has its grace by tool, and by the configuration', () => {
    const byTool = new Map([['cronjob', 5]]);
    expect(['cronjob', 'terminal', 'delegate_task', 'x'].map((tool) => graceOf(tool, { byTool }))).toEqual([
      5000, 900_000, 1_800_000, 120_000,
    ]);
    expect(graceOf('x', { byTool, graceSeconds: 7 })).toBe(7000);
  });
});
