import { isUtf8 } from 'node:buffer';
import type { VerbContext } from '../verb.ts';

/** A line of the input, without its end; `wrong` says why its text cannot be known. */
export type InputLine = { readonly text: string } | { readonly wrong: 'too_long' | 'not_utf8' };

const LINE_FEED = 0x0a;

/**
 * The lines on standard input, each as soon as it is there; a last one needs no end. No more than `maxBytes` of a line are kept.
 * Rejects when the input cannot be read, and with the reason of `signal` once that is aborted.
 */
export async function* inputLines(
  { stdin, signal }: Pick<VerbContext, 'stdin' | 'signal'>,
  maxBytes: number,
): AsyncGenerator<InputLine> {
  let parts: Buffer[] = [];
  let size = 0;
  const keep = (bytes: Buffer): void => {
    if (size <= maxBytes) parts.push(bytes);
    size += bytes.length;
  };
  const finish = (): InputLine => {
    const line = size > maxBytes ? ({ wrong: 'too_long' } as const) : lineOf(Buffer.concat(parts));
    [parts, size] = [[], 0];
    return line;
  };
  for await (const chunk of chunksOf(stdin, signal)) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      yield finish();
    }
    keep(chunk.subarray(start));
  }
  if (size > 0) yield finish();
}

function lineOf(bytes: Buffer): InputLine {
  return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { wrong: 'not_utf8' };
}

async function* chunksOf(stdin: VerbContext['stdin'], signal: AbortSignal): AsyncGenerator<Buffer> {
  const chunks = stdin[Symbol.asyncIterator]();
  const aborted = new Promise<'aborted'>((resolve) => {
    if (signal.aborted) resolve('aborted');
    else signal.addEventListener('abort', () => resolve('aborted'), { once: true });
  });
  for (;;) {
    const next = await Promise.race([aborted, chunks.next()]);
    if (next === 'aborted') {
      // Whoever writes to us may never stop.
      stdin.pause();
      throw signal.reason;
    }
    if (next.done === true) return;
    yield typeof next.value === 'string' ? Buffer.from(next.value) : next.value;
  }
}
