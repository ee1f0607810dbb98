import { isUtf8 } from 'node:buffer';
import { type Failure, fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { byteSize } from '../output/byte-size.ts';
import type { VerbContext } from '../verb.ts';

/**
 * Everything on standard input, as text. Fails when it is a terminal, holds more than `maxBytes`, is not UTF-8, or cannot be
 * read. Rejects with the reason of `signal` once that is aborted: whoever writes to us may never stop.
 */
export async function readStdin(
  { stdin, signal }: Pick<VerbContext, 'stdin' | 'signal'>,
  maxBytes: number,
): Promise<Result<string>> {
  if (stdin.isTTY === true)
    return fail('no_input', 'Standard input is a terminal.', 'Pipe the input into the command.');
  const read = await collect(stdin, maxBytes, signal);
  if (!read.ok) return read;
  if (isUtf8(read.value)) return succeed(read.value.toString('utf8'));
  return fail('bad_input', 'Standard input is not valid UTF-8.', 'Send text in UTF-8.');
}

async function collect(
  stdin: VerbContext['stdin'],
  maxBytes: number,
  signal: AbortSignal,
): Promise<Result<Buffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void): void => {
      for (const [event, listener] of listeners) stdin.off(event, listener);
      signal.removeEventListener('abort', onAbort);
      // What is left in the pipe must not keep the process alive.
      stdin.pause();
      settle();
    };
    const onAbort = (): void => finish(() => reject(reasonOf(signal)));
    const onData = (chunk: string | Buffer): void => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      size += bytes.length;
      if (size > maxBytes) finish(() => resolve(tooLarge(maxBytes)));
      else chunks.push(bytes);
    };
    const onEnd = (): void => finish(() => resolve(succeed(Buffer.concat(chunks))));
    const onError = (error: Error): void => finish(() => resolve(unreadable(error)));
    const listeners = [
      ['data', onData],
      ['end', onEnd],
      ['close', onEnd],
      ['error', onError],
    ] as const;
    if (signal.aborted) return reject(reasonOf(signal));
    signal.addEventListener('abort', onAbort);
    for (const [event, listener] of listeners) stdin.on(event, listener);
  });
}

function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error(String(reason));
}

function tooLarge(maxBytes: number): Failure {
  return fail('input_too_large', `Standard input holds more than ${byteSize(maxBytes)}.`, 'Send less.');
}

function unreadable(error: Error & { readonly code?: string }): Failure {
  return fail(
    'unreadable_input',
    `Standard input cannot be read: ${error.code ?? error.message}.`,
    'Pipe the input into the command.',
  );
}
