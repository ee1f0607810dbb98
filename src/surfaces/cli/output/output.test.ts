import { visibleWidth } from '@earendil-works/pi-tui';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../platform/clock/index.ts';
import { CollectingStream } from '../fake-host.ts';
import { byteSize } from './byte-size.ts';
import { displayWidth, truncateToWidth } from './display-width.ts';
import { formatTable } from './format-table.ts';
import { createOutput } from './output.ts';
import { printable, printableLine } from './printable.ts';
import { startProgress } from './progress.ts';
import { relativeTime } from './relative-time.ts';

describe('the width of a text', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['漢字', 4],
    ['한글', 4],
    ['ｱ', 1],
    ['Ａ', 2],
    ['👍', 2],
    ['👨‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['\u200b', 0],
    ['\u001b[31mred\u001b[39m', 3],
    ['☺\uFE0F', 2],
    ['…', 1],
  ])('%j is %d', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  it('is what the chat screen takes it for', () => {
    const letters = fc.string({
      unit: fc.constantFrom('a', 'é', 'ß', '漢', '한', 'あ', 'Ａ', '👍', '🎉', '…', '─', 'Ж', 'ע', 'ع', '中'),
    });
    fc.assert(
      fc.property(letters, (text) => {
        expect(displayWidth(text)).toBe(visibleWidth(text));
      }),
    );
  });

  it('is never exceeded by a text that was cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, columns) => {
        const cut = truncateToWidth(text, columns);
        expect(displayWidth(cut)).toBeLessThanOrEqual(columns);
        if (displayWidth(text) <= columns) expect(cut).toBe(text);
      }),
    );
  });
});

describe('a table', () => {
  const rows = [
    { name: 'first', size: 5, note: 'a note that is rather long' },
    { name: '漢字', size: 1200, note: 'two\nlines' },
  ];
  const columns = [
    { title: 'NAME', text: (row: (typeof rows)[0]) => row.name },
    { title: 'SIZE', text: (row: (typeof rows)[0]) => String(row.size), align: 'right' as const },
    { title: 'NOTE', text: (row: (typeof rows)[0]) => row.note, shrinks: true },
  ];

  it('aligns its columns by what is seen, one line per row', () => {
    expect(formatTable(rows, columns, { columns: undefined })).toEqual([
      'NAME   SIZE  NOTE',
      'first     5  a note that is rather long',
      '漢字   1200  two\\nlines',
    ]);
  });

  it('fits the terminal', () => {
    const lines = formatTable(rows, columns, { columns: 25 });
    expect(lines[1]).toBe('first     5  a note that…');
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(25);
  });

  it('pads before it paints', () => {
    const paint = (text: string): string => `<${text}>`;
    const painted = columns.map((column, index) => (index === 0 ? { ...column, paint } : column));
    expect(formatTable(rows, painted, { columns: undefined })[2]).toBe('<漢字 >  1200  two\\nlines');
  });

  it('without rows is its title', () => {
    expect(formatTable([], columns, { columns: 80 })).toEqual(['NAME  SIZE  NOTE']);
  });
});

describe('a time', () => {
  const now = Date.UTC(2026, 0, 1);
  it.each([
    [0, 'just now'],
    [999, 'just now'],
    [1000, '1s ago'],
    [59_999, '59s ago'],
    [2 * 3_600_000, '2h ago'],
    [47 * 3_600_000, '1d ago'],
    [45 * 24 * 3_600_000, '1mo ago'],
    [800 * 24 * 3_600_000, '2y ago'],
    [-3 * 60_000, 'in 3min'],
  ])('%d ms before now is %s', (distance, text) => {
    expect(relativeTime(now - distance, now)).toBe(text);
  });
});

describe('a size', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1 KB'],
    [1536, '1.5 KB'],
    [20 * 1024 ** 2, '20 MB'],
    [1024 ** 3 - 1, '1 GB'],
    [1024 ** 7, '1048576 PB'],
  ])('%d bytes is %s', (bytes, text) => {
    expect(byteSize(bytes)).toBe(text);
  });
});

describe('printable text', () => {
  it('shows what would steer the terminal', () => {
    expect(printable('a\tb\n\u001b[2J\u009b\u0000\u202e\r')).toBe('a\tb\n\\x1b[2J\\x9b\\x00\\u202e\\x0d');
    expect(printableLine('a\tb\nc')).toBe('a\\tb\\nc');
  });
});

describe('progress', () => {
  it('moves on a terminal and leaves nothing behind', async () => {
    const clock = new FakeClock();
    const stream = new CollectingStream(true, 20);
    const progress = startProgress(
      createOutput(stream, () => undefined),
      clock,
      'counting\u001b[2J',
    );
    expect(stream.text).toBe('');
    await clock.advance(80);
    expect(stream.text).toBe('\r\u001b[K⠋ counting\\x1b[2J');
    progress.update('counting very many things');
    await clock.advance(80);
    expect(stream.text).toContain('⠙ counting very ma…');
    progress.stop();
    progress.stop();
    expect(stream.text.endsWith('\r\u001b[K')).toBe(true);
    const before = stream.text;
    await clock.advance(1000);
    expect([stream.text, clock.pending]).toEqual([before, 0]);
  });

  it('writes nothing anywhere else', async () => {
    const clock = new FakeClock();
    const stream = new CollectingStream(false);
    const progress = startProgress(
      createOutput(stream, () => undefined),
      clock,
      'x',
    );
    await clock.advance(1000);
    progress.stop();
    expect([stream.text, clock.pending]).toEqual(['', 0]);
  });
});
