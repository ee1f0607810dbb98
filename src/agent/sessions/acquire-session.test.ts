import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { valueOrThrow } from '../../kernel/errors/index.ts';
import { acquireSession } from './index.ts';

let folder = '';
let locks = '';
let children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'herma-sessions-'));
  locks = join(folder, 'run', 'locks');
  children = [];
});
afterEach(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

/** A process that says `ready`, and at the first line it is sent takes session `ses_1` and says how that went. */
async function contender() {
  const source = `
    import { acquireSession } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
    process.stdin.once('data', async () => {
      const acquired = await acquireSession('ses_1', { locks: ${JSON.stringify(locks)} });
      console.log(acquired.ok ? 'won' : acquired.code + ' ' + acquired.pid);
    });
    console.log('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value);
  expect(await nextLine()).toBe('ready');
  const contend = () => {
    child.stdin.write('go\n');
    return nextLine();
  };
  return { child, contend };
}

describe('acquireSession', () => {
  it('lets exactly one of several processes win, and tells the others its pid', async () => {
    const contenders = await Promise.all([contender(), contender(), contender(), contender()]);
    const answers = await Promise.all(contenders.map(({ contend }) => contend()));
    const winner = contenders[answers.indexOf('won')];
    expect(answers.filter((answer) => answer === 'won')).toHaveLength(1);
    expect(answers.filter((answer) => answer === `held ${winner?.child.pid}`)).toHaveLength(3);
    expect(await acquireSession('ses_1', { locks })).toMatchObject({
      ok: false,
      code: 'held',
      pid: winner?.child.pid,
      message: `Session ses_1 is in use by process ${winner?.child.pid}.`,
      remedy: expect.stringContaining(String(winner?.child.pid)),
    });
  });

  it('is free again as soon as the process that had it is killed', async () => {
    const { child, contend } = await contender();
    expect(await contend()).toBe('won');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const lock = valueOrThrow(await acquireSession('ses_1', { locks }));
    await lock.release();
  });

  it('holds one session, not others, and gives it back', async () => {
    const first = valueOrThrow(await acquireSession('ses_1', { locks }));
    const second = valueOrThrow(await acquireSession('ses_2', { locks }));
    expect(new Set(readdirSync(locks))).toEqual(new Set(['session-ses_1', 'session-ses_2']));
    expect(await acquireSession('ses_1', { locks })).toMatchObject({ code: 'held', pid: process.pid });
    await first.release();
    await first.release();
    await valueOrThrow(await acquireSession('ses_1', { locks })).release();
    await second.release();
    expect(readdirSync(locks)).toEqual([]);
  });

  it('is refused when the lock does not say who holds it', async () => {
    mkdirSync(locks, { recursive: true });
    writeFileSync(join(locks, 'session-ses_1'), 'not ours');
    expect(await acquireSession('ses_1', { locks })).toMatchObject({
      ok: false,
      code: 'held',
      pid: undefined,
      message: 'Session ses_1 is in use by another process.',
      remedy: expect.stringContaining('session-ses_1'),
    });
  });

  it.each(['', '../../state.db', 'a/b', 'a\0', 'ä', 'x'.repeat(129)])(
    'refuses %j as the id of a session',
    async (id) => {
      expect(await acquireSession(id, { locks })).toMatchObject({
        ok: false,
        code: 'no_such_session',
        message: expect.stringContaining(JSON.stringify(id.slice(0, 128))),
      });
      expect(existsSync(locks)).toBe(false);
    },
  );

  it('says what is wrong when there can be no lock', async () => {
    writeFileSync(join(folder, 'run'), 'a file');
    expect(await acquireSession('ses_1', { locks })).toMatchObject({
      ok: false,
      message: expect.stringContaining(locks),
    });
  });
});
