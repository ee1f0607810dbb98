import { describe, expect, it } from 'vitest';
import { commandWords } from './command-words.ts';

describe('the words of a command', () => {
  it.each<[string, string, readonly string[]]>([
    ['~/hook.sh', '/home/a b/hook.sh', []],
    ['python3 ~/hook.py ~', 'python3', ['/home/a b/hook.py', '/home/a b']],
    ['"~/My Hooks/h.sh" x~y', '/home/a b/My Hooks/h.sh', ['x~y']],
    ['~other/hook.sh a/~', '~other/hook.sh', ['a/~']],
    ['$HOME/hook.sh | cat && true', '$HOME/hook.sh', ['|', 'cat', '&&', 'true']],
  ])('%s', (command, program, args) => {
    expect(commandWords(command, '/home/a b')).toEqual({ ok: true, value: { program, args } });
  });

  it.each([
    ['', 'empty_command'],
    ['  \n', 'empty_command'],
    ['""', 'empty_command'],
    ["a '", 'unclosed_quote'],
  ])('%j is refused', (command, code) => {
    expect(commandWords(command, '/home/a')).toMatchObject({ ok: false, code });
  });
});
