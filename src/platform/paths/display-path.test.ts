import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayPath } from './index.ts';

describe('displayPath', () => {
  it.each([
    ['/plain/报告 café.txt', '/plain/报告 café.txt'],
    [' lead and trail ', ' lead and trail '],
    ['em😀ji.md', 'em😀ji.md'],
    ['new\nline\ttab\rreturn', 'new\\nline\\ttab\\rreturn'],
    ['\x1b[31mred\x07', '\\x1b[31mred\\x07'],
    ['back\\slash', 'back\\\\slash'],
    ['next\u0085line\u2028sep', 'next\\u0085line\\u2028sep'],
    ['\u202egpj.exe', '\\u202egpj.exe'],
    ['zero\u200bwidth', 'zero\\u200bwidth'],
    ['tag\u{e0041}', 'tag\\u{e0041}'],
    ['caf\udce9', 'caf\\xe9'],
    ['\ud800', '\\ud800'],
  ])('shows %j as %j', (path, shown) => {
    expect(displayPath(path)).toBe(shown);
  });

  it('is one line without control characters, and different for different paths', () => {
    const path = fc.string({
      unit: fc.constantFrom('a', '\\', '\n', 'n', 'x', '1', 'b', '\x1b', '\u202e', '\udcff', 'f', 'u'),
    });
    fc.assert(
      fc.property(path, path, (one, other) => {
        expect(displayPath(one)).not.toMatch(/[\p{Cc}\p{Cs}\u202e]/u);
        expect(displayPath(one) === displayPath(other)).toBe(one === other);
      }),
      { numRuns: 2000 },
    );
  });

  it('cuts the middle out of what is too long', () => {
    const shown = displayPath(`/start/${'x'.repeat(5_000_000)}/end`, { maxLength: 50 });
    expect(shown).toMatch(/^\/start\/x+…x+\/end$/);
    expect(shown.length).toBeLessThanOrEqual(50);
  });
});
