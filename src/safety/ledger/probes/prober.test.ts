import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../kernel/json/index.ts';
import { createRedactor } from '../../../kernel/redact/index.ts';
import type { ForeseenChange, ToolCall } from '../../../kernel/tool-call/index.ts';
import { FakeClock, systemClock } from '../../../platform/clock/index.ts';
import type { Foreseen } from '../model/foreseen.ts';
import type { LedgerRow } from '../model/ledger-row.ts';
import { callOf, rowOf } from './probe-bench.ts';
import { Prober, type ProberPorts } from './prober.ts';

const redactor = createRedactor();

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'probes-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function prober(ports: Partial<ProberPorts> = {}): Prober {
  return new Prober({ clock: systemClock, redactor, userHome: folder, ...ports });
}

function writing(changes: readonly ForeseenChange[]): Prober {
  return prober({ foreseeOf: () => () => Promise.resolve(changes) });
}

function call(tool: string, args: JsonObject = {}): ToolCall {
  return callOf({ tool, args, cwd: folder });
}

function row(tool: string, more: Partial<LedgerRow> = {}): LedgerRow {
  return rowOf({ toolName: tool, cwd: folder, ...more });
}

async function foreseen(subject: Prober, tool: string): Promise<Foreseen> {
  const found = await subject.foresee(call(tool));
  if (found === undefined) throw new Error('nothing was foreseen');
  return found;
}

describe('a call that writes files', () => {
  const at = (name: string): string => join(folder, name);

  it('is NOT_LANDED before, LANDED after, and UNKNOWN when something else stands there', async () => {
    writeFileSync(at('a'), 'old');
    const subject = writing([{ path: at('a'), after: { content: 'new' } }]);
    const expected = row('write_file', { foreseen: await foreseen(subject, 'write_file') });
    expect(await subject.probe(expected)).toEqual({ verdict: 'NOT_LANDED', evidence: 'still as before: a' });
    writeFileSync(at('a'), 'new');
    expect(await subject.probe(expected)).toEqual({ verdict: 'LANDED', evidence: 'as it was to become: a' });
    writeFileSync(at('a'), 'a third thing');
    expect(await subject.probe(expected)).toEqual({
      verdict: 'UNKNOWN',
      evidence: 'neither as before nor as it was to become: a',
    });
  });

  it('is PARTIAL when one of its files is changed and another is not', async () => {
    writeFileSync(at('gone'), 'x');
    const subject = writing([
      { path: at('gone'), after: 'absent' },
      { path: at('new'), after: { content: Buffer.from([0, 255]) } },
    ]);
    const expected = row('patch', { foreseen: await foreseen(subject, 'patch') });
    writeFileSync(at('new'), Buffer.from([0, 255]));
    expect(await subject.probe(expected)).toEqual({
      verdict: 'PARTIAL',
      evidence: 'as it was to become: new; still as before: gone',
    });
    rmSync(at('gone'));
    expect((await subject.probe(expected)).verdict).toBe('LANDED');
  });

  it('is LANDED when it writes what is there already', async () => {
    writeFileSync(at('a'), 'same');
    const subject = writing([{ path: at('a'), after: { content: 'same' } }]);
    const expected = row('write_file', { foreseen: await foreseen(subject, 'write_file') });
    expect((await subject.probe(expected)).verdict).toBe('LANDED');
  });

  it('counts half a character as the replacement that is written for it', async () => {
    const subject = writing([{ path: at('a'), after: { content: 'x\ud800' } }]);
    const expected = row('write_file', { foreseen: await foreseen(subject, 'write_file') });
    writeFileSync(at('a'), 'x\ufffd');
    expect((await subject.probe(expected)).verdict).toBe('LANDED');
  });

  it('tells nothing where nothing was foreseen, or where it cannot look', async () => {
    expect(await prober().foresee(call('write_file'))).toBeUndefined();
    expect(await prober().probe(row('write_file'))).toEqual({
      verdict: 'UNKNOWN',
      evidence: 'nothing is known that a call of write_file leaves and that could be looked at',
    });
    symlinkSync(at('loop'), at('loop'));
    const path = join(at('loop'), 'a');
    const subject = prober();
    const files = [{ path, before: { type: 'absent' }, after: { type: 'folder' } }] as const;
    expect(await subject.probe(row('write_file', { foreseen: { files } }))).toEqual({
      verdict: 'UNKNOWN',
      evidence: 'cannot be checked: loop/a',
    });
  });

  it('reveals neither content nor secrets, in what is stored and in what is said', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    mkdirSync(at('plain'));
    writeFileSync(at('plain/a'), 'old content');
    const subject = writing([
      { path: at('plain/a'), after: { content: 'the new content' } },
      { path: at(secret), after: { content: 'x' } },
    ]);
    const known = await foreseen(subject, 'write_file');
    expect(JSON.stringify(known)).not.toMatch(/content|ghp_/);
    expect(await subject.probe(row('write_file', { foreseen: known }))).toEqual({
      verdict: 'UNKNOWN',
      evidence: 'still as before: plain/a; cannot be checked: the rest of the call',
    });
    const files = [{ path: at(`${secret}/\u001b[2J\nx`), before: { type: 'absent' } }] as const;
    const { evidence } = await subject.probe(row('write_file', { foreseen: { files } }));
    expect(evidence).not.toContain(secret);
    expect(evidence).not.toMatch(/\p{Cc}/u);
  });

  it('is one line of at most 300 characters however long the paths are', async () => {
    const files = [1, 2, 3, 4].map((n) => ({
      path: at(`${'long name '.repeat(20)}${String(n)}`),
      before: { type: 'absent' } as const,
      after: { type: 'folder' } as const,
    }));
    const { evidence } = await prober().probe(row('write_file', { foreseen: { files } }));
    expect(evidence.length).toBeLessThanOrEqual(300);
    expect(evidence.endsWith('…')).toBe(true);
  });
});

