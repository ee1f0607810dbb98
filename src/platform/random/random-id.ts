import { randomBytes } from './random-bytes.ts';

/** What an id is made of. */
export interface IdSources {
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: () => number;
  /** That many random bytes. */
  readonly bytes: (count: number) => Uint8Array;
}

/** 36 ** 9 milliseconds last until the year 5188. */
const TIME_DIGITS = 9;
const RANDOM_DIGITS = 16;
const RANDOM_LIMIT = 36n ** BigInt(RANDOM_DIGITS);

/**
 * A maker of ids: `[prefix_]` + 9 base-36 digits of time + 16 of randomness, only `[a-z0-9_]`. Ids of one maker sort,
 * as text, in the order they were made, also within a millisecond and when the clock is set back. Ids of different
 * makers sort by time and differ by 82 random bits.
 *
 * @throws RangeError from the maker when the prefix is not made of `[a-z0-9]`.
 */
export function createIdMaker(sources: IdSources): (prefix?: string) => string {
  let lastMs = -1;
  let lastRandom = 0n;
  return (prefix) => {
    const nowMs = Math.floor(sources.now());
    if (nowMs > lastMs) {
      lastMs = nowMs;
      lastRandom = drawRandom(sources);
    } else if (lastRandom + 1n < RANDOM_LIMIT) {
      lastRandom += 1n;
    } else {
      lastMs += 1;
      lastRandom = drawRandom(sources);
    }
    const time = lastMs.toString(36).padStart(TIME_DIGITS, '0');
    const random = lastRandom.toString(36).padStart(RANDOM_DIGITS, '0');
    return `${checkedPrefix(prefix)}${time}${random}`;
  };
}

/** An id of this process's maker (see {@link createIdMaker}), from the machine's time and secure randomness. */
export const randomId: (prefix?: string) => string = createIdMaker({
  now: () => Date.now(),
  bytes: randomBytes,
});

function drawRandom({ bytes }: IdSources): bigint {
  const value = bytes(12).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  return value % RANDOM_LIMIT;
}

function checkedPrefix(prefix: string | undefined): string {
  if (prefix === undefined) return '';
  if (!/^[a-z0-9]+$/.test(prefix))
    throw new RangeError(`an id prefix is made of [a-z0-9], not ${JSON.stringify(prefix)}`);
  return `${prefix}_`;
}
