import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editYaml } from './edit-yaml.ts';
import type { KeyPath } from './key-path.ts';
import { readYaml } from './yaml-document.ts';

function edit(text: string, path: KeyPath, value: unknown): string {
  const reading = readYaml(text);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  const edited = editYaml({ yaml: reading.yaml, path, value });
  return edited.ok ? edited.value : `${edited.code}: ${edited.message}`;
}

const file = `# my configuration
agent:   # the loop
  max_iterations: 90    # limit
  verify:   # checks
    - npm test  # unit
    - npm run lint

# asking
approvals: {timeout: 300}   # seconds
`;

describe('an edit', () => {
  it('changes the characters of the old value and nothing else', () => {
    expect(edit(file, ['agent', 'max_iterations'], 50)).toBe(file.replace('90 ', '50 '));
    expect(edit(file, ['agent', 'verify', 0], 'make')).toBe(file.replace('npm test', 'make'));
    expect(edit(file, ['approvals', 'timeout'], 5)).toBe(file.replace('300', '5'));
  });

  it('puts a value beside its key in place of a block, and keeps the comment of the key', () => {
    expect(edit(file, ['agent', 'verify'], ['a', 'b: c'])).toBe(
      file.replace(/verify: {3}# checks\n.*\n.*\n/, 'verify: [a, "b: c"]   # checks\n'),
    );
  });

  it('adds a key at the end of its mapping, in the same indentation', () => {
    expect(edit(file, ['agent', 'system_prompt'], 'Be brief')).toBe(
      file.replace('    - npm run lint\n', '    - npm run lint\n  system_prompt: Be brief\n'),
    );
    expect(edit('a:\n      b: 1\n', ['a', 'c'], 2)).toBe('a:\n      b: 1\n      c: 2\n');
  });

  it('adds a section at the end of the file', () => {
    expect(edit(file, ['terminal', 'timeout'], 5)).toBe(`${file}terminal:\n  timeout: 5\n`);
    expect(edit('a: 1', ['b'], 2)).toBe('a: 1\nb: 2\n');
    expect(edit('---\na: 1\n...\n', ['b'], 2)).toBe('---\na: 1\nb: 2\n...\n');
  });

  it('fills a section that is empty', () => {
    expect(edit('agent: # soon\n  # max_iterations: 5\nmodel: m\n', ['agent', 'x'], 1)).toBe(
      'agent: # soon\n  x: 1\n  # max_iterations: 5\nmodel: m\n',
    );
  });

  it('starts a file that has nothing, or only comments', () => {
    expect(edit('', ['agent', 'x'], 1)).toBe('agent:\n  x: 1\n');
    expect(edit('# mine', ['x'], 1)).toBe('# mine\nx: 1\n');
  });

  it('keeps CR LF', () => {
    expect(edit('a:\r\n  b: 1\r\n', ['a', 'c'], [true])).toBe('a:\r\n  b: 1\r\n  c: [true]\r\n');
  });

  it('quotes what YAML 1.1 would read as something else', () => {
    for (const text of [
      'no',
      '012',
      '1:30',
      '~',
      '',
      'a: b',
      '# x',
      '*x',
      '- x',
      'true',
      'two\nlines',
      ' x ',
    ]) {
      const edited = readYaml(edit('a: 1\n', ['a'], text));
      expect(edited).toMatchObject({ ok: true, yaml: { value: { a: text } } });
    }
  });

  it('writes the document anew where a key is added inside braces', () => {
    const edited = edit('# top\na: {b: 1}   # side\nc: 2\n', ['a', 'd'], 'x, y}');
    expect(edited).toContain('# top');
    expect(edited).toContain('# side');
    expect(readYaml(edited)).toMatchObject({ ok: true, yaml: { value: { a: { b: 1, d: 'x, y}' }, c: 2 } } });
  });

  it('keeps the value of a block that ends in blank lines', () => {
    const text = 'a:\n  b: |+\n    hello\n\n\n';
    expect(readYaml(edit(text, ['a', 'c'], 1))).toMatchObject({
      yaml: { value: { a: { b: 'hello\n\n\n', c: 1 } } },
    });
  });

  it('refuses what would change another value too', () => {
    expect(edit('a: &x {b: 1}\nc: *x\n', ['c', 'b'], 2)).toBe(
      'not_editable: c is a reference (*) to a value elsewhere in the file',
    );
  });

  it('overrides a merged value instead of changing where it comes from', () => {
    const edited = edit('a: &x {b: 1}\nc:\n  <<: *x\n  d: 1\n', ['c', 'b'], 2);
    expect(edited).toBe('a: &x {b: 1}\nc:\n  <<: *x\n  d: 1\n  b: 2\n');
  });

  it('refuses a path through a single value', () => {
    expect(edit('model: m\n', ['model', 'x'], 2)).toBe('not_editable: model.x cannot be set in this file');
  });

  it('means exactly what was asked for, whatever the file looks like, and changes no other value', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'no', 'x y', 'k:');
    const scalar = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constantFrom('no', '012', '# c', 'a: b', 'l\nm'),
    );
    const list = fc.array(scalar, { maxLength: 3 });
    const mapping = fc.dictionary(name, fc.oneof(scalar, list), { maxKeys: 3, noNullPrototype: true });
    const document = fc.dictionary(name, fc.oneof(scalar, list, mapping), {
      maxKeys: 4,
      noNullPrototype: true,
    });
    const style = fc.constantFrom(false, true);
    fc.assert(
      fc.property(
        document,
        name,
        name,
        fc.oneof(scalar, list),
        style,
        (value, section, key, wanted, isFlow) => {
          const text = isFlow ? JSON.stringify(value) : toBlock(value);
          const before = readYaml(text);
          if (!before.ok) throw new Error(`bad example: ${text}`);
          const current = value[section];
          fc.pre(current === undefined || (typeof current === 'object' && !Array.isArray(current)));
          const edited = edit(text, [section, key], wanted);
          const meant = { ...value, [section]: { ...current, [key]: wanted } };
          const after = readYaml(edited);
          expect(after.ok && after.yaml.value).toEqual(meant);
        },
      ),
    );
  });
});

/** Block style with a comment on every line that can have one. */
function toBlock(value: Record<string, unknown>, indent = ''): string {
  return Object.entries(value)
    .map(([key, item]) => {
      const name = `${indent}${JSON.stringify(key)}:`;
      const isMapping = typeof item === 'object' && item !== null && !Array.isArray(item);
      if (!isMapping || Object.keys(item).length === 0) return `${name}   ${JSON.stringify(item)}  # c\n`;
      return `${name} # c\n${toBlock(item as Record<string, unknown>, `${indent}  `)}`;
    })
    .join('');
}
