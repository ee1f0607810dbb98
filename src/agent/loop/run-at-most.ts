/**
 * Runs jobs side by side, at most `limit` of them at once, each begun in its place in the list. After one has failed no
 * other is begun.
 *
 * Resolves when all of them have ended. Rejects with what the first failure threw, when those that ran have ended.
 */
export async function runAtMost(limit: number, jobs: readonly (() => Promise<void>)[]): Promise<void> {
  const waiting = jobs.values();
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (const job of waiting) {
      if (failures.length > 0) return;
      try {
        await job();
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, jobs.length) }, work));
  if (failures.length > 0) throw failures[0];
}
