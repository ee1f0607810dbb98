import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactPatch } from './redact-patch.ts';

const TOKEN = `ghp_${'a1B2'.repeat(9)}`;

describe('redactPatch', () => {
  it('hides secrets on both sides, and in what has not changed', () => {
    const patch = [
      'diff --git a/.env b/.env',
      'index 24596ba..18832d3 100644',
      '--- a/.env',
      '+++ b/.env',
      '@@ -1,3 +1,3 @@',
      ' PORT=80',
      ` GITHUB=${TOKEN}`,
      '-DB_PASSWORD=hunter2old',
      '+DB_PASSWORD=hunter2new',
      '\\ No newline at end of file',
      '',
    ].join('\n');
    const shown = redactPatch(patch);
    expect(shown).not.toMatch(/ghp_|hunter2/);
    expect(shown.split('\n')).toHaveLength(11);
    expect(shown).toContain('\n PORT=80\n');
    expect(shown).toMatch(/\n-DB_PASSWORD=\[redacted .*\]\n\+DB_PASSWORD=\[redacted .*\]\n\\ No newline/);
  });

  it('hides a private key, which has many lines', () => {
    const body = ['MIIEvQIBADANBgkqhkiG9w0BAQEFAASC', 'abcdefgh', '', 'QmFzZTY0=='];
    const rows = ['-----BEGIN PRIVATE KEY-----', ...body, '-----END PRIVATE KEY-----', 'after: this'];
    const patch = `--- /dev/null\n+++ b/key\n@@ -0,0 +1,7 @@\n${rows.map((row) => `+${row}`).join('\n')}\n`;
    expect(redactPatch(patch).split('\n').slice(3)).toEqual([
      '+-----BEGIN PRIVATE KEY-----',
      '+[redacted private_key]',
      '+[redacted private_key]',
      '+',
      '+[redacted private_key]',
      '+-----END PRIVATE KEY-----',
      '+after: this',
      '',
    ]);
  });

  it('keeps the code that looks for a key', () => {
    const patch =
      '@@ -1,2 +1,2 @@\n const BEGIN = "-----BEGIN PRIVATE KEY-----";\n-if (a) b();\n+if (c) d();\n';
    expect(redactPatch(patch)).toBe(patch);
  });

  it('keeps the rows, and what stands before each', () => {
    const row = fc.constantFrom(
      `+token: ${TOKEN}`,
      ' a',
      '-b',
      '@@ -1 +1 @@',
      'diff --git a/a b/a',
      '\\ No newline at end of file',
      '+-----BEGIN RSA PRIVATE KEY-----',
      ' MIIEvQIBADAN',
      '',
    );
    fc.assert(
      fc.property(fc.array(row, { maxLength: 30 }), (rows) => {
        const heads = (text: string): string[] => text.split('\n').map((line) => line.charAt(0));
        const patch = rows.join('\n');
        expect(heads(redactPatch(patch))).toEqual(heads(patch));
        expect(redactPatch(redactPatch(patch))).toBe(redactPatch(patch));
      }),
    );
  });
});
