import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** A checkout with the real tools and the sources they read. */
function makeCheckout(): string {
  const root = mkdtempSync(join(tmpdir(), 'tools-'));
  for (const part of ['tools', 'src/kernel', 'package.json']) {
    cpSync(join(repository, part), join(root, part), { recursive: true });
  }
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
  return root;
}

function run(root: string, ...args: string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
}

describe('generate', () => {
  it('refuses a missing and an edited file, and writes them anew', () => {
    const root = makeCheckout();
    const check = (): SpawnSyncReturns<string> => run(root, 'tools/generate.ts', '--check');
    const stale = 'docs/events.md is out of date; run `npm run generate`\n';
    expect([check().stderr, check().status]).toEqual([stale, 1]);
    expect(run(root, 'tools/generate.ts').stdout).toBe('wrote docs/events.md\n');
    expect([check().stderr, check().status]).toEqual(['', 0]);
    appendFileSync(join(root, 'docs/events.md'), 'by hand');
    expect(check().status).toBe(1);
  });

  it('documents every field of an event', () => {
    const root = makeCheckout();
    run(root, 'tools/generate.ts');
    const page = readFileSync(join(root, 'docs/events.md'), 'utf8');
    expect(page).toContain('## `pre_tool_call`');
    expect(page).toMatch(/\| `tool_call_id` \| string \| always \| \w/);
  });
});

describe('check', () => {
  function checkWith(scripts: Record<string, string>): SpawnSyncReturns<string> {
    const root = makeCheckout();
    writeFileSync(join(root, 'package.json'), JSON.stringify({ type: 'module', scripts }));
    return run(root, 'tools/check.ts');
  }

  it('runs every check, also after one that fails, and names the failed ones', () => {
    const { stdout, status } = checkWith({
      'check:a': 'exit 3',
      'check:b': 'echo ran b',
      'check:c': 'exit 1',
      other: 'exit 9',
    });
    expect(stdout).toContain('ran b');
    expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
      'Failed: check:a, check:c.',
      '1 passed, 2 failed',
    ]);
    expect(status).toBe(1);
  });

  it('passes when all do, and fails when there is nothing to check', () => {
    const all = checkWith({ 'check:a': 'true' });
    expect([all.stdout.trimEnd().split('\n').at(-1), all.status]).toEqual(['1 passed, 0 failed', 0]);
    expect(checkWith({ build: 'true' }).status).toBe(1);
  });
});

describe('.ci/run', () => {
  /** Plays `npm` by a script, so that the answers of the run can be anything. */
  function runWith(npm: string): SpawnSyncReturns<string> {
    const root = mkdtempSync(join(tmpdir(), 'ci-'));
    cpSync(join(repository, '.ci'), join(root, '.ci'), { recursive: true });
    writeFileSync(join(root, 'npm'), `#!/bin/sh\n${npm}\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: `${root}:${process.env['PATH'] ?? ''}` };
    return spawnSync(join(root, '.ci/run'), { cwd: tmpdir(), encoding: 'utf8', env });
  }
  const lastLine = ({ stdout }: SpawnSyncReturns<string>): string | undefined =>
    stdout.trimEnd().split('\n').at(-1);

  it('adds up the checks and the tests', () => {
    const result = runWith(
      'case $1 in run) echo "6 passed, 0 failed";; test) echo "40 passed, 0 failed, 2 skipped";; esac',
    );
    expect([lastLine(result), result.status]).toEqual(['46 passed, 0 failed', 0]);
  });

  it.each([
    [
      'a failed test',
      'case $1 in run) echo "6 passed, 0 failed";; test) echo "39 passed, 1 failed"; exit 1;; esac',
      '45 passed, 1 failed',
    ],
    [
      'a failed check',
      'case $1 in run) echo "5 passed, 1 failed"; exit 1;; test) echo "40 passed, 0 failed";; esac',
      '45 passed, 1 failed',
    ],
    [
      'a run that ends without a count',
      'case $1 in run) echo "6 passed, 0 failed";; test) echo oops;; esac',
      '6 passed, 1 failed',
    ],
    [
      'a run that fails without a failed test',
      'case $1 in ci) ;; *) echo "6 passed, 0 failed"; exit 7;; esac',
      '12 passed, 2 failed',
    ],
    [
      'a run that is killed amid a line',
      'case $1 in run) echo "6 passed, 0 failed";; test) printf "no end of line"; kill -KILL $$;; esac',
      '6 passed, 1 failed',
    ],
    ['an installation that fails', 'exit 1', '0 passed, 1 failed'],
  ])('fails on %s', (_title, npm, expected) => {
    const result = runWith(npm);
    expect([lastLine(result), result.status]).toEqual([expected, 1]);
  });
});
