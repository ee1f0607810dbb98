import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { type FakeReply, type ReceivedRequest, textOf } from '../support/fake-openai.ts';
import type { HermaExit } from '../support/herma.ts';
import {
  disablePlugins,
  enablePlugin,
  journalPath,
  journalRows,
  KILLER,
  reportsIn,
  verdictOf,
} from '../support/journal.ts';
import { Scene } from '../support/scene.ts';

/** A tool that is ended with its agent half-way through its first call, and that can look whether a job is there. */
const CRON = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const crontab = (cwd) => join(cwd, 'crontab');
const linesOf = (cwd) => existsSync(crontab(cwd)) ? readFileSync(crontab(cwd), 'utf8').trim().split('\\n') : [];

export function register(ctx) {
  ctx.registerTool({
    name: 'cronjob',
    description: 'Makes a job.',
    execute: ({ name, at }, { cwd }) => {
      const draft = join(cwd, 'draft');
      if (!existsSync(draft)) {
        writeFileSync(draft, name);
        process.kill(process.pid, 'SIGKILL');
        for (;;);
      }
      writeFileSync(crontab(cwd), at + ' ' + name + '\\n', { flag: 'a' });
      return 'created; it starts tomorrow at ' + at;
    },
  });
  ctx.registerProbe('cronjob', async ({ args, cwd }) => {
    const found = linesOf(cwd).find((line) => line.endsWith(' ' + args.name));
    return found === undefined
      ? { verdict: 'NOT_LANDED', evidence: 'no job is named ' + args.name }
      : { verdict: 'LANDED', evidence: 'the job is there: ' + found };
  });
}
`;

const MAKE_JOB = { id: 'job', name: 'cronjob', args: { name: 'daily-report', at: '08:00' } };

/** Makes the job when asked to, and again when it reads that it is not there. */
function cronModel({ messages }: ReceivedRequest): FakeReply {
  const last = messages.at(-1);
  if (last?.role !== 'user') return { text: 'It starts tomorrow at 8.' };
  const text = textOf(last);
  return text.includes('set it up') || text.includes('NOT_LANDED') ? { calls: [MAKE_JOB] } : { text: 'Yes.' };
}

function lastOf(scene: Scene): ReceivedRequest {
  const last = scene.server.requests.at(-1);
  if (last === undefined) throw new Error('the model was asked nothing');
  return last;
}

describe.concurrent('a job that is lost with the agent that was to make it', () => {
  it.each([false, true])(
    'is known to be missing in the next turn, by the probe of its tool, and made once (isolated: %s)',
    async (isIsolated) => {
      await using scene = await Scene.create({ replies: cronModel });
      enablePlugin(scene, { name: 'cron', module: CRON });
      if (isIsolated)
        writeFileSync(
          join(scene.home, 'plugins/cron/plugin.yaml'),
          'name: cron\nversion: 1.0.0\nisolate: true\n',
        );
      expect((await scene.ask('set it up')).signal).toBe('SIGKILL');
      expect([scene.read('draft'), scene.read('crontab')]).toEqual(['daily-report', undefined]);
      expect(journalRows(scene)).toMatchObject([{ tool_name: 'cronjob', status: 'PENDING' }]);

      const { code, stdout } = await scene.ask('is it there?', ['--continue']);
      expect([code, stdout]).toEqual([0, 'It starts tomorrow at 8.\n']);
      const told = scene.server.requests.find((request) => reportsIn(request).length > 0);
      expect(told?.messages.at(-1)?.role).toBe('user');
      const [report = '', ...more] = told === undefined ? [] : reportsIn(told);
      expect(more).toEqual([]);
      expect(report).toMatch(/call #1 `cronjob.*`.*\(NOT_LANDED: no job is named daily-report\)/);
      expect(scene.read('crontab')).toBe('08:00 daily-report\n');
      expect(journalRows(scene)).toMatchObject([
        { status: 'GHOST_REPORTED', effect: 'not_applied', report_count: 1 },
        { status: 'CONFIRMED', effect: 'applied' },
      ]);

      await scene.ask('and now?', ['--continue']);
      expect(reportsIn(lastOf(scene))).toEqual([report]);
      expect(scene.read('crontab')).toBe('08:00 daily-report\n');
    },
  );
});

/** A scene in which a session was lost with a file that was written, and the answer to it. */
async function withLostWrite(more: object = {}): Promise<Scene> {
  const scene = await Scene.create({
    replies: (request) => {
      const { messages, tools } = request;
      if (tools.length === 0) return { text: 'Earlier they spoke of stones.' };
      const last = messages.at(-1);
      const isAsked = last?.role === 'user' && textOf(last).includes('make it');
      const args = { path: 'made', content: 'once\n' };
      return isAsked ? { calls: [{ id: 'w', name: 'write_file', args }] } : { text: 'I see.' };
    },
  });
  const config = { tool: 'write_file', at: 'before it is settled' };
  enablePlugin(scene, { name: 'killer', module: KILLER, config }, more);
  return scene;
}

describe.concurrent('a lost call', () => {
  it('of a session nobody resumes is listed to the person at every start, and told to no other session', async () => {
    await using scene = await withLostWrite();
    expect((await scene.ask('make it')).signal).toBe('SIGKILL');
    disablePlugins(scene);
    for (const text of ['hello', 'good evening']) {
      const { code, stderr } = await scene.ask(text);
      expect(code).toBe(0);
      expect(stderr).toMatch(/1 call never ended.*`herma ledger ghosts`.*`herma ledger ack`/);
      expect(reportsIn(lastOf(scene))).toEqual([]);
    }
    const [row, ...others] = journalRows(scene);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ status: 'GHOST_REPORTED', report_count: 0, effect: 'applied' });
    expect(row === undefined ? [] : verdictOf(row)).toEqual(['LANDED', expect.stringContaining('made')]);
  });

  it('of each of two sessions is told to that session alone', async () => {
    await using scene = await withLostWrite();
    const sessions: string[] = [];
    for (const name of ['one', 'two']) {
      expect((await scene.ask(`make it, ${name}`)).signal).toBe('SIGKILL');
      sessions.push(journalRows(scene).at(-1)?.session_id ?? '');
    }
    disablePlugins(scene);
    for (const [index, session] of sessions.entries()) {
      await scene.ask('go on', ['--resume', session]);
      const [report = '', ...more] = reportsIn(lastOf(scene));
      expect(more).toEqual([]);
      expect([...report.matchAll(/call #(\d+)/g)].map(([, id]) => id)).toEqual([String(index + 1)]);
    }
  });

  it('is told though the history was condensed in between, and its session has another id', async () => {
    const compression = { keep_first: 0, keep_last_turns: 1 };
    await using scene = await withLostWrite({ compression });
    const model = {
      name: 'openai-compatible:gpt-test',
      base_url: scene.server.baseUrl,
      context_window: 8000,
    };
    await scene.ask(`tell me of ${'stones '.repeat(800)}`);
    expect((await scene.ask('make it', ['--continue'])).signal).toBe('SIGKILL');
    disablePlugins(scene, { compression, model });
    const { code, stderr } = await scene.run([
      'chat',
      '--continue',
      '-q',
      `and of ${'pebbles '.repeat(2500)}`,
    ]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('History condensed')]);
    const last = lastOf(scene);
    expect(last.messages.map(textOf).join('\n')).toContain('Earlier they spoke of stones.');
    const [report = '', ...more] = reportsIn(last);
    expect(more).toEqual([]);
    expect(report).toMatch(/call #1 `write_file.*LANDED/);
    expect(journalRows(scene)).toMatchObject([{ status: 'GHOST_REPORTED', report_count: 1 }]);
  });
});

