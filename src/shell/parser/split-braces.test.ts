import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitBraces } from './split-braces.ts';

it('lists and sequences give what bash makes of them', () => {
  const lists = fc
    .array(fc.constantFrom('a', 'b', '', 'x1', '{c,d}', '-r'), { minLength: 2, maxLength: 4 })
    .map((items) => `{${items.join(',')}}`);
  const ends = fc.constantFrom('1', '3', '-2', '12', 'a', 'e', 'Z');
  const sequences = fc
    .tuple(ends, ends, fc.constantFrom('', '..2', '..-1'))
    .map(([a, b, step]) => `{${a}..${b}${step}}`);
  const samples = fc.sample(fc.oneof(lists, sequences), { numRuns: 150, seed: 7 });
  const texts = samples.filter((text) => splitBraces(text) !== undefined && !/\{.*\{/.test(text));
  const script = texts.map((text) => `printf '%s,' x${text}y; echo`).join('\n');
  const { stdout } = spawnSync('/bin/bash', ['--norc', '-c', script], { encoding: 'utf8' });
  const ours = texts.map(
    (text) =>
      splitBraces(text)
        ?.map((each) => `x${each}y,`)
        .join('') ?? '',
  );
  expect(texts.length).toBeGreaterThan(40);
  expect(ours).toEqual(stdout.trimEnd().split('\n'));
});

it('quotes and nested braces keep their commas', () => {
  expect(splitBraces(`{a,"b,c",'d,e',{f,g},h\\,i}`)).toEqual(['a', '"b,c"', "'d,e'", '{f,g}', 'h\\,i']);
});

it('what is not certain is not split', () => {
  for (const text of ['{a}', '{a,$(b)}', '{1..999}', '{01..3}', '{a,"b}', `{${'a,'.repeat(99)}}`])
    expect(splitBraces(text)).toBeUndefined();
});
