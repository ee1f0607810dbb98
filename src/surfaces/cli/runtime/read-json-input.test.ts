import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readJsonInput } from './read-json-input.ts';

const { signal } = new AbortController();

async function read(text: string): ReturnType<typeof readJsonInput> {
  return readJsonInput({ stdin: Readable.from([Buffer.from(text)]), signal }, '{"a": 1}');
}

describe('JSON on standard input', () => {
  it('is one document', async () => {
    expect(await read('\uFEFF {"a": [1, "x"]}\n')).toEqual({ ok: true, value: { a: [1, 'x'] } });
    expect(await read(`${'['.repeat(500)}${']'.repeat(500)}`)).toMatchObject({ ok: true });
  });

  it.each([
    ['', 'Standard input is not valid JSON: the text is empty.'],
    ['{"a": 1', 'Standard input is not valid JSON: Expected'],
    ['{"a": 1}\n{"a": 2}', '(line 2 column 1)'],
    [
      `${'['.repeat(501)}${']'.repeat(501)}`,
      'Standard input is not valid JSON: it has more than 500 levels.',
    ],
    [`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`, 'more than 500 levels'],
  ])('that is wrong is refused with what is expected', async (text, message) => {
    expect(await read(text)).toMatchObject({
      ok: false,
      code: 'bad_json',
      message: expect.stringContaining(message),
      remedy: 'Expected on standard input: {"a": 1}',
    });
  });

  it('that a person would have to type is asked for by example', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    expect(await readJsonInput({ stdin, signal }, '{"a": 1}')).toEqual({
      ok: false,
      code: 'no_input',
      message: 'Standard input is a terminal.',
      remedy: 'Expected on standard input: {"a": 1}',
    });
  });
});