interface Called extends HermaExit {
  readonly document: {
    readonly executed?: boolean;
    readonly blocked?: boolean;
    readonly message?: string;
    readonly warnings?: readonly string[];
  };
}

async function call(scene: Scene, tool: string, args: object): Promise<Called> {
  const ended = await scene.run(['call'], { stdin: JSON.stringify({ tool, args }) });
  return { ...ended, document: JSON.parse(ended.stdout) };
}

function argsOf(scene: Scene, part: string): readonly string[] {
  return journalRows(scene).flatMap(({ args_json: args, status }) => (args.includes(part) ? [status] : []));
}

describe.concurrent('several processes and one journal (LG02)', () => {
  it('loses and doubles nothing', async () => {
    await using scene = await Scene.create();
    const names = Array.from({ length: 16 }, (_, index) => `c${String(index)}`);
    const calls = await Promise.all(
      names.map(async (name) => call(scene, 'terminal', { command: `true ${name}` })),
    );
    expect(calls.map(({ code }) => code)).toEqual(names.map(() => 0));
    expect(
      journalRows(scene)
        .map(({ args_json: args, status }) => `${status} ${args}`)
        .sort(),
    ).toEqual(names.map((name) => `CONFIRMED {"command":"true ${name}"}`).sort());
    expect(statSync(journalPath(scene)).mode & 0o777).toBe(0o600);
  });

  it('a writer that never lets go of it holds no call up, and no row is lost', async () => {
    await using scene = await Scene.create();
    await call(scene, 'terminal', { command: 'true warm' });
    const other = new DatabaseSync(journalPath(scene));
    other.exec('BEGIN IMMEDIATE');
    const first = await call(scene, 'terminal', { command: 'touch lock1' });
    other.close();
    expect(first.document).toMatchObject({ executed: false, blocked: true });
    expect(first.document.message).toContain('cannot be journalled');
    expect(scene.read('lock1')).toBeUndefined();
    expect(await call(scene, 'terminal', { command: 'true after' })).toMatchObject({ code: 0 });
    expect(argsOf(scene, 'lock1')).toEqual(['BLOCKED:journal']);
    expect(argsOf(scene, 'after')).toEqual(['CONFIRMED']);
  });
});

