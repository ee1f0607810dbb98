import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../clock/index.ts';
import { currentProcessIdentity, type ProcessIdentity } from '../process/index.ts';
import { acquireLock, type Lock, type LockResult, type ProcessPort, withLock } from './index.ts';

const processModuleUrl = fileURLToPath(new URL('../process/index.ts', import.meta.url));
const moduleUrl = fileURLToPath(new URL('index.ts', import.meta.url));

function createFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'locks-')));
}

function lockOf(result: LockResult<Lock>): Lock {
  if (!result.ok) throw new Error(result.message);
  return result.value;
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** Starts a process that has `locks`, `fs` and `args`, and runs `body`. */
function start(body: string, ...args: readonly string[]): Child {
  const program = `import(process.argv[1]).then(async (locks) => {
    const fs = require('node:fs'); const args = process.argv.slice(2); ${body}
  })`;
  return spawn(process.execPath, ['-e', program, moduleUrl, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
}

async function outputOf(child: Child): Promise<string> {
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(child, 'close');
  return output;
}

/** Leaves behind the lock of a process that was killed while it held it. */
async function abandonLock(path: string): Promise<number> {
  const child = start(
    `await locks.acquireLock(args[0]); process.stdout.write('held'); setInterval(() => {}, 1000);`,
    path,
  );
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(existsSync(path)).toBe(true);
  return child.pid ?? 0;
}

function processesWhere(
  liveness: (identity: ProcessIdentity) => ReturnType<ProcessPort['isAlive']>,
): ProcessPort {
  return { current: currentProcessIdentity, isAlive: liveness };
}

describe('acquireLock', () => {
  it.each<[string, (path: string) => unknown]>([
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
    ['a device', (path) => symlinkSync('/dev/zero', path)],
    ['a file of megabytes', (path) => writeFileSync(path, 'x'.repeat(1_000_000))],
  ])('takes %s at the path as held by nobody knows whom, and does not wait for it', async (_, place) => {
    const path = join(createFolder(), 'a.lock');
    place(path);
    expect(await acquireLock(path)).toMatchObject({ ok: false, code: 'held', holder: undefined });
  });

  it('makes a private file that names the process, and removes it on release', async () => {
    const folder = createFolder();
    const path = join(folder, 'run/locks/a.lock');
    const lock = lockOf(await acquireLock(path));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ version: 1, pid: process.pid });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'run')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(folder, 'run/locks'))).toEqual(['a.lock']);
    expect(await lock.release()).toEqual({ ok: true, value: undefined });
    expect(readdirSync(join(folder, 'run/locks'))).toEqual([]);
  });

  it('names the process that holds a lock', async () => {
    const path = join(createFolder(), 'a.lock');
    const holder = start(
      `await locks.acquireLock(args[0]); process.stdout.write('held'); await require('node:events').once(process.stdin, 'close');
       process.exit();`,
      path,
    );
    await once(holder.stdout, 'data');
    expect(await acquireLock(path)).toMatchObject({
      ok: false,
      code: 'held',
      holder: { pid: holder.pid },
      message: `${path} is held by process ${holder.pid}`,
      remedy: `wait until process ${holder.pid} has ended, or end it`,
    });
    holder.stdin.end();
    holder.stdin.destroy();
    await once(holder, 'close');
    // The process ended without giving the lock back.
    expect(existsSync(path)).toBe(true);
    await lockOf(await acquireLock(path)).release();
  });

  it('is exclusive within one process', async () => {
    const path = join(createFolder(), 'a.lock');
    const lock = lockOf(await acquireLock(path));
    expect(await acquireLock(path)).toMatchObject({ ok: false, code: 'held', holder: { pid: process.pid } });
    await lock.release();
    await lockOf(await acquireLock(path)).release();
  });

  it('takes over the lock of a process that was killed', async () => {
    const folder = createFolder();
    const path = join(folder, 'a.lock');
    await abandonLock(path);
    const lock = lockOf(await acquireLock(path));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
    expect(readdirSync(folder)).toEqual(['a.lock']);
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes over from a process that died while it took over', async () => {
    const folder = createFolder();
    const path = join(folder, 'a.lock');
    await abandonLock(path);
    const { token } = JSON.parse(readFileSync(path, 'utf8')) as { token: string };
    await abandonLock(`${path}.${token}`);
    const lock = lockOf(await acquireLock(path));
    expect(readdirSync(folder)).toEqual(['a.lock']);
    await lock.release();
  });

  it('leaves a lock alone while a living process takes it over', async () => {
    const path = join(createFolder(), 'a.lock');
    await abandonLock(path);
    const before = readFileSync(path, 'utf8');
    const { token } = JSON.parse(before) as { token: string };
    const guard = lockOf(await acquireLock(`${path}.${token}`));
    expect(await acquireLock(path)).toMatchObject({ ok: false, code: 'held' });
    expect(readFileSync(path, 'utf8')).toBe(before);
    await guard.release();
    await lockOf(await acquireLock(path)).release();
  });

  it('fails closed when it cannot be found out whether the holder is alive', async () => {
    const path = join(createFolder(), 'a.lock');
    const pid = await abandonLock(path);
    const before = readFileSync(path, 'utf8');
    const refused = await acquireLock(path, { processes: processesWhere(() => 'unknown') });
    expect(refused).toMatchObject({
      ok: false,
      code: 'held',
      holder: { pid },
      message: `${path} is held by process ${pid}, perhaps in another container`,
      remedy: `if no other Herma is running, remove ${path}`,
    });
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('fails closed on a file that is no lock, unless it is older than the last start of the machine', async () => {
    const path = join(createFolder(), 'a.lock');
    for (const content of [
      '',
      'not a lock',
      '{"version":2,"pid":1}',
      '{"version":1,"token":"../x","pid":1}',
    ]) {
      writeFileSync(path, content);
      expect(await acquireLock(path)).toMatchObject({ ok: false, code: 'held', holder: undefined });
      expect(readFileSync(path, 'utf8')).toBe(content);
      // What a power cut leaves behind: the name of the file without its content.
      utimesSync(path, 1000, 1000);
      await lockOf(await acquireLock(path)).release();
      expect(existsSync(path)).toBe(false);
    }
  });

  it('waits until the lock is free', async () => {
    const path = join(createFolder(), 'a.lock');
    const clock = new FakeClock();
    const first = lockOf(await acquireLock(path));
    const second = acquireLock(path, { waitMs: 1000, clock });
    await clock.whenPending(1);
    await first.release();
    await clock.advance(100);
    await lockOf(await second).release();
  });

  it('gives up when the time is over, and not before', async () => {
    const path = join(createFolder(), 'a.lock');
    const clock = new FakeClock();
    const lock = lockOf(await acquireLock(path));
    let outcome: LockResult<Lock> | undefined;
    const second = acquireLock(path, { waitMs: 1000, clock }).then((result) => {
      outcome = result;
    });
    await clock.advance(999);
    expect(outcome).toBeUndefined();
    await clock.advance(1);
    await second;
    expect(outcome).toMatchObject({ ok: false, code: 'held' });
    await lock.release();
  });

  it('stops waiting when it is cancelled', async () => {
    const path = join(createFolder(), 'a.lock');
    const lock = lockOf(await acquireLock(path));
    const controller = new AbortController();
    const clock = new FakeClock();
    const second = acquireLock(path, { waitMs: Number.POSITIVE_INFINITY, clock, signal: controller.signal });
    await clock.whenPending(1);
    controller.abort();
    expect(await second).toMatchObject({ ok: false, code: 'cancelled' });
    expect(clock.pending).toBe(0);
    expect(await acquireLock(path, { signal: AbortSignal.abort() })).toMatchObject({
      ok: false,
      code: 'cancelled',
    });
    await lock.release();
  });

  it('says why a lock file cannot be made', async () => {
    const folder = createFolder();
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'dir'));
    expect(await acquireLock(join(folder, 'file/a.lock'))).toMatchObject({
      ok: false,
      code: 'not_a_directory',
    });
    expect(await acquireLock(join(folder, 'dir'))).toMatchObject({ ok: false, code: 'not_a_file' });
    expect(await acquireLock('/proc/herma/a.lock')).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^cannot lock/),
    });
    expect(await acquireLock('a\0')).toMatchObject({ ok: false, code: 'invalid_path' });
  });
});

