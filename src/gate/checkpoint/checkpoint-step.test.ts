import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../kernel/json/index.ts';
import type { ToolDeclaration } from '../../kernel/tool-call/index.ts';
import { FakeClock } from '../../platform/clock/index.ts';
import type { CallCapture, CaptureReport, SettleReport } from '../../safety/checkpoints/index.ts';
import {
  type CallReport,
  type CallRequest,
  Gate,
  performCall,
  storeCheckpointStep,
  type Tool,
} from '../index.ts';

const declared = (name: string, more: Partial<ToolDeclaration>): ToolDeclaration => ({
  name,
  description: '',
  parameters: { type: 'object' },
  effect: 'external',
  idempotent: false,
  pathArguments: [],
  ...more,
});

const TOOLS = [
  declared('read_file', { effect: 'none', pathArguments: ['path'] }),
  declared('write_file', { effect: 'write', pathArguments: ['path'] }),
  declared('patch', { effect: 'write', pathsOf: () => ['a.txt', '../b.txt', '~/c.txt'] }),
  declared('terminal', { effect: 'execute', pathArguments: ['workdir'] }),
  declared('mcp__x__do', {}),
  declared('delegate_task', { actsThroughGate: true }),
];

interface Rig {
  readonly log: string[];
  readonly captures: CallCapture[];
  readonly call: (tool: string, args?: JsonObject, signal?: AbortSignal) => Promise<CallReport>;
}

interface RigOptions {
  readonly onFailure?: 'warn' | 'block';
  readonly report?: Partial<CaptureReport> | Error;
  readonly settled?: Partial<SettleReport> | Error;
  readonly approve?: 'approved' | 'refused';
  readonly onCapture?: () => void;
}

function rig({
  onFailure = 'warn',
  report = {},
  settled = {},
  approve = 'approved',
  onCapture = () => undefined,
}: RigOptions = {}): Rig {
  const [log, captures, clock]: [string[], CallCapture[], FakeClock] = [[], [], new FakeClock()];
  const none = { notices: [], failures: [] };
  const store = {
    capture: async (request: CallCapture) => {
      log.push('capture');
      captures.push(request);
      onCapture();
      if (report instanceof Error) throw report;
      return Promise.resolve({ token: 'token-1', ids: [], ...none, ...report });
    },
    settle: async (token: string) => {
      log.push(`settle ${token}`);
      if (settled instanceof Error) throw settled;
      return Promise.resolve({ ...none, ...settled });
    },
  };
  const tools = new Map(
    TOOLS.map((declaration): [string, Tool] => [
      declaration.name,
      {
        ...declaration,
        execute: async () => {
          log.push('run');
          return Promise.resolve({ status: 'ok', result: 'done' });
        },
      },
    ]),
  );
  const gate = new Gate({
    catalog: { lookup: (name) => tools.get(name), names: () => [...tools.keys()] },
    unknownTools: 'refuse',
    guards: () => [
      {
        name: 'asks',
        onFailure: 'block',
        timeLimitMs: 1000,
        recheck: true,
        consult: async () => Promise.resolve({ verdict: { type: 'ask', message: 'may it?' } }),
      },
    ],
    approver: {
      decide: async () => {
        log.push('approval');
        return Promise.resolve(
          approve === 'approved'
            ? { type: 'approved', choice: 'once', remembered: false }
            : { type: 'refused', choice: 'deny', message: 'no' },
        );
      },
    },
    checkpoints: storeCheckpointStep({
      store: async () => Promise.resolve(store),
      onFailure,
      home: '/home/you',
    }),
    audience: {
      observe: async () => {
        log.push('observe');
        return Promise.resolve([]);
      },
      transform: async ({ result }) => {
        log.push('transform');
        return Promise.resolve({ text: result, warnings: [] });
      },
    },
    clock,
    newTicketId: () => 'ticket',
  });
  const call: Rig['call'] = async (tool, args = {}, signal = new AbortController().signal) => {
    const ids = { callId: 'c1', sessionId: 's1', rootSessionId: 'r1', turnId: 't1', ordinal: 0 };
    const request: CallRequest = {
      ...ids,
      tool,
      args,
      cwd: '/p/sub',
      origin: { kind: 'herma', surface: 'test' },
    };
    return performCall(request, { gate, toolOf: (name) => tools.get(name), clock, signal });
  };
  return { log, captures, call };
}

