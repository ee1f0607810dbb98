import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Herma, type HermaExit, launcher } from '../support/herma.ts';
import { Scene } from '../support/scene.ts';

interface Answer extends HermaExit {
  readonly document: Record<string, unknown>;
}

async function gate(
  scene: Scene,
  verb: string,
  payload: unknown,
  args: readonly string[] = [],
): Promise<Answer> {
  const stdin = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const ended = await scene.run(['gate', verb, ...args], { stdin });
  const document: Record<string, unknown> = JSON.parse(ended.stdout);
  return { ...ended, document };
}

function records(scene: Scene): readonly string[] {
  return readdirSync(join(scene.home, 'run', 'calls'));
}

function recordOf(scene: Scene, ticket: unknown): Record<string, unknown> {
  const record: Record<string, unknown> = JSON.parse(
    readFileSync(join(scene.home, 'run', 'calls', `${String(ticket)}.json`), 'utf8'),
  );
  return record;
}

/** Resolves once the program reads its input, which does not end: a pipe alone does not take that much. */
async function isReading({ child }: Herma): Promise<void> {
  await new Promise((resolve) => {
    child.stdin?.write(`${' '.repeat(1_000_000)}{`, resolve);
  });
}

const CALL = { tool_name: 'Bash', tool_input: { command: 'ls' }, session_id: 's1', tool_call_id: 'c1' };
const ASKING = { config: 'approvals: {ask: [Bash]}\n' };

describe.concurrent('herma gate', () => {
  it('decides before a call and hears of its end, in processes of their own', async () => {
    await using scene = await Scene.create();
    const before = await gate(scene, 'before', { ...CALL, cwd: scene.project }, ['--agent', 'claude']);
    expect([before.code, before.stderr, before.document['decision']]).toEqual([0, '', 'allow']);
    const { ticket } = before.document;
    expect(recordOf(scene, ticket)).toMatchObject({ state: 'running', call: { agent: 'claude' } });
    const after = await gate(scene, 'after', { ticket, status: 'ok', result: 'a.txt' });
    expect([after.code, after.stdout, records(scene)]).toEqual([0, '{"ok":true}\n', []]);
    const again = await gate(scene, 'after', { ticket, status: 'ok' });
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining(String(ticket))]);
    expect((await gate(scene, 'context', { session_id: 's1' })).document).toEqual({ context: '' });
  });

  it('gives the call to the calling program, not to the shell between them', async () => {
    await using scene = await Scene.create();
    const script = 'herma() { "$0" "$@"; }; herma "$1" gate before; true';
    const run = spawnSync('sh', ['-c', script, process.execPath, launcher], {
      cwd: scene.project,
      encoding: 'utf8',
      env: { ...process.env, HERMA_HOME: scene.home },
      input: JSON.stringify(CALL),
    });
    const answer: Record<string, unknown> = JSON.parse(run.stdout);
    expect(recordOf(scene, answer['ticket'])['owner']).toMatchObject({ pid: process.pid });
    const named = await gate(scene, 'before', { ...CALL, owner_pid: process.ppid });
    expect(recordOf(scene, named.document['ticket'])['owner']).toMatchObject({ pid: process.ppid });
  });

  it('lets one of many processes use the ticket of a question', async () => {
    await using scene = await Scene.create(ASKING);
    const asked = await gate(scene, 'before', CALL);
    expect([asked.code, asked.document['decision']]).toEqual([1, 'ask']);
    const { ticket } = asked.document;
    const other = await gate(scene, 'before', { ...CALL, tool_input: { command: 'rm x' }, approved: ticket });
    expect([other.code, other.document['decision']]).toEqual([1, 'ask']);
    expect(other.document['reason']).toContain(
      `the ticket "${String(ticket)}" approves nothing: it belongs to another call`,
    );
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => gate(scene, 'before', { ...CALL, approved: ticket })),
    );
    const decisions = answers.map(({ code, document }) => `${String(code)} ${String(document['decision'])}`);
    expect(decisions.toSorted()).toEqual(['0 allow', ...Array.from({ length: 5 }, () => '1 ask')]);
  });

  it('keeps the calls of many processes apart', async () => {
    await using scene = await Scene.create();
    const calls = Array.from({ length: 6 }, (_, index) => ({ ...CALL, tool_call_id: `c${String(index)}` }));
    const answers = await Promise.all(calls.map((call) => gate(scene, 'before', call)));
    expect(new Set(answers.map(({ document }) => document['ticket'])).size).toBe(6);
    const settled = await Promise.all(
      calls.map(({ session_id, tool_call_id }) =>
        gate(scene, 'after', { session_id, tool_call_id, status: 'ok' }),
      ),
    );
    expect(settled.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(records(scene)).toEqual([]);
  });

  it('takes a payload of megabytes with every kind of character', async () => {
    await using scene = await Scene.create();
    const content = `${'A'.repeat(3_000_000)}\u2028\u0000😀 \\ "`;
    const payload = JSON.stringify({
      ...CALL,
      tool_name: 'Write',
      tool_input: { path: 'x', content, bad: 'SURROGATE' },
    });
    const { code, document } = await gate(scene, 'before', payload.replace('SURROGATE', '\\ud800'));
    expect(code).toBe(0);
    expect(document['tool_input']).toMatchObject({ content, bad: '\ud800' });
    expect((await gate(scene, 'after', { ticket: document['ticket'], status: 'ok' })).code).toBe(0);
  });

  it('blocks when it is told to end before it has decided', async () => {
    await using scene = await Scene.create();
    const herma = scene.start(['gate', 'before'], { staysOpen: true });
    await isReading(herma);
    process.kill(herma.pid, 'SIGTERM');
    const { code, stdout } = await herma.exited;
    expect(code).toBe(143);
    const document: unknown = JSON.parse(stdout);
    expect(document).toMatchObject({ decision: 'block', ticket: '', error: { code: 'interrupted' } });
  });
});

