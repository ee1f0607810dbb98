import { describe, expect, it } from 'vitest';
import { createLimitedRunner } from './index.ts';

describe('a limited runner', () => {
  it('gives back the value of work that ends, one piece after the other', () => {
    const run = createLimitedRunner();
    expect(run(1000, () => 'done')).toEqual({ inTime: true, value: 'done' });
    expect(run(1000, () => [undefined])).toEqual({ inTime: true, value: [undefined] });
  });

  it('stops a regular expression that backtracks without end, and works on', () => {
    const run = createLimitedRunner();
    const pattern = /^(a+)+$/;
    expect(run(50, () => pattern.test(`${'a'.repeat(50)}!`))).toEqual({ inTime: false });
    expect(run(1000, () => pattern.test('aaa'))).toEqual({ inTime: true, value: true });
  });

  it('throws what the work throws', () => {
    expect(() =>
      createLimitedRunner()(1000, () => {
        throw new RangeError('no');
      }),
    ).toThrow('no');
  });
});