describe.concurrent('a write-ahead log that a reader kept from being emptied (LG02)', () => {
  it('shrinks with the next calls once the reader is gone, though others still have the file open', async () => {
    await using scene = await Scene.create();
    await call(scene, 'terminal', { command: 'true warm' });
    const path = journalPath(scene);
    const [reader, writer] = [new DatabaseSync(path), new DatabaseSync(path)];
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM ledger').get();
    writer.exec('CREATE TABLE filler (bytes)');
    for (let step = 0; step < 8; step += 1) writer.exec('INSERT INTO filler VALUES (zeroblob(1000000))');
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(6_000_000);
    reader.exec('ROLLBACK');
    for (const name of ['last', 'last2']) await call(scene, 'terminal', { command: `true ${name}` });
    expect(statSync(`${path}-wal`).size).toBeLessThan(4_200_000);
    expect(argsOf(scene, 'last')).toEqual(['CONFIRMED', 'CONFIRMED']);
    for (const each of [reader, writer]) each.close();
  });
});

const BREAKAGES: Readonly<Record<string, (path: string, sound: Buffer) => void>> = {
  garbage: (path) => writeFileSync(path, 'x'.repeat(9000)),
  half: (path, sound) => writeFileSync(path, sound.subarray(0, sound.length / 2)),
  empty: (path) => writeFileSync(path, ''),
  'a broken page': (path, sound) => {
    const broken = Buffer.from(sound);
    broken.write('XXXXXXXXXXXX', 4096);
    writeFileSync(path, broken);
  },
  'a folder': (path) => mkdirSync(path),
  'a table of another program': (path) => {
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE ledger (id INTEGER PRIMARY KEY, ts TEXT, tool TEXT)');
    other.close();
  },
  'a stale log': (path, sound) => {
    writeFileSync(path, sound);
    writeFileSync(`${path}-wal`, Buffer.alloc(4096, 7));
  },
};
const IS_KEPT = new Set(['garbage', 'half', 'a broken page', 'a folder', 'a table of another program']);

describe.concurrent('a journal that is broken (LG04)', () => {
  it.each(Object.keys(BREAKAGES))('as %s: the tool runs, and is recorded in a sound file', async (kind) => {
    await using scene = await Scene.create();
    await call(scene, 'terminal', { command: 'true first' });
    const path = journalPath(scene);
    const sound = readFileSync(path);
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    BREAKAGES[kind]?.(path, sound);
    const { document, stderr } = await call(scene, 'terminal', { command: 'true again' });
    expect(document).toMatchObject({ executed: true });
    expect(argsOf(scene, 'true again')).toEqual(['CONFIRMED']);
    const database = new DatabaseSync(path);
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    database.close();
    const kept = readdirSync(dirname(path)).filter((name) => name.startsWith('ledger.db.corrupt-'));
    if (IS_KEPT.has(kind)) {
      expect(kept).toHaveLength(1);
      expect(`${stderr} ${(document.warnings ?? []).join(' ')}`).toMatch(/journal was damaged.*kept as/);
    } else expect(kept).toEqual([]);
  });
});

describe.concurrent('secrets in arguments (LG05)', () => {
  it('are nowhere in the home', async () => {
    await using scene = await Scene.create();
    writeFileSync(join(scene.home, 'config.yaml'), JSON.stringify({ checkpoints: { enabled: false } }));
    const canary = 'CANARY7f3a';
    const key = '-----BEGIN PRIVATE KEY-----';
    const commands = [
      `true -H 'Authorization: Bearer sk-${canary}-1' https://api.one.test`,
      `export OPENAI_API_KEY=sk-${canary}-2 && true`,
      `true mysql -uroot -ppass${canary}-3 db`,
      `true git clone https://oauth2:glpat-${canary}-4@git.one.test/x.git`,
      `true set telegram.token=123456:AA${canary}-5`,
      `true ${'x'.repeat(3990)} ghp_${canary}12aaaaaaaaaaaaaaaaaaaaaaaaaaaaa`,
    ];
    const nested = {
      headers: { Authorization: `Basic dXNlcjpwYXNz${canary}-6`, Cookie: `sid=${canary}-7` },
      url: `https://x.test/?api_key=${canary}-8`,
      body: {
        auth: [{ private_key: `${key}\nMII${canary}-9\n-----END PRIVATE KEY-----` }],
        note: `rotating password=hunter2-${canary}-10 today`,
      },
    };
    const env = { path: '.env', content: `A=1\nAWS_SECRET_ACCESS_KEY=${canary}-11\n` };
    enablePlugin(
      scene,
      {
        name: 'net',
        module: `export function register(ctx) {
          ctx.registerTool({ name: 'send', description: 'sends', execute: (args) => ({ result: args }) });
        }`,
      },
      { checkpoints: { enabled: false } },
    );
    const calls: readonly (readonly [string, object])[] = [
      ...commands.map((command) => ['terminal', { command }] as const),
      ['send', nested],
      ['write_file', env],
    ];
    for (const [tool, args] of calls) await call(scene, tool, args);
    expect(journalRows(scene)).toHaveLength(calls.length);
    expect(holdersOf(scene.home, canary)).toEqual([]);
  });
});

/** Files below a folder that hold a text. */
function holdersOf(folder: string, text: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => {
    const path = join(folder, name);
    return statSync(path).isFile() && readFileSync(path).includes(text);
  });
}
