import { describe, expect, it } from 'vitest';
import type { Tool } from '../../gate/index.ts';
import { createToolBox, type ToolBox } from './index.ts';

function tool(name: string, description = `does ${name}`): Tool {
  return {
    name,
    description,
    parameters: { type: 'object' },
    effect: 'none',
    idempotent: true,
    pathArguments: [],
    execute: () => Promise.resolve({ status: 'ok', result: '' }),
  };
}

function boxOf(...names: readonly string[]): ToolBox {
  const box = createToolBox(names.map((name) => tool(name)));
  if (!box.ok) throw new Error(box.message);
  return box.value;
}

describe('createToolBox', () => {
  it('finds tools by their exact name, in the order they were given', () => {
    const box = boxOf('b', 'a');
    expect(box.names()).toEqual(['b', 'a']);
    expect(box.lookup('a')?.description).toBe('does a');
    expect(box.lookup('A')).toBeUndefined();
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', ''])(
    'finds no tool called %j',
    (name) => {
      expect(boxOf('a').lookup(name)).toBeUndefined();
      expect(boxOf('a').only([name]).names()).toEqual([]);
    },
  );

  it('finds a tool that is really called like that', () => {
    expect(boxOf('constructor').lookup('constructor')?.name).toBe('constructor');
  });

  it('makes smaller boxes for children and stays as it is', () => {
    const box = boxOf('a', 'b', 'c');
    expect(box.without(['b', 'unknown']).names()).toEqual(['a', 'c']);
    expect(box.only(['c', 'a', 'unknown']).names()).toEqual(['a', 'c']);
    expect(box.without(['a']).only(['a', 'b']).lookup('a')).toBeUndefined();
    expect(box.names()).toEqual(['a', 'b', 'c']);
  });

  it('declares tools without the means to run them', () => {
    const [declaration] = boxOf('a').declarations();
    expect(declaration).toMatchObject({ name: 'a', effect: 'none' });
    expect(declaration).not.toHaveProperty('execute');
  });

  it('refuses two tools of one name and says which ones', () => {
    expect(createToolBox([tool('x', 'first\nmore'), tool('y'), tool('x', 'second')])).toMatchObject({
      ok: false,
      code: 'duplicate_tool',
      message: 'Two tools are called "x": "first" and "second".',
    });
  });
});
