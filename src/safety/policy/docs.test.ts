import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadPolicy } from './conditions/load-policy.ts';
import { BUILTIN_RULES, floorRules } from './rules/builtin-rules.ts';

const PAGE = readFileSync(new URL('../../../docs/policy.md', import.meta.url), 'utf8');

describe('docs/policy.md', () => {
  it('lists every built-in rule as it is', () => {
    const rows = PAGE.matchAll(/^\| `([\w-]+)` +\| (\w+) +\| (\w+) +\| .+\|$/gm);
    const listed = [...rows].map(([, ...cells]) => cells.slice(0, 3).join(' '));
    const rules = BUILTIN_RULES.map(({ id, decision, severity }) => [id, decision, severity].join(' '));
    expect(new Set(listed)).toEqual(new Set(rules));
    expect(listed).toHaveLength(rules.length);
  });

  it('names every floor', () => {
    expect(floorRules({ disasters: true }).filter(({ id }) => !PAGE.includes(`\`${id}\``))).toEqual([]);
  });

  it('shows policies that can be used', async () => {
    const shown = [...PAGE.matchAll(/^```json\n([^]*?)^```$/gm)].map(([, text = '']) => text);
    for (const text of shown) expect(await loadPolicy(text)).toMatchObject({ ok: true });
    expect(shown).toHaveLength(2);
  });
});
