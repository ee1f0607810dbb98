import { describe, expect, it } from 'vitest';
import { parseStatements } from './parse-statements.ts';

describe('parseStatements', () => {
  it('gives every statement with its here-documents, and reads it when asked', () => {
    const { statements, isWhole } = parseStatements('a; cat <<E\nx\nE\nb &');
    expect(isWhole).toBe(true);
    expect(statements.map(({ text }) => text)).toEqual(['a; ', 'cat <<E\nx\nE\n', 'b &']);
    expect(statements.map(({ read }) => read().statement?.isBackground)).toEqual([false, false, true]);
  });

  it('gives what stands in front of a mistake', () => {
    const { statements, isWhole } = parseStatements('a\nb "x" )\nc');
    expect(isWhole).toBe(false);
    expect(statements.map(({ text }) => text.trim())).toEqual(['a', 'b "x"']);
  });

  it('says of which statement a part is not understood', () => {
    const { statements } = parseStatements('a; b $(c; )); d');
    expect(statements.slice(0, 1).map(({ read }) => read().isUnderstood)).toEqual([true]);
    const [, inner] = parseStatements('a; b "$(if c)"').statements;
    expect(inner?.read().isUnderstood).toBe(false);
  });

  it('is not whole with more text than bash is given, and with letters that the parser reads differently', () => {
    expect(parseStatements('a;'.repeat(70_000)).isWhole).toBe(false);
    expect(parseStatements('a\r\nb').isWhole).toBe(false);
  });
});
