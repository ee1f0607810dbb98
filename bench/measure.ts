/** One figure of a benchmark: a ratio to a floor that was measured in the same run. */
export interface Figure {
  readonly name: string;
  /** Measured value over floor. */
  readonly ratio: number;
  /** The ratio above which the benchmark fails. */
  readonly limit: number;
  /** For the reader only. */
  readonly value: number;
  readonly floor: number;
  /** Of both; milliseconds when absent. */
  readonly unit?: string;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  const high = sorted[Math.floor(middle)] ?? Number.NaN;
  return (low + high) / 2;
}

/**
 * Runs candidates in turn, A B A B …, so that a machine that changes its speed changes it for both; gives back the median
 * of each, in milliseconds. The first round is not counted.
 */
export async function alternate(
  rounds: number,
  candidates: readonly (() => Promise<number>)[],
): Promise<readonly number[]> {
  const times = candidates.map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, candidate] of candidates.entries()) {
      const time = await candidate();
      if (round > 0) times[index]?.push(time);
    }
  }
  return times.map(median);
}
