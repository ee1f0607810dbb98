import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { createRedactor } from './index.ts';

const HUGE = 3_000_000;
const redactor = createRedactor({ key: new Uint8Array(32), extraSecrets: ['aaaaaaaaab', 'correct horse'] });

const repeat = (text: string, length: number): string =>
  text.repeat(Math.ceil(length / text.length)).slice(0, length);

/** Each would take minutes, hours in 3 MB, if a rule went over the rest of the text for every piece. */
const ADVERSARIAL = [
  'A',
  'a',
  '1',
  '-',
  '_',
  '.',
  '\\',
  '"',
  '=',
  ':',
  ' ',
  '\n',
  '[',
  '{',
  '@',
  '/',
  '\u{1f600}',
  '\ue000',
  'sk-',
  'ghp_',
  'eyJ',
  'eyJaaaaaaa.',
  'AKIA',
  '1234567:AA',
  'a-',
  'A/',
  'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY/',
  'token',
  'token=',
  'token=(',
  'token=$(',
  'token="',
  'token=\\"',
  'token: ',
  "pass:'",
  'X_TOKEN=`',
  'auth: "x',
  '"secret":[',
  '"secret":{"a":1,',
  '"secret":{"type":"string",',
  '<token>',
  '<auth>a',
  'name="token" ',
  'set token ',
  '--token ',
  '--token --',
  'Cookie: a=b"',
  'cookie: ',
  'Authorization: digest ',
  'bearer ',
  'Basic ',
  'token: a | b ',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN PRIVATE KEY-----\nabc ',
  '-----END PRIVATE KEY-----',
  '-----BEGIN ',
  '://',
  'a://b:c',
  'a://b@',
  '@:',
  'curl ',
  'curl -u ',
  'curl -u a:b ',
  'mysql -p ',
  'docker login ',
  '[redacted ',
  '[redacted token len=4]',
  '${TOKEN:-',
  'token%3D',
  '&token=a',
  'password: |\n  ',
];

/** Those that come closest: every piece starts a rule that then looks ahead. */
const WORST = [
  'sk-',
  'eyJ',
  '\\',
  'token="',
  'token=(',
  '"secret":[',
  '-----BEGIN PRIVATE KEY-----',
  'curl -u ',
  '://',
  '<token>',
];

describe('findSecrets', () => {
  it.each(ADVERSARIAL)('ends on 300 KB of %j', (piece) => {
    const text = repeat(piece, HUGE / 10);
    expect(redactor.text(text).length).toBeGreaterThan(0);
    expect(redactor.redactAndCut(text, 4000).length).toBeLessThanOrEqual(4000);
  });

  it.each(WORST)('ends on 3 MB of %j', (piece) => {
    const redacted = redactor.value({ content: repeat(piece, HUGE) });
    expect(Object.keys(redacted ?? {})).toEqual(['content']);
  });

  it('keeps 3 MB of one letter as they are, in a text and in a value', () => {
    const letters = repeat('A', HUGE);
    expect(redactor.text(letters) === letters).toBe(true);
    expect(redactor.value({ content: letters })).toEqual({ content: letters });
  });

  it('bounds every quantifier of every pattern', () => {
    const patterns = sources().flatMap(patternsIn);
    expect(patterns.length).toBeGreaterThan(80);
    expect(patterns.filter(isUnbounded)).toEqual([]);
  });

  it('tells a bounded quantifier from an unbounded one', () => {
    expect(['a*', 'a+', '(?:a|b)+?', 'a{2,}', '[ab]*', '\\d+', '.*'].every(isUnbounded)).toBe(true);
    expect(['a{0,4}', '[*+]{1,2}', '\\*\\+', 'a?', '\\{2,\\}', '[{2,}]'].some(isUnbounded)).toBe(false);
  });
});

function sources(): readonly ts.SourceFile[] {
  return readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => {
      const text = readFileSync(join(import.meta.dirname, file), 'utf8');
      return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    });
}

/** Regular expressions, and the strings that look like parts of one. */
function patternsIn(file: ts.SourceFile): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push(node.text.slice(1, node.text.lastIndexOf('/')));
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateHead(node)) {
      if (/\(\?|\\\\|\{\d/.test(node.getText())) found.push(node.text);
    }
    if (ts.isTemplateMiddleOrTemplateTail(node) && /\(\?|\\\\|\{\d/.test(node.getText()))
      found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function isUnbounded(pattern: string): boolean {
  const bare = pattern.replace(/\\./g, 'x').replace(/\[(?:[^\]])*\]/g, 'x');
  return /[*+]|\{\d+,\}/.test(bare);
}
