import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { guardedTurn } from '../../docs/examples/guarded-turn.ts';
import { readPage } from './markdown.ts';
import { isInstalled, root } from './program.ts';

const EXAMPLES = join(root, 'docs/examples');

let home = '';
let project = '';

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'example-'));
  home = join(folder, 'home');
  project = join(folder, 'project');
  for (const made of [home, project, join(folder, 'bin')]) mkdirSync(made, { mode: 0o700 });
  symlinkSync(join(root, 'bin/herma.js'), join(folder, 'bin/herma'));
  process.env['HERMA_HOME'] = home;
});

describe.each([
  ['docs/library.md', 'guarded-turn.ts'],
  ['docs/gate.md', 'guarded-run.sh'],
  ['docs/gate.md', 'guarded_run.py'],
  ['docs/models.md', 'hello.json'],
])('%s', (page, example) => {
  it(`shows ${example} as it is`, () => {
    const { blocks } = readPage(readFileSync(join(root, page), 'utf8'));
    expect(blocks.map(({ text }) => text)).toContain(readFileSync(join(EXAMPLES, example), 'utf8'));
  });
});

describe('guarded-turn.ts', () => {
  it('blocks what its guard forbids, and runs the rest', async () => {
    const script = join(home, 'script.json');
    const call = (id: string, command: string): object => ({ id, name: 'terminal', args: { command } });
    const steps = [{ tool_calls: [call('a', 'rm -f kept'), call('b', 'touch made')] }, 'Done.'];
    writeFileSync(script, JSON.stringify(steps));
    writeFileSync(join(project, 'kept'), '');
    const warnings: string[] = [];
    const log = (line: string): void => void warnings.push(line);
    const told = await guardedTurn({ home, cwd: project, model: `scripted:${script}`, text: 'tidy up', log });
    expect(warnings).toEqual([]);
    expect(told[0]).toBe('terminal: BLOCKED by no-rm: files are not removed here');
    expect(told[1]).toMatch(/^terminal: .*"exit_code":0/);
    expect(told[2]).toBe('Done.');
    expect([existsSync(join(project, 'kept')), existsSync(join(project, 'made'))]).toEqual([true, true]);
  });
});

describe('hello.json', () => {
  it('does what the pages show', () => {
    const { stdout, stderr, status } = runIn(process.execPath, [
      join(root, 'bin/herma.js'),
      'chat',
      '-q',
      'create hello.txt with a greeting',
      '--model',
      `scripted:${EXAMPLES}/hello.json`,
    ]);
    expect({ stdout, stderr, status }).toEqual({
      stdout: 'I wrote hello.txt.\n',
      stderr: '✓ write_file: hello.txt\n',
      status: 0,
    });
    expect(readFileSync(join(project, 'hello.txt'), 'utf8')).toBe('Hello.\n');
  });
});

describe.skipIf(!isInstalled('jq'))('guarded-run.sh', () => {
  const run = (command: string): SpawnSyncReturns<string> =>
    runIn('bash', [join(EXAMPLES, 'guarded-run.sh'), command]);

  it('runs what is allowed, with its output and exit code, and settles it', () => {
    expect(run('echo out; exit 3')).toMatchObject({ stdout: 'out\n', status: 3, stderr: '' });
    expect(openCalls()).toEqual([]);
  });

  it('does not run what asks', () => {
    writeFileSync(join(home, 'config.yaml'), 'approvals: {ask: [run]}\n');
    expect(run('touch made')).toMatchObject({ status: 1, stderr: 'not run: approvals.ask names run\n' });
    expect(existsSync(join(project, 'made'))).toBe(false);
  });

  it('does not run what cannot be decided', () => {
    writeFileSync(join(home, 'config.yaml'), 'guards: on\n');
    expect(run('touch made').stderr).toContain('not run: Nothing could be decided');
    expect(existsSync(join(project, 'made'))).toBe(false);
  });
});

describe.skipIf(!isInstalled('jq'))('the script in the README', () => {
  const { blocks } = readPage(readFileSync(join(root, 'README.md'), 'utf8'));
  const script = blocks.find(({ text }) => text.includes('herma gate before'))?.text ?? '';
  const run = (command: string): SpawnSyncReturns<string> => runIn('bash', ['-c', script, 'script', command]);

  it('runs what is allowed, and settles it', () => {
    expect(run('echo out')).toMatchObject({ stdout: 'out\n{"ok":true}\n', status: 0 });
    expect(openCalls()).toEqual([]);
  });

  it('does not run what asks', () => {
    writeFileSync(join(home, 'config.yaml'), 'approvals: {ask: [deploy]}\n');
    expect(run('touch made')).toMatchObject({ status: 1, stderr: 'approvals.ask names deploy\n' });
    expect(existsSync(join(project, 'made'))).toBe(false);
  });
});

describe.skipIf(!isInstalled('python3'))('guarded_run.py', () => {
  const run = (argv: readonly string[], input: string): SpawnSyncReturns<string> =>
    runIn('python3', [join(EXAMPLES, 'guarded_run.py'), ...argv], input);

  it('runs what is allowed', () => {
    expect(run(['echo', 'out'], '')).toMatchObject({ stdout: 'out\n', status: 0 });
    expect(openCalls()).toEqual([]);
  });

  it('runs what asks only after a yes', () => {
    writeFileSync(join(home, 'config.yaml'), 'approvals: {ask: [run]}\n');
    expect(run(['touch', 'made'], 'n\n').status).toBe(1);
    expect(existsSync(join(project, 'made'))).toBe(false);
    expect(run(['touch', 'made'], 'y\n').status).toBe(0);
    expect(existsSync(join(project, 'made'))).toBe(true);
    expect(openCalls()).toEqual([]);
  });

  it('does not run what cannot be decided', () => {
    writeFileSync(join(home, 'config.yaml'), 'guards: on\n');
    expect(run(['touch', 'made'], '').stderr).toContain('not run: Nothing could be decided');
    expect(existsSync(join(project, 'made'))).toBe(false);
  });
});

/** Runs a program in the project, with `herma` on its path. */
function runIn(program: string, args: readonly string[], input = ''): SpawnSyncReturns<string> {
  const path = [join(home, '../bin'), process.env['PATH'] ?? ''].join(delimiter);
  return spawnSync(program, args, {
    cwd: project,
    encoding: 'utf8',
    input,
    env: { ...process.env, PATH: path },
  });
}

function openCalls(): readonly string[] {
  const { stdout } = spawnSync('ls', [join(home, 'run/calls')], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line !== '');
}
