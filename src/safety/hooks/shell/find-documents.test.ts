import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDocuments } from './find-documents.ts';

const B = { action: 'block', message: 'M {"a":1} \\ "' };
const text = JSON.stringify(B);

describe('the JSON in what a script printed', () => {
  it.each<[string, readonly unknown[], boolean]>([
    ['', [], false],
    [' \r\n', [], false],
    [text, [B], false],
    [`\uFEFF${text}\r\n`, [B], false],
    [JSON.stringify(B, undefined, 2), [B], false],
    [`shell ready on host\n${text}\n`, [B], true],
    [`shell ready on host\n${JSON.stringify(B, undefined, 2)}\n`, [B], true],
    [`log: ${text} (end)`, [B], true],
    [`\u001b[32mready\u001b[0m\n${text}\n`, [B], true],
    [`${text}\n{"continue":true}`, [B, { continue: true }], false],
    [`{"continue":true}${text}`, [{ continue: true }, B], false],
    [`function () { return {} }\n${text}`, [{}, B], true],
    [`{ this is not JSON\n${text}`, [B], true],
    ['hello\n{}', [{}], true],
    ['{"context":"{\\"action\\":\\"block\\"}"}', [{ context: '{"action":"block"}' }], false],
  ])('%j', (output, objects, hasStrayText) => {
    expect(findDocuments(output)).toEqual({ objects, problem: undefined, hasStrayText });
  });

  it.each([
    'garbage',
    '[]',
    '"block"',
    '7',
    'null',
    'true',
    "{'action': 'block'}",
    '{"action":"block"',
    '{,}',
  ])('%s holds no object, which is a problem', (output) => {
    expect(findDocuments(output)).toMatchObject({
      objects: [],
      problem: 'printed something that is no JSON object',
    });
  });

  it('in a list is read, and the list is a problem', () => {
    expect(findDocuments(`[${text}]`)).toMatchObject({ objects: [B], problem: expect.any(String) as string });
  });

  it.each([`{}\n{"action": "block", "message": "cut off`, `{}\n{'decision': 'block'}`])(
    'is a problem when an answer in it cannot be read: %j',
    (output) => {
      expect(findDocuments(output)).toMatchObject({
        objects: [{}],
        problem: 'printed an answer that is no valid JSON',
      });
    },
  );

  it('is found wherever it stands in text without braces', () => {
    const noise = fc.string({ unit: 'grapheme' }).map((given) => given.replaceAll(/[{}\uFEFF]/g, ''));
    const object = fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { maxKeys: 4 });
    fc.assert(
      fc.property(noise, object, fc.constantFrom(undefined, 2), noise, (before, value, indent, after) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        const output = `${before}\n${JSON.stringify(plain, undefined, indent)}\n${after}`;
        expect(findDocuments(output).objects).toEqual([plain]);
      }),
    );
  });

  it('is a problem when there are too many braces around it to look at', () => {
    const output = '{"'.repeat(200_000) + text;
    expect(findDocuments(output).problem).toBeDefined();
  });
});
