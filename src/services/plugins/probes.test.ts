import { describe, expect, it } from 'vitest';
import { currentProcessIdentity } from '../../platform/process/index.ts';
import type { LedgerRow } from '../../safety/ledger/index.ts';
import { createPluginBench } from './plugin-bench.ts';

const signal = new AbortController().signal;

const ROW: LedgerRow = {
  id: 1,
  ts: '2030-01-01T00:00:00.000Z',
  toolName: 'cronjob',
  status: 'PENDING',
  argsJson: '{"name":"daily"}',
  argsSha256: '',
  sessionId: 's1',
  rootSessionId: 's1',
  parentSessionId: null,
  turnId: 't1',
  callId: 'c1',
  ordinal: 0,
  agent: 'herma',
  cwd: '/p',
  owner: currentProcessIdentity(),
  isOwn: true,
  issuedUptimeMs: 0,
  beatUptimeMs: null,
  awaitsApproval: false,
  graceMs: 0,
  settledAt: null,
  durationMs: null,
  resultDigest: null,
  effect: 'unknown',
  effectClass: 'external',
  foreseen: undefined,
  probe: undefined,
  checkpoint: null,
  commandClass: null,
  reportedAt: null,
  reportCount: 0,
  revivedAt: null,
  ackedAt: null,
  pairing: null,
};

const TOOL = `ctx.registerTool({ name: 'cronjob', description: 'makes a job', execute: () => 'made' });`;
const withProbe = (probe: string): string =>
  `export function register(ctx) { ctx.registerProbe('cronjob', ${probe}); ${TOOL} }`;

describe.each(['', 'isolate: true'])('a probe of a plugin (%s)', (manifest) => {
  it('is given the call as the journal has it, and says what it found', async () => {
    await using bench = await createPluginBench();
    const module = withProbe(
      `async (call) => ({ verdict: 'NOT_LANDED', evidence: JSON.stringify(call), more: 1 })`,
    );
    await bench.plugin('cron', module, { manifest });
    const { probes, plugins } = await bench.load(['cron']);
    expect(plugins[0]?.problems).toEqual([]);
    expect(probes.map(({ tool }) => tool)).toEqual(['cronjob']);
    const found = await probes[0]?.probe(ROW, signal);
    expect(found?.verdict).toBe('NOT_LANDED');
    expect(JSON.parse(found?.evidence ?? '')).toEqual({
      args: { name: 'daily' },
      cwd: '/p',
      issuedAt: ROW.ts,
      sessionId: 's1',
      toolCallId: 'c1',
    });
  });

  it.each([
    [`() => { throw new Error('no crontab'); }`, 'no crontab'],
    [`() => ({ verdict: 'MAYBE', evidence: 'x' })`, 'answered no finding'],
    [`() => ({ verdict: 'LANDED' })`, 'answered no finding'],
    [`() => undefined`, 'answered no finding'],
  ])('that is %s has found nothing', async (probe, message) => {
    await using bench = await createPluginBench();
    await bench.plugin('cron', withProbe(probe), { manifest });
    const { probes } = await bench.load(['cron']);
    await expect(probes[0]?.probe(ROW, signal)).rejects.toThrow(message);
  });

  it('is not asked about a call whose arguments were erased', async () => {
    await using bench = await createPluginBench();
    await bench.plugin('cron', withProbe(`() => ({ verdict: 'LANDED', evidence: '' })`), { manifest });
    const { probes } = await bench.load(['cron']);
    await expect(probes[0]?.probe({ ...ROW, argsJson: null }, signal)).rejects.toThrow('were erased');
  });

  it('ends with its time', async () => {
    await using bench = await createPluginBench();
    await bench.plugin('cron', withProbe('() => new Promise(() => setInterval(() => 0, 1000))'), {
      manifest,
    });
    const { probes } = await bench.load(['cron']);
    await expect(probes[0]?.probe(ROW, AbortSignal.timeout(50))).rejects.toThrow();
  });

  it('is left out for a tool that is not its own, for one it has already, and when it is none', async () => {
    await using bench = await createPluginBench();
    const find = `() => ({ verdict: 'LANDED', evidence: 'x' })`;
    await bench.plugin(
      'cron',
      `export function register(ctx) {
         ${TOOL}
         ctx.registerProbe('cronjob', ${find});
         ctx.registerProbe('cronjob', ${find});
         ctx.registerProbe('terminal', ${find});
         ctx.registerProbe('cronjob', 'no function');
         ctx.registerProbe(7, ${find});
       }`,
      { manifest },
    );
    const { probes, plugins } = await bench.load(['cron']);
    expect(probes.map(({ tool }) => tool)).toEqual(['cronjob']);
    expect(plugins[0]?.problems).toEqual([
      expect.stringContaining('"cronjob" was left out: there is one already'),
      expect.stringContaining('"cronjob" was left out: a probe is'),
      expect.stringContaining('of type number was left out'),
      expect.stringContaining('terminal was left out: the plugin has no tool of that name'),
    ]);
  });
});
