import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatKeyPath, parseKeyPath } from './key-path.ts';

describe('a key path', () => {
  it.each([
    ['agent', ['agent']],
    ['agent.max_iterations', ['agent', 'max_iterations']],
    ['agent.verify[0]', ['agent', 'verify', 0]],
    ['agent.verify.0', ['agent', 'verify', 0]],
    ['mcp_servers."my.server".args[12]', ['mcp_servers', 'my.server', 'args', 12]],
    ['mcp_servers.a-b.effects.*', ['mcp_servers', 'a-b', 'effects', '*']],
    ['"a\\"b"', ['a"b']],
  ])('%s is read step by step', (text, path) => {
    expect(parseKeyPath(text)).toEqual({ ok: true, value: path });
  });

  it.each(['', '.', 'a.', '.a', 'a..b', 'a[', 'a[x]', '[0]', 'a]b', '"a', 'a"b"', 'a[0]b'])(
    'refuses %j and says how a key is written',
    (text) => {
      expect(parseKeyPath(text)).toMatchObject({
        ok: false,
        message: `${JSON.stringify(text)} is not the name of a setting`,
      });
    },
  );

  it('is written so that it reads back as it was, whatever the names are', () => {
    const name = fc.string({ minLength: 1, unit: 'binary' });
    const path = fc
      .tuple(name, fc.array(fc.oneof(name, fc.nat(1000))))
      .map(([first, rest]) => [first, ...rest]);
    fc.assert(
      fc.property(path, (steps) => {
        expect(parseKeyPath(formatKeyPath(steps))).toEqual({ ok: true, value: steps });
      }),
    );
  });
});
