import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type InputLine, inputLines } from './input-lines.ts';

const { signal } = new AbortController();

async function linesOf(
  chunks: readonly (string | Uint8Array)[],
  maxBytes = 100,
): Promise<readonly InputLine[]> {
  const stdin = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  const lines: InputLine[] = [];
  for await (const line of inputLines({ stdin, signal }, maxBytes)) lines.push(line);
  return lines;
}

describe('the lines of an input', () => {
  it('are the same however they arrive', async () => {
    const text = 'grün\n\n🙂\u2028x\r\nlast';
    const expected = [{ text: 'grün' }, { text: '' }, { text: '🙂\u2028x\r' }, { text: 'last' }];
    expect(await linesOf([text])).toEqual(expected);
    expect(await linesOf([...Buffer.from(text)].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
    expect(await linesOf([`${text}\n`])).toEqual(expected);
    expect(await linesOf([])).toEqual([]);
  });

  it('are told apart from what is too long or no text, which ends with its line', async () => {
    expect(await linesOf(['123', '456', '\n12345\n', Uint8Array.of(0xff, 0x0a), 'ok'], 5)).toEqual([
      { wrong: 'too_long' },
      { text: '12345' },
      { wrong: 'not_utf8' },
      { text: 'ok' },
    ]);
  });

  it('come before the end of the input, and are left alone when the command is interrupted', async () => {
    const stdin = new PassThrough();
    const controller = new AbortController();
    const lines = inputLines({ stdin, signal: controller.signal }, 100);
    stdin.write('one\ntw');
    expect((await lines.next()).value).toEqual({ text: 'one' });
    const next = lines.next();
    controller.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
  });

  it('end with a failure when the input cannot be read', async () => {
    const stdin = new PassThrough();
    const next = inputLines({ stdin, signal }, 100).next();
    stdin.destroy(new Error('gone'));
    await expect(next).rejects.toThrow('gone');
  });
});