describe('a delegated call', () => {
  it.each([
    ['completed', 'LANDED', 'the child has finished: session c1'],
    ['running', 'UNKNOWN', 'the child is still running: session c1'],
    ['failed', 'PARTIAL', 'the child did not finish: session c1'],
    ['none', 'NOT_LANDED', 'no child was started: session c1'],
  ] as const)('with a child that is %s is %s', async (state, verdict, evidence) => {
    const subject = prober({ childState: () => Promise.resolve({ state, summary: 'session c1' }) });
    expect(await subject.probe(row('delegate_task'))).toEqual({ verdict, evidence });
  });

  it('is UNKNOWN where children cannot be looked up', async () => {
    const evidence = 'the session it delegated to cannot be looked up';
    expect(await prober().probe(row('delegate_task'))).toEqual({ verdict: 'UNKNOWN', evidence });
    const blind = prober({ childState: () => Promise.resolve(undefined) });
    expect(await blind.probe(row('delegate_task'))).toEqual({ verdict: 'UNKNOWN', evidence });
  });
});

describe('a call of a tool of an MCP server', () => {
  const probes = (expected: string): ProberPorts['mcpProbes'] =>
    new Map([['mcp__cron__create', { tool: 'mcp__cron__list', args: { all: true }, expect: expected }]]);

  it.each([
    ['daily', 'LANDED', 'the answer of mcp__cron__list holds what was expected'],
    ['/DAILY +AT \\d/i', 'LANDED', 'the answer of mcp__cron__list holds what was expected'],
    ['weekly', 'NOT_LANDED', 'the answer of mcp__cron__list does not hold what was expected'],
    ['/^daily$/', 'NOT_LANDED', 'the answer of mcp__cron__list does not hold what was expected'],
    ['/(/', 'UNKNOWN', 'what the probe by mcp__cron__list expects is no pattern that can be used'],
    ['', 'UNKNOWN', 'the probe by mcp__cron__list expects nothing'],
  ])('whose reading tool is to answer %j is %s', async (expected, verdict, evidence) => {
    const asked: unknown[] = [];
    const subject = prober({
      mcpProbes: probes(expected),
      callReadTool: (tool, args) => {
        asked.push([tool, args]);
        return Promise.resolve('jobs: daily  at 8');
      },
    });
    expect(await subject.probe(row('mcp__cron__create'))).toEqual({ verdict, evidence });
    expect(asked).toEqual([['mcp__cron__list', { all: true }]]);
  });

  it('is UNKNOWN when a pattern takes too long', async () => {
    const subject = prober({
      mcpProbes: probes('/^(a+)+$/'),
      callReadTool: () => Promise.resolve(`${'a'.repeat(60)}!`),
    });
    expect((await subject.probe(row('mcp__cron__create'))).verdict).toBe('UNKNOWN');
  });

  it('is UNKNOWN without a probe, without an answer and when the reading tool fails', async () => {
    expect((await prober().probe(row('mcp__x__y'))).evidence).toBe('no probe is configured for mcp__x__y');
    expect((await prober({ mcpProbes: probes('x') }).probe(row('mcp__cron__create'))).evidence).toBe(
      'mcp__cron__list, which is to tell, gave no answer',
    );
    const failing = prober({
      mcpProbes: probes('x'),
      callReadTool: () => Promise.reject(new Error('token=hunter2hunter2 refused')),
    });
    const { verdict, evidence } = await failing.probe(row('mcp__cron__create'));
    expect(verdict).toBe('UNKNOWN');
    expect(evidence).toContain('looking failed');
    expect(evidence).not.toContain('hunter2');
  });
});

