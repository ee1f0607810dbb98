import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRedactor } from '../../../kernel/redact/index.ts';
import { systemClock } from '../../../platform/clock/index.ts';
import { currentProcessIdentity } from '../../../platform/process/index.ts';
import type { LedgerRow } from '../model/ledger-row.ts';
import type { ProbeResult } from '../model/probe.ts';
import { callOf, rowOf } from './probe-bench.ts';
import { Prober } from './prober.ts';

const PATIENCE = { timeout: 20_000 };

let folder: string;
let exitFile: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'terminal-'));
  exitFile = join(folder, 'call.rc');
});
afterEach(() => {
  // Lets go of whatever still waits for it.
  writeFileSync(join(folder, 'go'), '');
  rmSync(folder, { recursive: true, force: true });
});

function prober(): Prober {
  return new Prober({
    clock: systemClock,
    redactor: createRedactor(),
    userHome: folder,
    exitFileOf: () => exitFile,
  });
}

/** The row of a call before which was foreseen what `command` is to leave. */
async function issued(command: string, more: Partial<LedgerRow> = {}): Promise<LedgerRow> {
  const foreseen = await prober().foresee(callOf({ tool: 'terminal', args: { command }, cwd: folder }));
  return rowOf({ cwd: folder, foreseen, ...more });
}

function probed(row: LedgerRow): Promise<ProbeResult> {
  return prober().probe(row);
}

/** Runs a command as `terminal` does, for an agent that the command kills with SIGKILL. */
function runInKilledAgent(command: string): void {
  const source = (name: string): string => JSON.stringify(new URL(`../../../${name}`, import.meta.url).href);
  const agent = join(folder, 'agent.mjs');
  const started = [command, exitFile].map((text) => JSON.stringify(text));
  writeFileSync(
    agent,
    `import { shellInvocation } from ${source('agent/tools/terminal/shell-invocation.ts')};
     import { runProcess } from ${source('platform/process/index.ts')};
     const [command, exitFile] = [${started.join(', ')}];
     await runProcess({
       ...shellInvocation(command, process.env, exitFile),
       cwd: ${JSON.stringify(folder)},
       maxStdoutBytes: 0,
       maxStderrBytes: 0,
       keep: 'head',
     });`,
  );
  expect(spawnSync(process.execPath, [agent]).signal).toBe('SIGKILL');
}

const KILL_AGENT = 'kill -KILL $PPID; while kill -0 $PPID 2>/dev/null; do sleep 0.01; done';
/** Ends the shell that would leave the exit code, with all it started. */
const KILL_ALL = `${KILL_AGENT}; kill -KILL 0`;

async function whenThere(path: string): Promise<void> {
  await vi.waitFor(() => expect(existsSync(path)).toBe(true), { timeout: 15_000, interval: 10 });
}

describe('a command whose agent was killed', PATIENCE, () => {
  it('is LANDED when its shell went on to the end', async () => {
    const row = await issued('./deploy.sh');
    runInKilledAgent(`${KILL_AGENT}; true`);
    await whenThere(exitFile);
    expect(await probed(row)).toEqual({ verdict: 'LANDED', evidence: 'it ended with exit code 0' });
  });

  it('is UNKNOWN while it runs, and then what its exit code says', async () => {
    const row = await issued('./deploy.sh');
    runInKilledAgent(`${KILL_AGENT}; while [ ! -e go ]; do sleep 0.01; done; exit 7`);
    const running = await probed(row);
    expect(running.verdict).toBe('UNKNOWN');
    expect(running.evidence).toMatch(/^still running \(process \d+\), without an exit code so far$/);
    writeFileSync(join(folder, 'go'), '');
    await whenThere(exitFile);
    expect(await probed(row)).toEqual({
      verdict: 'PARTIAL',
      evidence: 'it ended with exit code 7; what it did until then is not known',
    });
  });

  it('is NOT_LANDED when its shell was killed before the effect', async () => {
    const row = await issued('mkdir made');
    runInKilledAgent(`${KILL_ALL}; mkdir made`);
    await whenGone();
    expect(await probed(row)).toEqual({
      verdict: 'NOT_LANDED',
      evidence: 'its shell left no exit code; still as before: made (not there)',
    });
  });

  it('is LANDED when its shell was killed after the effect', async () => {
    const row = await issued('mkdir made');
    runInKilledAgent(`mkdir made; ${KILL_ALL}`);
    await whenGone();
    expect(await probed(row)).toEqual({
      verdict: 'LANDED',
      evidence: 'its shell left no exit code; as it was to become: made (a folder)',
    });
  });

  it('is UNKNOWN when it left no exit code and nothing of it can be looked for', async () => {
    const row = await issued('./deploy.sh');
    runInKilledAgent(KILL_ALL);
    await whenGone();
    expect(await probed(row)).toEqual({
      verdict: 'UNKNOWN',
      evidence: 'its shell left no exit code; nothing it was to make is known that could be looked for',
    });
  });

  async function whenGone(): Promise<void> {
    const row = rowOf({ foreseen: { files: [], exitFile } });
    await vi.waitFor(async () => expect((await probed(row)).evidence).not.toContain('running'), {
      timeout: 15_000,
      interval: 10,
    });
  }
});

