import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  describeCall,
  effectOfCall,
  fingerprintOfCall,
  isEffect,
  pathsOfCall,
  printable,
  type ToolDeclaration,
} from './index.ts';

const patch: ToolDeclaration = {
  name: 'patch',
  description: '',
  parameters: { type: 'object' },
  effect: 'write',
  effectOf: (args) => (args['dry'] === true ? 'none' : 'write'),
  idempotent: false,
  pathArguments: ['path'],
  pathsOf: (args) => (args['body'] === undefined ? [] : ['b.txt', 'a.txt']),
};

describe('a declaration', () => {
  it('says the effect of one call where its arguments tell', () => {
    expect(effectOfCall(patch, { dry: true })).toBe('none');
    expect(effectOfCall(patch, {})).toBe('write');
  });

  it('names the paths of a call once each', () => {
    expect(pathsOfCall(patch, { path: 'a.txt', body: 'x' })).toEqual(['a.txt', 'b.txt']);
    expect(pathsOfCall(patch, { path: 7 })).toEqual([]);
  });

  it('knows its effects and no others', () => {
    expect([isEffect('execute'), isEffect('constructor'), isEffect(1)]).toEqual([true, false, false]);
  });
});

describe('fingerprintOfCall', () => {
  const call = { tool: 'terminal', args: { command: 'ls', timeout: 5 }, cwd: '/p' };

  it('is the same for the same call in another order of arguments', () => {
    expect(fingerprintOfCall({ ...call, args: { timeout: 5, command: 'ls' } })).toBe(fingerprintOfCall(call));
  });

  it.each([
    { ...call, tool: 'terminal2' },
    { ...call, cwd: '/q' },
    { ...call, args: { command: 'ls ', timeout: 5 } },
    { ...call, args: { command: 'ls', timeout: '5' } },
  ])('differs for %j', (other) => {
    expect(fingerprintOfCall(other)).not.toBe(fingerprintOfCall(call));
  });

  it('keeps the borders between its fields', () => {
    expect(fingerprintOfCall({ tool: 'a', cwd: 'b","c', args: {} })).not.toBe(
      fingerprintOfCall({ tool: 'a","b', cwd: 'c', args: {} }),
    );
  });
});

describe('describeCall', () => {
  it.each([
    [{ tool: 'terminal', args: { command: 'npm test' } }, 'terminal: npm test'],
    [{ tool: 'write_file', args: { path: 'a.txt', content: 'x' } }, 'write_file: a.txt'],
    [{ tool: 'todo', args: {} }, 'todo'],
    [{ tool: 'mcp__db__insert', args: { rows: 2 } }, 'mcp__db__insert: {"rows":2}'],
    [{ tool: 'terminal', args: { command: 'a\nb\u001b[2J' } }, 'terminal: a⏎b\\u{1b}[2J'],
  ])('%j is %s', (call, line) => {
    expect(describeCall(call)).toBe(line);
  });

  it('is one printable line of bounded length, whatever the arguments', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (command) => {
        const line = describeCall({ tool: 'terminal', args: { command } });
        expect(line.length).toBeLessThanOrEqual(120);
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\u202e]/u);
      }),
    );
  });

  it.each([
    ['turn text round', 'a\u202eb', 'a\\u{202e}b'],
    ['look like a space', 'rm -rf /home/me\u00a0/x', 'rm -rf /home/me\\u{a0}/x'],
    ['look like nothing', 'a\u3164b\u034fc\ufe0fd\u2800', 'a\\u{3164}b\\u{34f}c\\u{fe0f}d\\u{2800}'],
    ['carry a hidden text', 'a\u{e0041}', 'a\\u{e0041}'],
  ])('shows what would %s', (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('leaves letters of every script, accents and emoji as they are', () => {
    const text = 'naïve Größe 日本語 العربية हिन्दी 👍🏽 a b';
    expect(printable(text)).toBe(text);
  });
});
