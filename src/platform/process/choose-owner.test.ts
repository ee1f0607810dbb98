import { describe, expect, it } from 'vitest';
import { type Ancestor, chooseOwner } from './choose-owner.ts';

let nextPid = 1000;

function ancestor(name: string, ...argv: string[]): Ancestor {
  nextPid += 1;
  return { pid: nextPid, name, argv: argv.length === 0 ? [name] : argv };
}

const GATE = ['gate', 'before'];
const OURS = ['/n/node', '/x/bin/herma.js', ...GATE];
const agent = ancestor('claude', 'claude');
const launcher = ancestor('node', 'node', '/x/bin/herma.js', ...GATE);

function ownerOf(...ancestors: Ancestor[]): Ancestor | undefined {
  return chooseOwner({ ancestors, argv: OURS });
}

describe('the owner', () => {
  it('is the direct parent when that is a program', () => {
    expect(ownerOf(agent, ancestor('bash'))).toBe(agent);
  });

  it.each(['sh', 'bash', 'dash', 'zsh', 'fish', 'ksh', 'ash', 'busybox', 'tcsh', 'csh'])(
    'is not %s',
    (shell) => {
      expect(ownerOf(ancestor(shell), agent)).toBe(agent);
      expect(ownerOf(ancestor(`-${shell}`), agent)).toBe(agent);
      expect(ownerOf(ancestor('x', `/usr/bin/${shell}`), agent)).toBe(agent);
      expect(ownerOf(ancestor(shell, `-${shell}`), agent)).toBe(agent);
    },
  );

  it('is not a shell script, which the kernel names after its file', () => {
    expect(
      ownerOf(
        ancestor('hook.sh', '/bin/bash', './hook.sh'),
        ancestor('sh', '/bin/sh', '-c', './hook.sh'),
        agent,
      ),
    ).toBe(agent);
  });

  it.each([
    ['timeout', ['timeout', '10', 'herma', 'gate', 'before']],
    ['sudo', ['sudo', 'herma']],
    ['npm exec herma', ['npm exec herma gate before']],
    ['npm run start', ['npm run start']],
    ['node', ['node', '/usr/bin/npx', 'herma']],
    ['MainThread', ['/usr/bin/node', '/usr/lib/node_modules/npm/bin/npm-cli.js', 'start']],
    ['systemd', ['/usr/lib/systemd/systemd', '--user']],
  ])('is not %s %j', (name, argv) => {
    expect(ownerOf(ancestor(name, ...argv), agent)).toBe(agent);
  });

  it('is a program whose name only begins like a shell, or is in its arguments', () => {
    const python = ancestor('python3', 'python3', 'bash', 'herma.js');
    expect(ownerOf(python, agent)).toBe(python);
    const bashful = ancestor('bashful');
    expect(ownerOf(bashful, agent)).toBe(bashful);
  });

  it('falls back to the direct parent when there are only shells up to the init', () => {
    const shell = ancestor('sh');
    expect(ownerOf(shell, ancestor('bash'), ancestor('systemd'))).toBe(shell);
    expect(ownerOf(launcher, shell, ancestor('init'))).toBe(shell);
  });

  it('is undefined without any ancestor but the launcher', () => {
    expect(ownerOf()).toBeUndefined();
    expect(ownerOf(launcher)).toBeUndefined();
  });
});

describe('our launcher', () => {
  it.each([
    ['node', ['node', '/x/bin/herma.js', ...GATE]],
    ['MainThread', ['/usr/bin/node', '--no-warnings', '/x/bin/herma.js', ...GATE]],
    ['node-MainThread', ['node22', '-r', './hook.cjs', '/x/node_modules/.bin/herma', ...GATE]],
  ])('is passed over: %s %j', (name, argv) => {
    expect(ownerOf(ancestor(name, ...argv), ancestor('sh'), agent)).toBe(agent);
  });

  it('is known by the arguments it handed on: a herma agent whose shell became us is an owner', () => {
    const chat = ancestor('node', 'node', '/x/bin/herma.js', 'chat', '-q', 'hello');
    expect(ownerOf(chat, agent)).toBe(chat);
    expect(ownerOf(launcher, chat, agent)).toBe(chat);
    expect(ownerOf(launcher, ancestor('bash'), chat, agent)).toBe(chat);
  });

  it('is only the direct parent: the same command further up is a caller', () => {
    const outer = ancestor('node', 'node', '/x/bin/herma.js', ...GATE);
    expect(ownerOf(launcher, ancestor('bash'), outer, agent)).toBe(outer);
  });

  it('is no node program that has herma.js among its arguments', () => {
    const other = ancestor('node', 'node', 'agent.js', '/x/bin/herma.js', ...GATE);
    expect(ownerOf(other, agent)).toBe(other);
    const evaluated = ancestor('node', 'node', '--eval=0');
    expect(ownerOf(evaluated, agent)).toBe(evaluated);
  });
});
