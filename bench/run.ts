import { checkpoints } from './checkpoints.ts';
import { gateOverhead } from './gate-overhead.ts';
import { hooks } from './hooks.ts';
import { ledger } from './ledger.ts';
import { longSession } from './long-session.ts';
import type { Figure } from './measure.ts';
import { policy } from './policy.ts';
import { startUp } from './start-up.ts';

const BENCHMARKS = {
  'start-up': startUp,
  'gate-overhead': gateOverhead,
  'long-session': longSession,
  checkpoints,
  hooks,
  ledger,
  policy,
};

/** Runs the benchmarks that are named, or all; the exit code is 1 when a ratio is above its limit. */
const chosen = process.argv.slice(2);
const figures: Figure[] = [];
for (const [name, run] of Object.entries(BENCHMARKS)) {
  if (chosen.length === 0 || chosen.includes(name)) figures.push(...(await run()));
}
for (const { name, ratio, limit, value, floor, unit = 'ms' } of figures) {
  const verdict = ratio <= limit ? 'ok  ' : 'OVER';
  const times = `${value.toFixed(2)} ${unit} against ${floor.toFixed(2)} ${unit}`;
  process.stdout.write(
    `${verdict} ${ratio.toFixed(3).padStart(7)} × (limit ${limit.toFixed(2)})  ${name}  ${times}\n`,
  );
}
process.exitCode = figures.every(({ ratio, limit }) => ratio <= limit) ? 0 : 1;
