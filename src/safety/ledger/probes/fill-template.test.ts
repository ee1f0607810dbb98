import { describe, expect, it } from 'vitest';
import { fillTemplate } from './fill-template.ts';

describe('fillTemplate', () => {
  const row = {
    argsJson: JSON.stringify({ name: 'daily', n: 3, key: '[redacted api_key len=9]', long: 'abc…+99' }),
  };

  it.each([
    [
      { q: '{{name}}', list: ['x-{{ n }}', 7] },
      { q: 'daily', list: ['x-3', 7] },
    ],
    ['no place', 'no place'],
    ['{{name}} and {{name}}', 'daily and daily'],
    ['{{missing}}', undefined],
    [{ a: { b: '{{key}}' } }, undefined],
    [['{{long}}'], undefined],
    ['{{constructor}}', undefined],
  ])('makes of %j: %j', (template, filled) => {
    expect(fillTemplate(template, row)).toEqual(filled);
  });

  it('knows nothing of a call whose arguments were erased', () => {
    expect(fillTemplate('{{name}}', { argsJson: null })).toBeUndefined();
    expect(fillTemplate('plain', { argsJson: null })).toBe('plain');
  });
});