describe('the probe of a plugin', () => {
  it('answers for its tool, and for no other', async () => {
    const subject = prober();
    const seen: string[] = [];
    const registered = subject.register('job_create', ({ callId }) => {
      seen.push(callId);
      return Promise.resolve({ verdict: 'NOT_LANDED', evidence: 'jobs.json\nhas no "daily"' });
    });
    expect(registered).toEqual({ ok: true, value: undefined });
    expect(await subject.probe(row('job_create'))).toEqual({
      verdict: 'NOT_LANDED',
      evidence: 'jobs.json⏎has no "daily"',
    });
    expect(seen).toEqual(['call-1']);
    expect((await subject.probe(row('constructor'))).verdict).toBe('UNKNOWN');
  });

  it('is refused for a tool that has one', () => {
    const subject = prober();
    const probe = (): Promise<never> => Promise.reject(new Error('never asked'));
    subject.register('job_create', probe);
    for (const tool of ['job_create', 'terminal', 'write_file', 'patch', 'delegate_task'])
      expect(subject.register(tool, probe)).toMatchObject({ ok: false, code: 'probe_taken' });
  });

  it('says UNKNOWN when it throws, gives no verdict or takes longer than 2 s', async () => {
    const clock = new FakeClock();
    const subject = prober({ clock });
    const aborted: boolean[] = [];
    subject.register('throws', () => {
      throw new Error('broken');
    });
    subject.register('odd', () => Promise.resolve(JSON.parse('{"verdict":"MAYBE","evidence":7}')));
    subject.register('hangs', (_, signal) => {
      signal.addEventListener('abort', () => aborted.push(true));
      return new Promise(() => undefined);
    });
    const unknown = (evidence: string): object => ({ verdict: 'UNKNOWN', evidence });
    expect(await subject.probe(row('throws'))).toEqual(unknown('looking failed: broken'));
    expect(await subject.probe(row('odd'))).toEqual(unknown('the probe gave no verdict'));
    const hanging = subject.probe(row('hangs'));
    await clock.advance(2000);
    expect(await hanging).toEqual(unknown('looking took longer than 2 s'));
    expect([aborted, clock.pending]).toEqual([[true], 0]);
  });
});

describe('foreseeing', () => {
  it('keeps the exit file when the rest takes too long or fails', async () => {
    const clock = new FakeClock();
    const exitFile = join(folder, 'x.rc');
    const ports = { clock, exitFileOf: () => exitFile };
    const slow = prober({ clock, foreseeOf: () => () => new Promise(() => undefined) });
    const waiting = slow.foresee(call('write_file'));
    await clock.whenPending(1);
    await clock.advance(200);
    expect(await waiting).toBeUndefined();
    const failing = prober({ foreseeOf: () => () => Promise.reject(new Error('no')) });
    expect(await failing.foresee(call('write_file'))).toBeUndefined();
    expect(await prober(ports).foresee(call('terminal', { command: 'echo (' }))).toEqual({
      files: [],
      exitFile,
    });
  });

  it('tells a file by its stamp when there is no time to read it, and what is to stand there all the same', async () => {
    const clock = new FakeClock();
    const path = join(folder, 'a');
    writeFileSync(path, 'old');
    const subject = prober({
      clock,
      foreseeOf: () => async () => {
        await clock.sleep(150);
        return [{ path, after: { content: 'new' } }];
      },
    });
    const waiting = subject.foresee(call('write_file'));
    await clock.whenPending(3);
    await clock.advance(150);
    const found = await waiting;
    expect([found?.files[0]?.before?.type, found?.files[0]?.after?.type, clock.pending]).toEqual([
      'other',
      'file',
      0,
    ]);
    const expected = row('write_file', { foreseen: found });
    expect((await prober().probe(expected)).verdict).toBe('NOT_LANDED');
    writeFileSync(path, 'new');
    expect((await prober().probe(expected)).verdict).toBe('LANDED');
  });

  it('goes without an exit file when nobody can say where it is', async () => {
    const subject = prober({
      exitFileOf: () => {
        throw new Error('no');
      },
    });
    expect(await subject.foresee(call('terminal', { command: 'make' }))).toBeUndefined();
  });

  it('trusts no exit file that is there already, and none for the background', async () => {
    const exitFile = join(folder, 'x.rc');
    const subject = prober({ exitFileOf: () => exitFile });
    expect(await subject.foresee(call('terminal', { command: 'make', background: true }))).toBeUndefined();
    writeFileSync(exitFile, '0\n');
    expect(await subject.foresee(call('terminal', { command: 'make' }))).toBeUndefined();
    expect(readFileSync(exitFile, 'utf8')).toBe('0\n');
  });
});
