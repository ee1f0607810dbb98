import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  choiceOption,
  flagOption,
  optionalArgument,
  restArgument,
  textArgument,
  textOption,
} from '../inputs.ts';
import type { Verb } from '../verb.ts';
import { verbTable } from '../verb-table.ts';
import { bashScript } from './bash-script.ts';
import { allCommands, type CommandNode, commandTree } from './command-tree.ts';
import { fishScript } from './fish-script.ts';
import { zshScript } from './zsh-script.ts';

const trick: Verb = {
  name: 'trick',
  summary: 'it\'s a `trick` with $HOME and "quotes": really',
  example: 'herma trick',
  options: [
    choiceOption('--format <name>', 'which', ['plain', 'fancy']),
    textOption('-o, --output <file>', 'where', { completion: 'files' }),
    flagOption('--fast', "don't wait"),
  ],
  arguments: [
    textArgument('key', 'which', { completion: 'config-keys' }),
    restArgument('files', 'what', { completion: 'files' }),
  ],
  subcommands: [
    {
      name: 'again',
      summary: 'once more',
      example: 'herma trick again',
      arguments: [optionalArgument('id', 'which', { completion: 'session-ids' })],
    },
  ],
};

let root: CommandNode;
let folder: string;
beforeAll(async () => {
  root = await commandTree([
    { name: 'trick', summary: trick.summary, load: () => Promise.resolve({ verb: trick }) },
    ...verbTable.filter(({ name }) =>
      ['config', 'doctor', 'logs', 'completion', '__complete'].includes(name),
    ),
  ]);
  folder = mkdtempSync(join(tmpdir(), 'completion-'));
  writeFileSync(join(folder, 'script.bash'), bashScript(root));
  writeFileSync(join(folder, 'a file.txt'), '');
  mkdirSync(join(folder, 'a folder'));
  writeFileSync(
    join(folder, 'herma'),
    '#!/bin/bash\n[[ $1 == __complete ]] && echo "$2.one" && echo "$2.two"\n',
    { mode: 0o755 },
  );
});

/** What bash offers for the last of these words. */
function offered(...words: readonly string[]): readonly string[] {
  const program = `
    source ./script.bash
    COMP_WORDS=(./herma "$@")
    COMP_CWORD=$#
    _herma
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const run = spawnSync('bash', ['--noprofile', '--norc', '-c', program, 'bash', ...words], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(run.stderr).toBe('');
  return run.stdout.split('\n').filter((line) => line !== '');
}

describe('completion in bash', () => {
  it.each([
    [['conf'], ['config']],
    [
      ['config', ''],
      ['get', 'set', 'check', 'path'],
    ],
    [['config', 'g'], ['get']],
    [['--home', '/x', 'config', 'p'], ['path']],
    [['--home', '=', '/x', 'config', 'p'], ['path']],
    [
      ['config', 'get', ''],
      ['config-keys.one', 'config-keys.two'],
    ],
    [['config', 'get', 'config-keys.t'], ['config-keys.two']],
    [['config', 'set', 'x', ''], []],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [
      ['trick', '--fo'],
      ['--force', '--format'],
    ],
    [
      ['trick', '--format', ''],
      ['plain', 'fancy'],
    ],
    [['trick', '--format', '=', 'f'], ['fancy']],
    [
      ['trick', '--format', '='],
      ['plain', 'fancy'],
    ],
    [['trick', '--fast', ''], ['again']],
    [
      ['trick', '--fast', 'config-keys'],
      ['config-keys.one', 'config-keys.two'],
    ],
    [['trick', 'k', 'a fi'], ['a file.txt']],
    [['trick', 'k', 'x', 'y', 'a fi'], ['a file.txt']],
    [
      ['trick', '-o', 'a f'],
      ['a file.txt', 'a folder'],
    ],
    [
      ['trick', 'again', ''],
      ['session-ids.one', 'session-ids.two'],
    ],
    [['--home', 'a f'], ['a folder']],
    [['config', '--ver'], ['--verbose']],
    [['--vers'], ['--version']],
    [['doctor', ''], []],
    [
      ['nonsense', ''],
      ['trick', 'config', 'doctor', 'logs', 'completion'],
    ],
  ])('%j offers %j', (words, expected) => {
    expect(offered(...words).toSorted()).toEqual([...expected].toSorted());
  });

  it('never offers what is hidden', () => {
    expect(offered('__')).toEqual([]);
  });

  it('offers every command and option that is not hidden', () => {
    expect(allCommands(root).length).toBeGreaterThan(8);
    for (const { path, options, subcommands } of allCommands(root)) {
      expect(offered(...path, '-')).toEqual(expect.arrayContaining(options.flatMap(({ names }) => names)));
      if (subcommands.length === 0) continue;
      expect(offered(...path, '')).toEqual(subcommands.map((below) => below.path.at(-1)));
    }
  });

  it('registers itself, without output', () => {
    const run = spawnSync(
      'bash',
      ['--noprofile', '--norc', '-c', 'set -eu; source ./script.bash; complete -p herma'],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    );
    expect([run.stdout, run.stderr, run.status]).toEqual(['complete -F _herma herma\n', '', 0]);
  });
});

describe('the scripts of the other shells', () => {
  it('quote what the commands say of themselves', () => {
    expect(zshScript(root)).toContain(`'trick:it'\\''s a \`trick\` with $HOME and "quotes": really'`);
    expect(fishScript(root)).toContain(`-a 'trick' -d 'it\\'s a \`trick\` with $HOME and "quotes": really'`);
  });

  it('know the commands, options and values', () => {
    const fish = fishScript(root);
    expect(fish).toContain(`complete -c herma -n '__herma_is \\'config\\'' -a 'get' -d 'print a setting'`);
    expect(fish).toContain(
      `complete -c herma -n '__herma_is \\'config get\\'' -a '(herma __complete config-keys 2>/dev/null)'`,
    );
    expect(fish).toContain(`-l format -r -a 'plain fancy' -d 'which'`);
    const zsh = zshScript(root);
    expect(zsh.startsWith('#compdef herma\n')).toBe(true);
    expect(zsh).toContain(
      `'config get 0') echo 'dynamic:config-keys' ;;`.replace(`'config get 0'`, `'config get '0`),
    );
    for (const { path } of allCommands(root)) expect(zsh).toContain(`'${path.join(' ')}')`);
  });

  it.each(['zsh', 'fish'])('are understood by %s where it is installed', (shell) => {
    const has = spawnSync(shell, ['--version']).status === 0;
    if (!has) return;
    const text = shell === 'zsh' ? zshScript(root) : fishScript(root);
    const run = spawnSync(shell, ['-n'], { input: text, encoding: 'utf8' });
    expect([run.stderr, run.status]).toEqual(['', 0]);
  });
});

describe('the table of commands', () => {
  it('says the same of each command as the command itself, with an example that begins with its name', async () => {
    for (const { name, summary, load } of verbTable) {
      const { verb } = await load();
      expect([verb.name, verb.summary]).toEqual([name, summary]);
      expect(verb.example).toMatch(new RegExp(`herma ${name}\\b`));
      for (const below of verb.subcommands ?? [])
        expect(below.example).toContain(`herma ${name} ${below.name}`);
    }
  });
});
