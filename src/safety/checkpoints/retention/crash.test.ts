import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  age,
  DAY,
  expectSound,
  HOUR,
  ids,
  newFolder,
  removeFolders,
  take,
  value,
} from './fixtures/trial-checks.ts';
import { openTrial } from './fixtures/trial-store.ts';
import { doTrialWork } from './fixtures/trial-work.ts';
import { reclaim } from './reclaim.ts';
import { verify } from './verify.ts';

afterEach(removeFolders);

const CHILD = join(import.meta.dirname, 'fixtures/child.ts');

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly steps: readonly string[];
}

async function runChild(...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [CHILD, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, steps: code === 0 ? (JSON.parse(output) as string[]) : [] };
}

const NOW = 1000 * DAY;

/** A store in which every kind of work has something to do. */
function fullStore(): string {
  const base = join(newFolder(), 'checkpoints');
  let now = NOW - 3 * HOUR;
  const parts = openTrial(base, { now: () => now });
  const files = (prefix: string) =>
    Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `${prefix}${String(index)}`,
        `${prefix} ${String(index)} `.repeat(20),
      ]),
    );
  take(parts, { root: '/trial/idle', files: { ...files('idle'), shared: 'shared' } });
  take(parts, { files: { ...files('old'), ...files('both') }, isScan: true, secret: [] });
  take(parts, { files: { '.env': 'TOKEN', a: 'a' }, secret: ['.env'] });
  now = NOW;
  take(parts, { files: files('both'), isScan: true });
  for (let index = 0; index < 4; index += 1)
    take(parts, { turn: `t${String(index >> 1)}`, files: { a: randomBytes(15_000), shared: 'shared' } });
  take(parts, { root: '/trial/other', files: files('both') });
  mkdirSync(join(base, 'legacy-1'));
  age(join(base, 'legacy-1'));
  return base;
}

describe.each(['trim', 'evict', 'reclaim', 'maintain', 'sweep'])('a process that is killed in %s', (work) => {
  it('leaves a store in which all that is listed can be read, and the work can be done again', async () => {
    const template = fullStore();
    const whole = join(newFolder(), 'whole');
    cpSync(template, whole, { recursive: true, preserveTimestamps: true });
    const { code, steps } = await runChild(whole, work, '', '', String(NOW));
    expect(code).toBe(0);
    expect(steps.length).toBeGreaterThan(0);
    const count = new Map<string, number>();
    for (const step of steps) count.set(step, (count.get(step) ?? 0) + 1);
    const left = ids(openTrial(whole));
    const deaths = [...count].flatMap(([step, times]) =>
      [...new Set(work === 'maintain' || work === 'sweep' ? [times] : [1, times])].map((occurrence) => ({
        step,
        occurrence,
      })),
    );
    for (const { step, occurrence } of deaths) {
      const base = join(newFolder(), 'killed');
      cpSync(template, base, { recursive: true, preserveTimestamps: true });
      const killed = await runChild(base, work, step, String(occurrence), String(NOW));
      expect(killed.signal, `${step} ${String(occurrence)}`).toBe('SIGKILL');
      const parts = openTrial(base, { now: () => NOW });
      await expectSound(parts);
      const [newest] = ids(parts);
      expect(newest).toBe(left[0]);
      // Whoever comes next finishes what was begun.
      if (work === 'sweep') rmSync(join(base, '.last_prune'), { force: true });
      await doTrialWork(parts, work);
      await value(reclaim(parts));
      expect((await verify(parts)).leftovers).toEqual([]);
      await expectSound(parts);
      if (work !== 'evict' && work !== 'maintain') expect(ids(parts)).toEqual(left);
      rmSync(base, { recursive: true });
    }
  });
});

describe.each(['take-many', 'capture-many'])('%s and maintenance at once', (work) => {
  it('never leave a ref to what is not there', async () => {
    const base = join(newFolder(), 'checkpoints');
    const parts = openTrial(base);
    take(parts);
    let isOver = false;
    const takers = Promise.all([1, 2, 3].map(() => runChild(base, work))).finally(() => {
      isOver = true;
    });
    const goesOn = () => !isOver;
    const rounds: Awaited<ReturnType<typeof maintainOnce>>[] = [];
    const maintainOnce = () => value(reclaim(parts, { targetBytes: 1 }));
    while (goesOn()) rounds.push(await maintainOnce());
    expect((await takers).map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(rounds.flatMap(({ errors, missing }) => [...errors, ...missing])).toEqual([]);
    expect(rounds.length).toBeGreaterThan(1);
    expect(rounds.reduce((sum, { objects, packs }) => sum + objects + packs, 0)).toBeGreaterThan(0);
    await expectSound(parts);
    await value(reclaim(parts));
    await expectSound(parts);
  });
});