describe('an exit code other than 0', () => {
  it.each([
    ['the whole effect', ['a', 'b'], 'LANDED', 'as it was to become: a, b'],
    ['a part of it', ['a'], 'PARTIAL', 'as it was to become: a; still as before: b (not there)'],
    ['none of it', [], 'NOT_LANDED', 'still as before: a (not there), b (not there)'],
  ] as const)('is named, and the verdict is by what is there: %s', async (_, made, verdict, evidence) => {
    const row = await issued('touch a b');
    for (const name of made) writeFileSync(join(folder, name), '');
    writeFileSync(exitFile, '1\n');
    expect(await probed(row)).toEqual({ verdict, evidence: `it ended with exit code 1; ${evidence}` });
  });

  it('is PARTIAL where what is there tells nothing', async () => {
    const row = await issued('touch a; ./deploy.sh');
    writeFileSync(exitFile, '2\n');
    expect(await probed(row)).toEqual({
      verdict: 'PARTIAL',
      evidence: 'it ended with exit code 2; what it did until then is not known',
    });
  });

  it.each(['', '0', 'x\n', '0\n0\n', '-1\n', '9999\n'])('is none when the file holds %j', async (content) => {
    const row = await issued('mkdir made');
    writeFileSync(exitFile, content);
    expect((await probed(row)).verdict).toBe('NOT_LANDED');
  });
});

describe('a command nobody can see the end of', () => {
  it('is not said to be undone when it may go on in the background', async () => {
    const foreseen = await prober().foresee(
      callOf({ tool: 'terminal', args: { command: 'mkdir made', background: true }, cwd: folder }),
    );
    const row = rowOf({ cwd: folder, foreseen, argsJson: '{"command":"mkdir made","background":true}' });
    expect(await probed(row)).toEqual({
      verdict: 'UNKNOWN',
      evidence: 'it may still run, which cannot be seen from here; still as before: made (not there)',
    });
  });

  it('is not said to be undone when it ran in another container of this machine', async () => {
    const owner = { ...currentProcessIdentity(), pidNamespace: 'pid:[1]' };
    expect((await probed(await issued('mkdir made', { owner }))).verdict).toBe('UNKNOWN');
    const earlier = { ...owner, bootId: 'an earlier boot' };
    expect((await probed(await issued('mkdir made', { owner: earlier }))).verdict).toBe('NOT_LANDED');
  });
});

describe('a command in another folder', () => {
  it('is looked for there', async () => {
    const args = { command: 'mkdir -p ~/x && touch y', workdir: '~/deep' };
    spawnSync('mkdir', ['deep'], { cwd: folder });
    const foreseen = await prober().foresee(callOf({ tool: 'terminal', args, cwd: '/' }));
    expect(foreseen?.files.map(({ path }) => path)).toEqual([join(folder, 'x'), join(folder, 'deep/y')]);
  });
});