describe('the checkpoint step of the gate', () => {
  it('comes after the approval, immediately before the tool; what changed is noted after the observers', async () => {
    const { log, call } = rig();
    expect(await call('write_file', { path: 'a' })).toMatchObject({ status: 'ok', warnings: [] });
    expect(log).toEqual(['approval', 'capture', 'run', 'observe', 'settle token-1', 'transform']);
  });

  it('is not reached by a call that is refused', async () => {
    const { log, call } = rig({ approve: 'refused' });
    expect(await call('write_file', { path: 'a' })).toMatchObject({ status: 'blocked' });
    expect(log).toEqual(['approval', 'observe']);
  });

  it('captures nothing for a read, for a command that only reads, and for a tool whose calls come through the gate', async () => {
    const { captures, call } = rig();
    await call('read_file', { path: 'a' });
    await call('terminal', { command: 'git status; ls -la | wc -l' });
    await call('delegate_task', {});
    expect(captures).toEqual([]);
  });

  it('names the files of a tool that names them, resolved', async () => {
    const { captures, call } = rig();
    await call('patch');
    const owner = { sessionId: 's1', rootSessionId: 'r1', turnId: 't1', callId: 'c1' };
    expect(captures).toEqual([
      { reason: 'before patch', owner, paths: ['/p/sub/a.txt', '/p/b.txt', '/home/you/c.txt'] },
    ]);
  });

  it('scans for a command in the folder it runs in, and names the checkpoint by it', async () => {
    const { captures, call } = rig();
    await call('terminal', { command: 'rm  a \t b', workdir: '../x' });
    await call('terminal', { command: 'make', background: true });
    await call('terminal', { command: `rm ${'a'.repeat(100)}` });
    expect(captures[0]).toMatchObject({
      reason: 'before terminal: rm a b',
      paths: [],
      scan: { directory: '/p/x', footprint: { words: ['a', 'b'], isDetached: false, cwd: '/p/x' } },
    });
    expect(captures[1]).toMatchObject({ scan: { directory: '/p/sub', footprint: { isDetached: true } } });
    expect(captures[2]?.reason).toHaveLength('before terminal: '.length + 60);
  });

  it('scans in doubt: a command that cannot be read, a background command that only reads, a foreign tool', async () => {
    const { captures, call } = rig();
    await call('terminal', { command: 'if then (' });
    await call('terminal', { command: 'sleep 5', background: true });
    await call('mcp__x__do', { where: { path: '/other/file' }, text: 'a\nb' });
    expect(captures.map(({ scan }) => scan?.directory)).toEqual(['/p/sub', '/p/sub', '/p/sub']);
    expect(captures[2]?.scan?.footprint).toMatchObject({ words: ['/other/file'], isComplete: false });
  });

  it.each([
    ['the store reports it', { failures: [{ path: '/p', message: 'the disk is full' }] }],
    ['the store cannot be opened', new Error('the disk is full')],
  ])('lets the call run with a warning where it fails: %s', async (_, report) => {
    const { log, call } = rig({ report });
    const { status, warnings } = await call('write_file', { path: 'a' });
    expect(status).toBe('ok');
    expect(warnings.join()).toMatch(/no checkpoint.*the disk is full/);
    expect(log).toContain('run');
  });

  it.each([
    ['the store reports it', { failures: [{ path: '/p', message: 'the disk is full' }] }],
    ['the store cannot be opened', new Error('the disk is full')],
  ])('blocks the call where the configuration says so: %s', async (_, report) => {
    const { log, call } = rig({ report, onFailure: 'block' });
    const ended = await call('write_file', { path: 'a' });
    expect(ended).toMatchObject({ status: 'blocked', by: 'checkpoint', executed: false });
    expect(ended.message).toMatch(/on_failure is block: the disk is full/);
    expect(log).not.toContain('run');
  });

  it('closes what it had captured of a call that is blocked or cancelled', async () => {
    const failing = rig({ report: { failures: [{ path: '/q', message: 'denied' }] }, onFailure: 'block' });
    await failing.call('write_file', { path: 'a' });
    expect(failing.log).toEqual(['approval', 'capture', 'settle token-1', 'observe']);
    const controller = new AbortController();
    const cancelled = rig({ onCapture: () => controller.abort() });
    expect(await cancelled.call('write_file', { path: 'a' }, controller.signal)).toMatchObject({
      status: 'cancelled',
      executed: false,
    });
    expect(cancelled.log).toEqual(['approval', 'capture', 'settle token-1', 'observe']);
  });

  it('passes on what is covered in part, and what could not be noted afterwards', async () => {
    const noticed = rig({
      report: { notices: ['only in part'] },
      settled: { failures: [{ path: '/', message: 'x' }] },
    });
    expect((await noticed.call('write_file', { path: 'a' })).warnings).toEqual([
      'only in part',
      'What this call changed could not be noted: x',
    ]);
    const broken = rig({ settled: new Error('gone') });
    const ended = await broken.call('write_file', { path: 'a' });
    expect(ended).toMatchObject({ status: 'ok', text: 'done' });
    expect(ended.warnings).toEqual(['What this call changed could not be noted: gone']);
  });
});
