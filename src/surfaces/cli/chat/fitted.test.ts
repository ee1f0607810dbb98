import { type Component, Markdown, SelectList, Text, visibleWidth } from '@earendil-works/pi-tui';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fitted } from './fitted.ts';
import { createTheme } from './theme.ts';
import { markdownTheme, selectTheme } from './tui-theme.ts';

const theme = createTheme(true);
const words = fc.string({
  unit: fc.constantFrom('a', ' ', '你', '👍🏽', 'é', '\t', '\n', '|', '-', '`', '*', '#', '>', '1. '),
  maxLength: 60,
});

const wide: Component = { render: () => ['12345', '', '你好'], invalidate: () => undefined };

describe('a fitted component', () => {
  it.each([
    ['a text', (text: string) => new Text(text, 0, 0)],
    ['markdown', (text: string) => new Markdown(text, 0, 0, markdownTheme(theme))],
    ['a list', (text: string) => new SelectList([{ value: 'v', label: text }], 1, selectTheme(theme))],
  ])('never draws %s wider than it may', (_, create) => {
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 12 }), (text, width) => {
        const fitted = new Fitted(create(text));
        for (const line of fitted.render(width)) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('cuts what is too wide, and nothing else', () => {
    const cut = (width: number): readonly number[] =>
      new Fitted(wide).render(width).map((line) => visibleWidth(line));
    expect(cut(5)).toEqual([5, 0, 4]);
    expect(cut(3)).toEqual([3, 0, 2]);
    expect(cut(1)).toEqual([1, 0, 0]);
  });

  it('gives back the same lines as long as nothing has changed', () => {
    const text = new Text('some words that are long', 0, 0);
    const fitted = new Fitted(text);
    const first = fitted.render(4);
    expect(fitted.render(4)).toBe(first);
    expect(fitted.render(8)).not.toBe(first);
    text.setText('other');
    expect(fitted.render(8).join('')).toContain('other');
  });
});
