import { cutOutput } from './cut-output.ts';
import { plainText } from './plain-text.ts';

/** What happens to the output of commands before a model reads it. */
export interface OutputPorts {
  /**
   * Sees the output first, as it was captured, and gives back what takes its place (hook `transform_terminal_output`).
   * `returncode` is null while the command runs.
   */
  readonly transformOutput?: (command: string, output: string, returncode: number | null) => Promise<string>;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
}

export interface CapturedOutput {
  readonly command: string;
  /** As it was captured; a long one without its middle. */
  readonly output: string;
  readonly returncode: number | null;
}

/**
 * The output as the model reads it: transformed, plain, redacted, cut to 50 KB, in this order. Redacted after control
 * sequences are gone, which could stand in the middle of a secret.
 */
export async function presentOutput(
  { command, output, returncode }: CapturedOutput,
  ports: OutputPorts,
): Promise<string> {
  const transformed = (await ports.transformOutput?.(command, output, returncode)) ?? output;
  return cutOutput(ports.redact(plainText(transformed)));
}