describe('release', () => {
  it('removes only the lock it belongs to', async () => {
    const path = join(createFolder(), 'a.lock');
    const first = lockOf(await acquireLock(path));
    await first.release();
    const second = lockOf(await acquireLock(path));
    await first.release();
    expect(await acquireLock(path)).toMatchObject({ code: 'held' });
    await second.release();
    // Somebody removed the file by hand and took the lock while it was held.
    const third = lockOf(await acquireLock(path));
    writeFileSync(path, 'another lock');
    expect(await third.release()).toMatchObject({ ok: true });
    expect(readFileSync(path, 'utf8')).toBe('another lock');
  });

  it('happens at the end of a scope', async () => {
    const path = join(createFolder(), 'a.lock');
    {
      await using lock = lockOf(await acquireLock(path));
      expect(existsSync(lock.path)).toBe(true);
    }
    expect(existsSync(path)).toBe(false);
  });
});

describe('withLock', () => {
  it('holds the lock for the time of the action, and gives its value', async () => {
    const path = join(createFolder(), 'a.lock');
    const result = await withLock(path, {}, async () => (await acquireLock(path)).ok);
    expect(result).toEqual({ ok: true, value: false });
    expect(existsSync(path)).toBe(false);
  });

  it('gives the lock back when the action throws, and does not run it without the lock', async () => {
    const path = join(createFolder(), 'a.lock');
    await expect(withLock(path, {}, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    const lock = lockOf(await acquireLock(path));
    let isRun = false;
    const refused = await withLock(path, {}, () => {
      isRun = true;
      return Promise.resolve();
    });
    expect([refused.ok, isRun]).toEqual([false, false]);
    await lock.release();
  });
});

describe('several processes', () => {
  it('lose no update of a counter', async () => {
    const folder = createFolder();
    const counter = join(folder, 'counter');
    writeFileSync(counter, '0');
    const body = `for (let round = 0; round < 60; round += 1) {
      const done = await locks.withLock(args[0], { waitMs: 60_000 }, async () => {
        const count = Number(fs.readFileSync(args[1], 'utf8'));
        await null;
        fs.writeFileSync(args[1], String(count + 1));
      });
      if (!done.ok) throw new Error(done.message);
    }`;
    const children = Array.from({ length: 6 }, () => start(body, join(folder, 'a.lock'), counter));
    await Promise.all(children.map(outputOf));
    expect(children.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(readFileSync(counter, 'utf8')).toBe('360');
    expect(readdirSync(folder)).toEqual(['counter']);
  });

  it('take over the lock of a dead one exactly once', async () => {
    const folder = createFolder();
    const body = `
      process.stdin.setEncoding('utf8');
      for await (const chunk of process.stdin) for (const path of chunk.split('\\n').filter(Boolean)) {
        const result = await locks.acquireLock(path);
        process.stdout.write(result.ok ? '+' : '-');
      }`;
    const takers = Array.from({ length: 4 }, () => start(body));
    const outputs = takers.map(outputOf);
    const rounds = 8;
    for (let round = 0; round < rounds; round += 1) {
      const path = join(folder, `${round}.lock`);
      await abandonLock(path);
      for (const taker of takers) taker.stdin.write(`${path}\n`);
      await Promise.all(takers.map((taker) => once(taker.stdout, 'data')));
    }
    for (const taker of takers) taker.stdin.end();
    const answers = await Promise.all(outputs);
    for (let round = 0; round < rounds; round += 1) {
      expect(answers.filter((answer) => answer[round] === '+')).toHaveLength(1);
      expect(answers.filter((answer) => answer[round] === '-')).toHaveLength(3);
    }
    expect(readdirSync(folder)).toHaveLength(rounds);
  });

  it('are never two inside, although each is killed again and again at any moment', async () => {
    const folder = createFolder();
    const [lock, inside] = [join(folder, 'a.lock'), join(folder, 'inside')];
    // Whoever finds another one inside checks that it is dead: it was killed there.
    const body = `
      const { processIdentity } = await import(args[4]);
      const isDead = (pid) => processIdentity(pid) === undefined;
      process.stdout.write('ready');
      for (;;) await locks.withLock(args[0], { waitMs: Infinity }, async () => {
        const other = fs.existsSync(args[1]) ? Number(fs.readFileSync(args[1], 'utf8')) : 0;
        if (other !== 0 && !isDead(other)) fs.appendFileSync(args[2], 'two inside\\n');
        fs.writeFileSync(args[1] + process.pid, String(process.pid));
        fs.renameSync(args[1] + process.pid, args[1]);
        for (let turn = 0; turn < 20; turn += 1) await null;
        if (fs.readFileSync(args[1], 'utf8') !== String(process.pid)) fs.appendFileSync(args[2], 'overtaken\\n');
        fs.rmSync(args[1]);
        fs.appendFileSync(args[3], '.');
      });`;
    const [violations, progress] = [join(folder, 'violations'), join(folder, 'progress')];
    writeFileSync(violations, '');
    writeFileSync(progress, '');
    const run = async (kills: number): Promise<void> => {
      for (let kill = 0; kill < kills; kill += 1) {
        const child = start(body, lock, inside, violations, progress, processModuleUrl);
        await once(child.stdout, 'data');
        const before = statSync(progress).size;
        // Some work is done by somebody, then this one dies wherever it happens to be.
        while (statSync(progress).size < before + 3 + kill) {
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
        }
        child.kill('SIGKILL');
        await once(child, 'close');
      }
    };
    await Promise.all([run(8), run(8), run(8)]);
    expect(readFileSync(violations, 'utf8')).toBe('');
    await lockOf(await acquireLock(lock)).release();
  });
});
