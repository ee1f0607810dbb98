import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { analyseCommand } from './analyse-command.ts';

const CASES = readFileSync(new URL('./fixtures/lexical.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => line.replaceAll('␊', '\n'));

/** A directory with a program that leaves a trace when it runs. */
function openSandbox(): { readonly path: string; readonly runs: (command: string) => boolean } {
  const path = mkdtempSync(join(tmpdir(), 'lexical-'));
  onTestFinished(() => {
    rmSync(path, { recursive: true, force: true });
  });
  const trace = join(path, 'trace');
  const fill = (): void => {
    for (const name of readdirSync(path)) rmSync(join(path, name), { recursive: true, force: true });
    mkdirSync(join(path, 'bin'));
    writeFileSync(join(path, 'bin', 'marker'), `#!/bin/sh\n: > '${trace}'\n`, { mode: 0o755 });
    writeFileSync(join(path, 'i'), 'line\n');
  };
  return {
    path,
    runs: (command) => {
      fill();
      spawnSync('/bin/bash', ['--noprofile', '--norc', '-c', command], {
        cwd: path,
        env: { PATH: `${path}/bin:/usr/bin:/bin`, HOME: path, LC_ALL: 'C.UTF-8' },
        timeout: 5000,
        stdio: ['ignore', 'ignore', 'ignore'],
      });
      return existsSync(trace);
    },
  };
}

it('no program that bash runs is invisible', () => {
  const sandbox = openSandbox();
  const place = {
    cwd: sandbox.path,
    home: sandbox.path,
    workspace: sandbox.path,
    hermaHome: join(sandbox.path, '.herma'),
  };
  const sees = (command: string): boolean => {
    const { programs, findings } = analyseCommand(command, place);
    return (
      programs.some(({ argv: [name] }) => name === 'marker' || name === undefined) || findings.length > 0
    );
  };
  const running = CASES.filter((command) => sandbox.runs(command));
  expect(running.length).toBeGreaterThan(150);
  expect(running.filter((command) => !sees(command))).toEqual([]);
  // Not by calling everything suspicious: what does not run is seldom said to.
  const idle = CASES.filter((command) => !running.includes(command));
  expect(idle.filter(sees).length).toBeLessThan(idle.length * 0.8);
  const named = running.filter((command) =>
    analyseCommand(command, place).programs.some(({ argv: [name] }) => name === 'marker'),
  );
  expect(named.length / running.length).toBeGreaterThan(0.85);
});
