import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { printableLine } from '../output/printable.ts';

const MINUTE_MS = 60_000;
const UNITS: ReadonlyMap<string, number> = new Map([
  ['s', 1000],
  ['m', MINUTE_MS],
  ['min', MINUTE_MS],
  ['h', 60 * MINUTE_MS],
  ['d', 24 * 60 * MINUTE_MS],
  ['w', 7 * 24 * 60 * MINUTE_MS],
]);
const LONGEST_MS = 36_500 * 24 * 60 * MINUTE_MS;
const SPAN = /^(\d{1,9})\s*([a-z]+)$/i;
/** A date, with or without a time, which is local when it names no zone. */
const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;
const SHOWN = 40;

/** `30d`, `12h`, `45min`, `2w` in milliseconds. */
export function readSpan(text: string): Result<number, 'usage'> {
  const [, amount, unit = ''] = SPAN.exec(text.trim()) ?? [];
  const length = UNITS.get(unit.toLowerCase());
  const span = length === undefined ? Number.NaN : Number(amount) * length;
  if (span <= LONGEST_MS) return succeed(span);
  return fail('usage', `${shown(text)} is no length of time`, 'write it like 45min, 12h, 30d or 2w');
}

/** A moment, in milliseconds since 1970-01-01 UTC: so long before `nowMs`, or a date. */
export function readMoment(text: string, nowMs: number): Result<number, 'usage'> {
  const trimmed = text.trim();
  const span = readSpan(trimmed);
  if (span.ok) return succeed(nowMs - span.value);
  const isDay = trimmed.length === 10;
  const moment = DATE.test(trimmed) ? Date.parse(isDay ? `${trimmed}T00:00` : trimmed) : Number.NaN;
  if (!Number.isNaN(moment)) return succeed(moment);
  return fail(
    'usage',
    `${shown(text)} is neither a length of time nor a date`,
    'write it like 2h, 7d, 2026-03-16 or 2026-03-16T08:00',
  );
}

function shown(text: string): string {
  const cut = text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}…` : text;
  return JSON.stringify(printableLine(cut));
}