/** Runs `herma gate before` where the home is a disk of 64 KB on which `prepare` did its work. */
function onSmallDisk(
  scene: Scene,
  prepare: string,
  payload: object,
): { readonly code: number | null; readonly document: Record<string, unknown> } {
  const shell = `mount -t tmpfs -o size=64k none "$HERMA_HOME"; chmod 700 "$HERMA_HOME"; ${prepare}; exec "$@"`;
  const run = spawnSync(
    'unshare',
    ['-rm', 'sh', '-ec', shell, 'sh', process.execPath, launcher, 'gate', 'before'],
    {
      cwd: scene.project,
      encoding: 'utf8',
      env: { ...process.env, HERMA_HOME: scene.home },
      input: JSON.stringify(payload),
    },
  );
  if (run.stdout === '') throw new Error(run.stderr);
  const document: Record<string, unknown> = JSON.parse(run.stdout);
  return { code: run.status, document };
}

const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0;

describe.runIf(canMount)('herma gate on a disk that takes nothing', () => {
  const reading = { tool_name: 'read_file', tool_input: { path: 'a.txt' } };

  it.each([
    ['is full', 'dd if=/dev/zero of="$HERMA_HOME/fill" bs=1k 2>/dev/null || true', 'the disk is full'],
    ['is read-only', 'mount -o remount,ro "$HERMA_HOME"', 'the disk is read-only'],
  ])('that %s blocks what has an effect and lets reads pass', async (_title, prepare, reason) => {
    await using scene = await Scene.create();
    mkdirSync(join(scene.home, 'unseen'));
    const effect = onSmallDisk(scene, prepare, CALL);
    expect([effect.code, effect.document['decision'], effect.document['ticket']]).toEqual([1, 'block', '']);
    expect(effect.document['reason']).toContain(reason);
    const read = onSmallDisk(scene, prepare, reading);
    expect([read.code, read.document['decision'], read.document['ticket']]).toEqual([0, 'allow', '']);
    expect(read.document['warnings']).toEqual([expect.stringContaining(reason)]);
  });
});
