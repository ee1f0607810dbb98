import { describe, expect, it } from 'vitest';
import { readMoment, readSpan } from './time-span.ts';

const HOUR_MS = 60 * 60 * 1000;
const NOW = Date.UTC(2026, 2, 16, 12);

describe('a length of time', () => {
  it.each([
    ['0s', 0],
    ['45min', 0.75 * HOUR_MS],
    ['45m', 0.75 * HOUR_MS],
    [' 12 H ', 12 * HOUR_MS],
    ['30d', 30 * 24 * HOUR_MS],
    ['2w', 14 * 24 * HOUR_MS],
  ])('%j is read', (text, ms) => {
    expect(readSpan(text)).toEqual({ ok: true, value: ms });
  });

  it.each(['', '30', 'd', '-1d', '1.5h', '1e3d', '3 months', '1y', '99999d', '1d2h', '٣d'])(
    '%j is none',
    (text) => {
      expect(readSpan(text)).toMatchObject({ ok: false, code: 'usage' });
    },
  );

  it('that is none is named without what steers a terminal', () => {
    const read = readSpan(`\u001b[2J${'x'.repeat(500)}`);
    expect(read).toMatchObject({ ok: false, message: expect.not.stringContaining('\u001b') });
    expect(read.ok ? '' : read.message.length).toBeLessThan(100);
  });
});

describe('a moment', () => {
  it.each([
    ['2h', NOW - 2 * HOUR_MS],
    ['2026-03-16T08:00Z', Date.UTC(2026, 2, 16, 8)],
    ['2026-03-16T08:00:30.5+02:00', Date.UTC(2026, 2, 16, 6, 0, 30, 500)],
    ['2026-03-16', new Date(2026, 2, 16).getTime()],
    ['2026-03-16 08:00', new Date(2026, 2, 16, 8).getTime()],
  ])('%j is read', (text, ms) => {
    expect(readMoment(text, NOW)).toEqual({ ok: true, value: ms });
  });

  it.each(['', 'yesterday', '2026', '2026-13-01', '16.3.2026', '2026-03-16T25:00', '1773662400'])(
    '%j is none',
    (text) => {
      expect(readMoment(text, NOW)).toMatchObject({ ok: false, code: 'usage' });
    },
  );
});
