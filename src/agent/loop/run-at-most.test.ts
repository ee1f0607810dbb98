import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runAtMost } from './run-at-most.ts';

describe('jobs that are limited in number', () => {
  it('all run, begun in order and never more than that at once, whenever they end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.scheduler(),
        fc.nat(20),
        async (limit, scheduler, count) => {
          const begun: number[] = [];
          let running = 0;
          let most = 0;
          const jobs = Array.from({ length: count }, (_, index) => async () => {
            begun.push(index);
            running += 1;
            most = Math.max(most, running);
            await scheduler.schedule(Promise.resolve());
            running -= 1;
          });
          const all = runAtMost(limit, jobs);
          await scheduler.waitFor(all);
          expect(begun).toEqual(jobs.map((_, index) => index));
          expect(most).toBe(Math.min(limit, count));
          expect(running).toBe(0);
        },
      ),
    );
  });

  it('begin no more after one has failed, and let the others end', async () => {
    const others = Promise.withResolvers<void>();
    const ended: string[] = [];
    const all = runAtMost(2, [
      async () => {
        await others.promise;
        ended.push('slow');
      },
      () => Promise.reject(new Error('first')),
      () => {
        ended.push('never');
        return Promise.resolve();
      },
    ]);
    others.resolve();
    await expect(all).rejects.toThrow('first');
    expect(ended).toEqual(['slow']);
  });
});
