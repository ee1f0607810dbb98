import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, redact, redactAndCut } from './index.ts';

const keyed = createRedactor({ key: new Uint8Array(32), extraSecrets: ['Zq7known-secret-Zq7'] });

describe('redactAndCut', () => {
  it('returns a short text redacted and whole', () => {
    expect(redactAndCut('password=hunter2', 34)).toBe('password=[redacted password len=7]');
    expect(redactAndCut('', 0)).toBe('');
  });

  it('says how much of the original it left out, within the limit', () => {
    expect(redactAndCut('abcdefghij', 8, { note: true })).toBe('abcd…+6');
    expect(redactAndCut('abcdefghij', 10, { note: true })).toBe('abcdefghij');
    expect(redactAndCut('password=hunter2 and more text here', 40, { note: true })).toBe(
      'password=[redacted password len=7] a…+17',
    );
    expect(redactAndCut('abcdefghij', 3, { note: true })).toBe('abc');
    const cut = redactAndCut('x'.repeat(3_000_000), 300, { note: true });
    expect(cut).toHaveLength(300);
    expect(cut.endsWith(`…+${3_000_000 - 291}`)).toBe(true);
  });

  it('redacts before it cuts, so that no head of a secret remains', () => {
    const text = `${'x'.repeat(3990)} ghp_Zq7aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa`;
    for (let limit = 3980; limit < 4040; limit += 1) expect(redactAndCut(text, limit)).not.toContain('ghp_');
  });

  it('never splits a marker', () => {
    const text = 'a password=hunter2 b';
    const whole = redact.text(text);
    for (let limit = 0; limit <= whole.length; limit += 1) {
      const cut = redactAndCut(text, limit);
      expect(whole.startsWith(cut)).toBe(true);
      expect(cut.length).toBeLessThanOrEqual(limit);
      expect(cut.split('[').length).toBe(cut.split(']').length);
    }
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('throws for a limit of %s', (limit) => {
    expect(() => redactAndCut('abc', limit)).toThrow(RangeError);
  });

  it('shows nothing of a secret that reaches over the part it reads', () => {
    const secrets = [
      `ghp_Zq7${'a1'.repeat(20)}`,
      `password="Zq7${'b'.repeat(60_000)}"`,
      'Zq7known-secret-Zq7',
      `https://user:Zq7${'c1'.repeat(20)}@host/`,
      `-----BEGIN PRIVATE KEY-----\nZq7${'dDd3'.repeat(5000)}\n-----END PRIVATE KEY-----`,
    ];
    // Long secrets before it shrink to markers, so that the end of what is read comes into view.
    const shrinking = 'TOKEN=' + 'e'.repeat(9000);
    for (const secret of secrets) {
      for (const offset of [-60, -30, -10, -3, 0, 5]) {
        const filler = 'f '.repeat((4000 + 32_768 + 2 * 19 + offset - shrinking.length * 4 - 4) / 2);
        const text = `${`${shrinking}\n`.repeat(4)}${filler}${secret} ${'g '.repeat(50_000)}`;
        const cut = keyed.redactAndCut(text, 4000, { note: true });
        expect(cut.length).toBeLessThanOrEqual(4000);
        expect(cut).not.toMatch(/Zq7|eeee/);
      }
    }
  });

  it('cuts what the redaction of the whole text starts with', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'password=hunter2-Zq7 ',
        '{"token":"Zq7"}',
        'ghp_Zq70123456789abcdef ',
        '\u{1f600}',
        '\\u20ac',
        '\\n',
        '"',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    );
    const texts = fc.array(piece, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, fc.nat({ max: 300 }), fc.boolean(), (text, limit, note) => {
        const cut = keyed.redactAndCut(text, limit, { note });
        const whole = keyed.text(text);
        expect(cut.length).toBeLessThanOrEqual(limit);
        const body = cut.length < whole.length && note ? cut.replace(/…\+\d+$/, '') : cut;
        expect(whole.startsWith(body)).toBe(true);
        if (whole.length <= limit) expect(cut).toBe(whole);
        expect(keyed.text(body)).toBe(body);
      }),
      { numRuns: 3000 },
    );
  });
});
