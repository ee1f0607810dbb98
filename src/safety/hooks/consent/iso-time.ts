/** `2026-10-04T05:53:10.961548Z`: UTC with six digits of a second, as Python writes it. */
export function toIsoTime(ms: number): string {
  const micros = microsOf(ms);
  const wholeMs = Math.floor(micros / 1000);
  return `${new Date(wholeMs).toISOString().slice(0, -1)}${String(micros - wholeMs * 1000).padStart(3, '0')}Z`;
}

const ISO = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|\+00:00)$/;
const MICRO_DIGITS = 6;

/**
 * Whether `ms` (since 1970-01-01 UTC) is later than the ISO time says; undefined when that cannot be read. Compared in the
 * digits the text has, at most microseconds, of which one is left to rounding.
 */
export function isLaterThan(ms: number, isoTime: string): boolean | undefined {
  const parts = ISO.exec(isoTime);
  if (parts === null) return undefined;
  const secondsMs = Date.parse(`${parts[1] ?? ''}Z`);
  if (Number.isNaN(secondsMs)) return undefined;
  const fraction = (parts[2] ?? '').slice(0, MICRO_DIGITS);
  const recorded = secondsMs * 1000 + Number(fraction.padEnd(MICRO_DIGITS, '0'));
  const unit = 10 ** (MICRO_DIGITS - fraction.length);
  return unit === 1 ? microsOf(ms) > recorded + 1 : Math.floor(microsOf(ms) / unit) * unit > recorded;
}

function microsOf(ms: number): number {
  return Math.round(ms * 1000);
}
