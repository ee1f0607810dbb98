import type { Environment } from './read-environment.ts';

/** What is asked of a stream to know whether a person looks at it. */
export interface MaybeTerminal {
  readonly isTTY?: boolean | undefined;
}

/** Whether the stream is a terminal (and not a pipe or a file). */
export function isTerminal(stream: MaybeTerminal): boolean {
  return stream.isTTY === true;
}

/**
 * Whether to write colours to `stream`. In this order: a non-empty `NO_COLOR` forbids them (no-color.org); `FORCE_COLOR`
 * asks for them, or forbids them as `0` or `false` (as in Node); `TERM=dumb` and anything but a terminal get none.
 */
export function colourEnabled(stream: MaybeTerminal, environment: Environment): boolean {
  if ((environment['NO_COLOR'] ?? '') !== '') return false;
  const forced = environment['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTerminal(stream) && environment['TERM'] !== 'dumb';
}
