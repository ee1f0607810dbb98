import { describe, expect, it } from 'vitest';
import { operandsOf } from './operands.ts';

const KNOWN = { flags: ['p', 'v', 'parents'], valued: ['m', 'mode'] };

describe('operandsOf', () => {
  it.each([
    [
      ['-pv', 'a', '--parents', 'b'],
      ['p', 'v', 'parents'],
      ['a', 'b'],
    ],
    [['-m', '755', 'a'], ['m'], ['a']],
    [['-pm755', 'a'], ['p', 'm'], ['a']],
    [['--mode', '755', 'a', '--mode=700'], ['mode'], ['a']],
    [['a', '-', '--', '-p', '--'], [], ['a', '-', '-p', '--']],
    [[], [], []],
  ])('%j has options %j and operands %j', (args, options, operands) => {
    expect(operandsOf(args, KNOWN)).toEqual({ options: new Set(options), operands });
  });

  it.each([['-x', 'a'], ['-px'], ['--other'], ['--parents=yes'], ['--p']])(
    'does not know %j',
    (...args: readonly string[]) => {
      expect(operandsOf(args, KNOWN)).toBeUndefined();
    },
  );
});
