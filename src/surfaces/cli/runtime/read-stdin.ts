import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import type { VerbContext } from '../verb.ts';

/** Everything on standard input as text. Fails above `maxBytes`, and with what is expected when it is a terminal. */
export async function readStdin({ stdin, signal }: VerbContext, maxBytes: number): Promise<Result<string>> {
  if (stdin.isTTY === true)
    return fail('no_input', 'Standard input is a terminal.', 'Pipe the input into the command.');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    signal.throwIfAborted();
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    size += bytes.length;
    if (size > maxBytes)
      return fail(
        'input_too_large',
        `Standard input holds more than ${String(maxBytes)} bytes.`,
        'Send less.',
      );
    chunks.push(bytes);
  }
  return succeed(Buffer.concat(chunks).toString('utf8'));
}
