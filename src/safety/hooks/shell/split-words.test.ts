import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitWords } from './split-words.ts';

const ORACLE = `
import json, shlex, sys
def words(text):
    try:
        return shlex.split(text, comments=False, posix=True)
    except ValueError as error:
        return str(error)
print(json.dumps([words(text) for text in json.load(sys.stdin)]))
`;

function python(texts: readonly string[]): readonly unknown[] {
  const { stdout, status, stderr } = spawnSync('python3', ['-c', ORACLE], {
    input: JSON.stringify(texts),
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return JSON.parse(stdout) as unknown[];
}

const PYTHON_ERRORS = {
  unclosed_quote: 'No closing quotation',
  lone_backslash: 'No escaped character',
} as const;

function ours(text: string): unknown {
  const split = splitWords(text);
  return split.ok ? split.value : PYTHON_ERRORS[split.code];
}

const awkward = fc.string({
  unit: fc.constantFrom(
    ' ',
    '\t',
    '\n',
    '\r',
    '"',
    "'",
    '\\',
    '#',
    '~',
    '$',
    '|',
    '&',
    ';',
    'a',
    'é',
    '😀',
    '\u00a0',
    '\0',
  ),
  maxLength: 24,
});

describe('splitting a command', () => {
  it('gives the words of shlex.split', () => {
    const texts = [
      ...fc.sample(awkward, 4000),
      ...fc.sample(fc.string({ unit: 'grapheme', maxLength: 30 }), 1000),
    ];
    const expected = python(texts);
    for (const [index, text] of texts.entries()) expect([text, ours(text)]).toEqual([text, expected[index]]);
  });

  it.each<[string, readonly string[]]>([
    ["'/My Hooks é/h.sh' 'two words'", ['/My Hooks é/h.sh', 'two words']],
    ['a"b c"d', ['ab cd']],
    [`'' ""`, ['', '']],
    [String.raw`a\ b "\n\"" '\'`, ['a b', String.raw`\n"`, '\\']],
    ['grep # no comment', ['grep', '#', 'no', 'comment']],
    ['', []],
  ])('%s', (text, words) => {
    expect(splitWords(text)).toEqual({ ok: true, value: words });
  });

  it.each([
    ["unclosed 'quote", 'unclosed_quote'],
    ['"', 'unclosed_quote'],
    [String.raw`"a\"`, 'unclosed_quote'],
    ['a\\', 'lone_backslash'],
    ['"a\\', 'lone_backslash'],
  ])('%s is refused', (text, code) => {
    expect(splitWords(text)).toMatchObject({ ok: false, code });
  });
});
