import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ApprovalStore } from '../../src/gate/index.ts';
import { describeCall, fingerprintOfCall } from '../../src/kernel/tool-call/index.ts';
import { systemClock } from '../../src/platform/clock/index.ts';
import { projectRoot } from '../../src/platform/paths/index.ts';
import { randomId } from '../../src/platform/random/index.ts';
import { Scene } from '../support/scene.ts';
import { Terminal } from '../support/terminal.ts';

/** Everything dangerous asks first. */
const ASKING = { config: 'approvals: {ask: [terminal]}\n' };

interface Ran {
  readonly code: number | null;
  readonly document: Record<string, unknown>;
}

async function run(scene: Scene, command: string, more: object = {}): Promise<Ran> {
  const stdin = JSON.stringify({
    tool: 'terminal',
    session: 's1',
    cwd: scene.project,
    args: { command },
    ...more,
  });
  const { code, stdout } = await scene.run(['call'], { stdin });
  const document: Record<string, unknown> = JSON.parse(stdout);
  return { code, document };
}

/** What a person at `herma chat` leaves behind who answers with always, or with session. */
async function remember(scene: Scene, command: string, sessionId?: string): Promise<void> {
  const store = new ApprovalStore({
    path: join(scene.home, 'approvals.json'),
    lockPath: join(scene.home, 'run', 'locks', 'approvals'),
    clock: systemClock,
    newId: () => randomId('apr'),
  });
  const call = {
    tool: 'terminal',
    args: { command },
    cwd: scene.project,
    effect: 'execute' as const,
    paths: [],
    callId: 'c1',
    sessionId: sessionId ?? 'any',
    rootSessionId: sessionId ?? 'any',
    turnId: 't1',
    ordinal: 0,
    origin: { kind: 'herma' as const, surface: 'chat' },
  };
  const fingerprint = fingerprintOfCall(call);
  const kept = await store.remember({
    call: { ...call, fingerprint },
    rule: `call:${fingerprint}`,
    project: projectRoot(scene.project),
    scope: sessionId === undefined ? 'always' : 'session',
    shown: describeCall(call),
  });
  if (!kept.ok) throw new Error(kept.message);
}

describe.concurrent('unattended runs', () => {
  it('do not approve themselves: the command is denied, with the reason', async () => {
    await using scene = await Scene.create(ASKING);
    mkdirSync(scene.path('d1'));
    const { code, document } = await run(scene, 'rm -rf d1', { approval_answer: 'always' });
    expect([code, existsSync(scene.path('d1'))]).toEqual([1, true]);
    expect(document).toMatchObject({ status: 'blocked', executed: false, blocked: true });
    expect(document['message']).toMatch(/approvals\.ask names terminal, and nobody is here to ask/);
    expect(existsSync(join(scene.home, 'approvals.json'))).toBe(false);
  });

  it('may do what was approved for always, and nothing like it', async () => {
    await using scene = await Scene.create(ASKING);
    for (const folder of ['d3', 'keep', 'other', 'sub']) mkdirSync(scene.path(folder));
    await remember(scene, 'rm -rf d3');
    for (const [command, more] of [
      ['rm -rf ./keep ../work/keep', {}],
      ['rm -rf keep', {}],
      ['rm -rf d3 ', {}],
      ['rm -rf d3; rm -rf keep', {}],
      ['rm -rf d3', { cwd: scene.path('sub') }],
      ['rm -rf d3', { args: { command: 'rm -rf d3', timeout: 5 } }],
    ] as const) {
      expect([command, (await run(scene, command, more)).document['blocked']]).toEqual([command, true]);
    }
    expect(['d3', 'keep', 'other'].map((folder) => existsSync(scene.path(folder)))).toEqual([
      true,
      true,
      true,
    ]);
    expect((await run(scene, 'rm -rf d3', { session: 's7' })).code).toBe(0);
    expect(existsSync(scene.path('d3'))).toBe(false);
  });

  it('may do in a session what was approved for that session', async () => {
    await using scene = await Scene.create(ASKING);
    await remember(scene, 'touch ran', 's1');
    expect((await run(scene, 'touch ran', { session: 's2' })).document['blocked']).toBe(true);
    expect(existsSync(scene.path('ran'))).toBe(false);
    expect((await run(scene, 'touch ran')).code).toBe(0);
  });

  it('may not any more from the moment an approval is withdrawn', async () => {
    await using scene = await Scene.create(ASKING);
    await remember(scene, 'rm -rf d3');
    const listed = await scene.run(['approvals', 'list']);
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('rm -rf d3')]);
    expect(listed.stdout).toContain(realpathSync(scene.project));
    const { stdout } = await scene.run(['approvals', 'list', '--json']);
    const [{ id } = { id: '' }]: readonly { readonly id: string }[] = JSON.parse(stdout);
    expect((await run(scene, 'rm -rf d3')).code).toBe(0);
    expect(await scene.run(['approvals', 'revoke', id])).toMatchObject({ code: 0 });
    expect((await run(scene, 'rm -rf d3')).document['blocked']).toBe(true);
    expect(await scene.run(['approvals', 'revoke', id])).toMatchObject({ code: 2 });
  });

  it('may do nothing on the strength of a file that is damaged, which stays as it is', async () => {
    await using scene = await Scene.create(ASKING);
    await remember(scene, 'touch ran');
    const file = join(scene.home, 'approvals.json');
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, -4));
    const before = readFileSync(file, 'utf8');
    const { document } = await run(scene, 'touch ran');
    expect([document['blocked'], existsSync(scene.path('ran'))]).toEqual([true, false]);
    expect(document['warnings']).toEqual([
      expect.stringMatching(/No earlier approval counts: .*approvals\.json/),
    ]);
    expect(await scene.run(['approvals', 'list'])).toMatchObject({ code: 2, stdout: '' });
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});

describe('herma approvals clear at a terminal', () => {
  it('does nothing when it is interrupted, and withdraws after a yes', async () => {
    await using scene = await Scene.create();
    await remember(scene, 'rm -rf d3');
    const list = async (): Promise<string> => (await scene.run(['approvals', 'list', '--json'])).stdout;
    {
      await using terminal = await Terminal.open(scene, ['approvals', 'clear']);
      await terminal.shows('Withdraw 1 approval? [y/N]');
      process.kill(await terminal.pid(), 'SIGINT');
      expect(await terminal.ended()).toEqual({ code: 130, isRestored: true });
    }
    expect(await list()).toContain('rm -rf d3');
    await using terminal = await Terminal.open(scene, ['approvals', 'clear']);
    await terminal.shows('Withdraw 1 approval? [y/N]');
    await terminal.enter('y');
    expect(await terminal.ended()).toEqual({ code: 0, isRestored: true });
    expect(await list()).toBe('[]\n');
  });
});
