import { describe, expect, it } from 'vitest';
import { readYaml } from './yaml-document.ts';

function valueOf(text: string): unknown {
  const reading = readYaml(text);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.yaml.value;
}

function problemsOf(text: string): readonly string[] {
  const reading = readYaml(text);
  return reading.ok
    ? []
    : reading.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

describe('reading YAML', () => {
  it('is that of YAML 1.1', () => {
    expect(valueOf('a: no\nb: off\nc: 012\nd: 1:30\ne: 1_000\nf: y\ng: ~\nh: 0x1F\ni: yes')).toEqual({
      a: false,
      b: false,
      c: 10,
      d: 90,
      e: 1000,
      f: true,
      g: null,
      h: 31,
      i: true,
    });
  });

  it('is that of YAML 1.1 whatever the directive of the document says', () => {
    expect(valueOf('%YAML 1.2\n---\na: no')).toEqual({ a: false });
  });

  it('leaves dates as text', () => {
    expect(valueOf('a: 2024-01-02')).toEqual({ a: '2024-01-02' });
  });

  it('merges mappings, and finds where a merged value stands', () => {
    const reading = readYaml('a: &a {x: 1}\nb:\n  <<: *a\n  z: 2\n');
    expect(reading).toMatchObject({ ok: true, yaml: { value: { a: { x: 1 }, b: { x: 1, z: 2 } } } });
    expect(reading.ok && reading.yaml.positionOf(['b', 'x'], 'value')).toEqual({ line: 1, column: 11 });
  });

  it.each([
    ['an empty text', ''],
    ['comments only', '# nothing\n\n# here\n'],
    ['an explicit null', '---\nnull\n'],
  ])('takes %s for a document without a value', (_, text) => {
    expect(valueOf(text)).toBeNull();
  });

  it('counts lines that end in CR LF', () => {
    expect(problemsOf('a: 1\r\nb: 2\r\n\tc: 3\r\n')[0]).toMatch(/^3:1 /);
  });

  it.each([
    ['a tab', 'agent:\n\tmax: 1', '2:1 not valid YAML: tabs are not allowed as indentation'],
    ['an open bracket', 'a: [1, 2', '1:9 not valid YAML: flow sequence'],
    ['an open quote', 'a: "x', '1:6 not valid YAML: missing closing'],
    ['text with a colon', 'a: b: c', '1:4 not valid YAML: nested mappings'],
    ['a second document', 'a: 1\n---\nb: 2', '2:1 not valid YAML: source contains multiple documents'],
    ['a list', '- a', '1:1 the configuration must be a mapping, not a list'],
    ['a word', 'hello', '1:1 the configuration must be a mapping, not a single value'],
    ['a key that occurs twice', 'a: 1\nb: 2\na: 3', '3:1 the key a occurs twice'],
    ['the same key in quotes', 'x:\n  a: 1\n  "a": 2', '3:3 the key a occurs twice'],
    ['a key that is no text', 'on: 1', '1:1 "on" is read as true, and keys must be text'],
    ['a number as a key', 'a:\n  1: x', '2:3 "1" is read as the number 1, and keys must be text'],
    ['a list as a key', '? [a]\n: b', '1:3 this key is read as a collection, and keys must be text'],
    ['__proto__', 'a:\n  __proto__: {x: 1}', '2:3 __proto__ cannot be a key'],
    ['a tag', 'a: !!python/object:os.system x', '1:30 the tag !!python/object:os.system is not supported'],
    ['binary data', 'a: !!binary aGk=', '1:13 the tag !!binary is not supported'],
    ['an unknown alias', 'a: 1\nb: *nope', '2:4 *nope refers to nothing'],
  ])('refuses %s, with its place', (_, text, expected) => {
    expect(problemsOf(text)[0]).toContain(expected);
  });

  it('refuses aliases that multiply', () => {
    const rows = ['a0: &a0 [x]'];
    for (let level = 1; level < 12; level += 1) {
      rows.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      );
    }
    expect(problemsOf(rows.join('\n'))).toEqual(['1:1 its aliases multiply without bound']);
  });

  it.each([
    ['an alias to what it is in', 'a: &a [*a]'],
    ['a mapping merged into itself', 'a: &a {<<: *a}'],
    ['lists nested very deeply', '['.repeat(20_000)],
    ['mappings nested very deeply', `a: ${'{a: '.repeat(20_000)}`],
  ])('survives %s', (_, text) => {
    expect(() => readYaml(text)).not.toThrow();
  });

  it('reports few problems for a text that is broken everywhere', () => {
    expect(problemsOf('a: [\n'.repeat(500)).length).toBeLessThanOrEqual(3);
  });
});
