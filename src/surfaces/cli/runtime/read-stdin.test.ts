import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readStdin } from './read-stdin.ts';

const { signal } = new AbortController();

function inputOf(...chunks: readonly (string | Uint8Array)[]): Readable {
  return Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
}

describe('standard input', () => {
  it('is read to its end, characters that are cut in two by a chunk included', async () => {
    const bytes = Buffer.from('grün 🙂\n');
    const pieces = [...bytes].map((byte) => Uint8Array.of(byte));
    expect(await readStdin({ stdin: inputOf(...pieces), signal }, 100)).toEqual({
      ok: true,
      value: 'grün 🙂\n',
    });
    expect(await readStdin({ stdin: inputOf(), signal }, 100)).toEqual({ ok: true, value: '' });
  });

  it('may be as long as allowed and not longer', async () => {
    expect(await readStdin({ stdin: inputOf('12345'), signal }, 5)).toEqual({ ok: true, value: '12345' });
    const stdin = inputOf('123', '456', '789');
    expect(await readStdin({ stdin, signal }, 5)).toEqual({
      ok: false,
      code: 'input_too_large',
      message: 'Standard input holds more than 5 B.',
      remedy: 'Send less.',
    });
    expect(stdin.isPaused()).toBe(true);
  });

  it('is refused when it is not UTF-8', async () => {
    const stdin = inputOf(Uint8Array.of(0x22, 0xff, 0x22));
    expect(await readStdin({ stdin, signal }, 100)).toMatchObject({ ok: false, code: 'bad_input' });
  });

  it('is not waited for when it is a terminal', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    expect(await readStdin({ stdin, signal }, 100)).toMatchObject({ ok: false, code: 'no_input' });
  });

  it('that cannot be read is a failure that says why', async () => {
    const stdin = new PassThrough();
    const read = readStdin({ stdin, signal }, 100);
    stdin.destroy(Object.assign(new Error('EISDIR: illegal operation'), { code: 'EISDIR' }));
    expect(await read).toMatchObject({ ok: false, message: 'Standard input cannot be read: EISDIR.' });
  });

  it('is left alone at once when the command is interrupted', async () => {
    const stdin = new PassThrough();
    const controller = new AbortController();
    const read = readStdin({ stdin, signal: controller.signal }, 100);
    stdin.write('{"to');
    controller.abort(new Error('enough'));
    await expect(read).rejects.toThrow('enough');
    expect([stdin.isPaused(), stdin.listenerCount('data'), stdin.listenerCount('error')]).toEqual([
      true,
      0,
      0,
    ]);
    await expect(readStdin({ stdin, signal: controller.signal }, 100)).rejects.toThrow('enough');
  });
});
