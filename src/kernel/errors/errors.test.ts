import { describe, expect, it } from 'vitest';
import { fail, HermaError, messageOf, succeed, suggest, valueOrThrow } from './index.ts';

describe('suggest', () => {
  const known = ['chat', 'config', 'completion', 'doctor', 'write_file'];

  it.each([
    ['chta', 'chat'],
    ['confg', 'config'],
    ['Doctor', 'doctor'],
    ['write_flie', 'write_file'],
  ])('%s means %s', (given, meant) => {
    expect(suggest(given, known)).toBe(meant);
  });

  it.each(['xyz', '', 'kubernetes'])('%j is near nothing', (given) => {
    expect(suggest(given, known)).toBeUndefined();
  });
});

describe('HermaError', () => {
  it('carries the failure of a result', () => {
    try {
      valueOrThrow(fail('not_found', 'There is no "x".', 'Make one.'));
      expect.unreachable();
    } catch (error) {
      expect(HermaError.isInstance(error) && [error.code, error.message, error.remedy]).toEqual([
        'not_found',
        'There is no "x".',
        'Make one.',
      ]);
    }
  });

  it('lets values pass', () => {
    expect(valueOrThrow(succeed(3))).toBe(3);
  });

  it('is not confused by other thrown things', () => {
    for (const thrown of [null, undefined, 'text', new Error('plain'), {}])
      expect(HermaError.isInstance(thrown)).toBe(false);
    expect(messageOf('text')).toBe('text');
  });
});
