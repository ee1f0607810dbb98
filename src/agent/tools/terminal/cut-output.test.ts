import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutOutput } from './cut-output.ts';

describe('cutOutput', () => {
  it('leaves a text that is short enough alone', () => {
    expect(cutOutput('é'.repeat(50), 100)).toBe('é'.repeat(50));
  });

  it('keeps head and tail in whole lines, and counts what is left out', () => {
    const text = Array.from({ length: 100 }, (_, index) => `line ${String(index).padStart(2, '0')}\n`).join(
      '',
    );
    expect(cutOutput(text, 60)).toBe(
      'line 00\nline 01\nline 02\n[... 752 bytes left out ...]\nline 97\nline 98\nline 99\n',
    );
  });

  it('cuts a single line too, and no character in two', () => {
    const cut = cutOutput('😀'.repeat(100), 50);
    expect(cut).toBe(`${'😀'.repeat(6)}\n[... 352 bytes left out ...]\n${'😀'.repeat(6)}`);
  });

  it('accounts for every byte', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 60, maxLength: 300 }), (text) => {
        const cut = cutOutput(text, 50);
        const [head, leftOut, tail] =
          /^([^]*?)\n?\[\.\.\. (\d+) bytes left out \.\.\.\]\n([^]*)$/.exec(cut)?.slice(1) ?? [];
        expect(text.startsWith(head ?? '-')).toBe(true);
        expect(text.endsWith(tail ?? '-')).toBe(true);
        const kept = Buffer.byteLength(cut.replace(/\n?\[\.\.\. \d+ bytes left out \.\.\.\]\n/, ''));
        const slack = Buffer.byteLength(text) - Number(leftOut) - kept;
        expect(slack).toBeGreaterThanOrEqual(0);
        expect(slack).toBeLessThanOrEqual(1);
        expect(cut).not.toContain('\uFFFD');
      }),
    );
  });
});
