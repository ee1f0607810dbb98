import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from './index.ts';

const MIGRATIONS = [
  { name: 'counter', sql: 'CREATE TABLE counter (id INTEGER PRIMARY KEY, worker TEXT, n INTEGER)' },
];

let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'herma-sqlite-'));
  path = join(folder, 'test.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(migrations = MIGRATIONS): Database {
  const opened = openDatabase(path, { synchronous: 'FULL', migrations });
  if (!opened.ok) throw new Error(opened.message);
  return opened.value;
}

/** A real process that runs `body` with `database` open; it prints what it writes to `process.stdout`. */
function worker(body: string): ReturnType<typeof spawn> {
  const source = `
    import { openDatabase } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
    const opened = openDatabase(${JSON.stringify(path)}, { synchronous: 'FULL', migrations: ${JSON.stringify(MIGRATIONS)} });
    if (!opened.ok) throw new Error(opened.message);
    const database = opened.value;
    ${body}`;
  return spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

describe('openDatabase', () => {
  it('creates a private file with a write-ahead log', () => {
    const database = open();
    database.run('INSERT INTO counter (n) VALUES (?)', 1);
    expect(database.get('PRAGMA journal_mode')).toMatchObject({ journal_mode: 'wal' });
    expect(database.get('PRAGMA synchronous')).toMatchObject({ synchronous: 2 });
    for (const name of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(name).mode & 0o777).toBe(0o600);
    database.close();
    database.close();
  });

  it('applies each migration once, and only the new ones later', () => {
    open().close();
    const more = [
      ...MIGRATIONS,
      { name: 'more', sql: 'ALTER TABLE counter ADD COLUMN extra TEXT; CREATE TABLE other (id INTEGER)' },
    ];
    const database = open(more);
    database.run('INSERT INTO counter (extra) VALUES (?)', 'x');
    expect(database.get('PRAGMA user_version')).toMatchObject({ user_version: 2 });
    database.close();
    open(more).close();
  });

  it('stores nothing of a migration that fails', () => {
    open().close();
    const broken = [
      ...MIGRATIONS,
      { name: 'broken', sql: 'CREATE TABLE half (id INTEGER); CREATE TABLE counter (id INTEGER)' },
    ];
    expect(openDatabase(path, { synchronous: 'FULL', migrations: broken })).toMatchObject({ ok: false });
    const database = open();
    expect(database.get("SELECT name FROM sqlite_schema WHERE name = 'half'")).toBeUndefined();
    database.close();
  });

  it('refuses a file of a newer version and leaves it as it is', () => {
    open([...MIGRATIONS, { name: 'future', sql: 'CREATE TABLE future (id INTEGER)' }]).close();
    const before = readFileSync(path);
    expect(openDatabase(path, { synchronous: 'FULL', migrations: MIGRATIONS })).toMatchObject({
      ok: false,
      code: 'newer_version',
    });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it.each([
    ['text', Buffer.from('this is not a database, but it is long enough to be looked at as one '.repeat(20))],
    ['a torn header', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(2000, 0xff)])],
  ])('says that %s is damaged and leaves it as it is', (_, bytes) => {
    writeFileSync(path, bytes);
    expect(openDatabase(path, { synchronous: 'FULL', migrations: MIGRATIONS })).toMatchObject({
      ok: false,
      code: 'corrupt',
    });
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it('says when the file cannot be opened', () => {
    expect(openDatabase(join(path, 'below', 'x.db'), { synchronous: 'FULL', migrations: [] })).toMatchObject({
      ok: false,
    });
    expect(
      openDatabase(join(folder, 'missing.db'), { synchronous: 'FULL', migrations: [], readOnly: true }),
    ).toMatchObject({
      ok: false,
      code: 'unreadable',
    });
  });
});

describe('transaction', () => {
  it('stores all or nothing', () => {
    const database = open();
    expect(() =>
      database.transaction(() => {
        database.run('INSERT INTO counter (n) VALUES (1)');
        throw new Error('changed my mind');
      }),
    ).toThrow('changed my mind');
    expect(database.all('SELECT * FROM counter')).toEqual([]);
    expect(database.transaction(() => database.run('INSERT INTO counter (n) VALUES (2)').lastId)).toBe(1);
    database.close();
  });

  it('undoes an inner one alone', () => {
    const database = open();
    database.transaction(() => {
      database.run('INSERT INTO counter (n) VALUES (1)');
      expect(() =>
        database.transaction(() => {
          database.run('INSERT INTO counter (n) VALUES (2)');
          throw new Error('inner');
        }),
      ).toThrow('inner');
      database.transaction(() => database.run('INSERT INTO counter (n) VALUES (3)'));
    });
    expect(database.all('SELECT n FROM counter').map(({ n }) => n)).toEqual([1, 3]);
    database.close();
  });
});

describe('values', () => {
  it.each([
    ['undefined', undefined, null],
    ['true', true, 1],
    ['a NUL', 'a\0b', 'a\0b'],
    ['an emoji', '😀', '😀'],
  ])('%s is stored as it must be', (_, given, stored) => {
    const database = open();
    database.run('CREATE TABLE loose (value)');
    database.run('INSERT INTO loose VALUES (?)', given);
    expect(database.get('SELECT value FROM loose')?.['value']).toBe(stored);
    database.close();
  });
});

describe('several processes', () => {
  it('lose no row and see no busy error while all write at once', async () => {
    open().close();
    const workers = [1, 2, 3, 4].map((name) =>
      worker(`for (let i = 0; i < 200; i += 1) {
        database.transaction(() => {
          const { n } = database.get('SELECT count(*) AS n FROM counter');
          database.run('INSERT INTO counter (worker, n) VALUES (?, ?)', ${String(name)}, n);
        });
      }
      database.close();`),
    );
    const codes = await Promise.all(workers.map(async (child) => (await once(child, 'exit'))[0] as number));
    expect(codes).toEqual([0, 0, 0, 0]);
    const database = open();
    const counts = database.all('SELECT n FROM counter ORDER BY id').map(({ n }) => n);
    expect(counts).toEqual(Array.from({ length: 800 }, (_, index) => index));
    database.close();
  });

  it('keep every acknowledged row, and no half transaction, when one is killed', async () => {
    open().close();
    const child = worker(`for (let i = 0; ; i += 1) {
      database.transaction(() => {
        database.run('INSERT INTO counter (n) VALUES (?)', i * 2);
        database.run('INSERT INTO counter (n) VALUES (?)', i * 2 + 1);
      });
      process.stdout.write(String(i) + '\\n');
    }`);
    let acknowledged = -1;
    for await (const chunk of child.stdout ?? []) {
      acknowledged = Number(String(chunk).trim().split('\n').at(-1));
      if (acknowledged > 50) break;
    }
    child.kill('SIGKILL');
    await once(child, 'exit');
    const database = open();
    const rows = database.all('SELECT n FROM counter ORDER BY id').length;
    expect(rows % 2).toBe(0);
    expect(rows / 2).toBeGreaterThan(acknowledged);
    expect(database.get('PRAGMA integrity_check')).toMatchObject({ integrity_check: 'ok' });
    database.close();
  });
});
