import { describe, expect, it } from 'vitest';
import { findCommand, isCommandLine, type SlashCommand } from './slash-commands.ts';

const command = (name: string, ...aliases: string[]): SlashCommand => ({
  name,
  aliases,
  summary: name,
  run: async () => Promise.resolve('go-on'),
});
const commands = [command('model'), command('new', 'reset')];

describe('a line that begins with a slash', () => {
  it.each(['/', '/new', '/nwe', '/model a:b', '/model\nx', '/constructor'])('%j is a command', (line) => {
    expect(isCommandLine(line)).toBe(true);
  });

  it.each(['/etc/hosts says what?', 'new', ' /new', '', '//', '/a.b'])('%j is a message', (line) => {
    expect(isCommandLine(line)).toBe(false);
  });

  it('is found by its name and its aliases, with what follows', () => {
    expect(findCommand(commands, '/model  openai:x ')).toEqual({
      command: commands[0],
      argument: 'openai:x',
    });
    expect(findCommand(commands, '/reset')).toEqual({ command: commands[1], argument: '' });
  });

  it.each([
    ['/modle', { unknown: 'modle', meant: 'model' }],
    ['/rest', { unknown: 'rest', meant: 'reset' }],
    ['/zzzzzz', { unknown: 'zzzzzz' }],
    ['/constructor', { unknown: 'constructor' }],
    ['/__proto__', { unknown: '__proto__' }],
    ['/', { unknown: '' }],
  ])('%j is unknown', (line, expected) => {
    expect(findCommand(commands, line)).toEqual(expected);
  });
});
