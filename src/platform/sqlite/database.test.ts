import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  attemptDatabase,
  type Database,
  DatabaseError,
  type Migration,
  numberColumn,
  openDatabase,
  optionalNumberColumn,
  optionalTextColumn,
  textColumn,
} from './index.ts';

const moduleUrl = fileURLToPath(new URL('index.ts', import.meta.url));

const migrations: readonly Migration[] = [
  {
    version: 1,
    up: `CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT UNIQUE, value, parent INTEGER REFERENCES item (id),
         CHECK (name <> 'forbidden'));
         CREATE TABLE counter (count INTEGER NOT NULL) STRICT;
         INSERT INTO counter VALUES (0);`,
  },
];

function createPath(): string {
  return join(realpathSync(mkdtempSync(join(tmpdir(), 'sqlite-'))), 'test.db');
}

function open(path = ':memory:', busyTimeoutMs = 5000): Database {
  const opened = openDatabase(path, { synchronous: 'NORMAL', migrations, busyTimeoutMs });
  if (!opened.ok) throw new Error(opened.message);
  return opened.value;
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** Starts a process that runs `body` with the `database` at `path`. */
function start(path: string, body: string, options: object = {}): Child {
  const program = `import(process.argv[1]).then(async ({ openDatabase }) => {
    const opened = openDatabase(process.argv[2], { synchronous: 'NORMAL', migrations: ${JSON.stringify(migrations)}, ...${JSON.stringify(options)} });
    if (!opened.ok) throw new Error(opened.message);
    const database = opened.value;
    ${body}
  })`;
  return spawn(process.execPath, ['-e', program, moduleUrl, path], { stdio: ['pipe', 'pipe', 'inherit'] });
}

describe('values', () => {
  it.each([
    ['undefined', undefined, null],
    ['null', null, null],
    ['true', true, 1],
    ['false', false, 0],
    ['a fraction', 1.5, 1.5],
    ['a negative number', -7, -7],
    ['a bigint', 12n, 12],
    ['text with a NUL', 'a\0b', 'a\0b'],
    ['an emoji', '😀', '😀'],
    ['nothing', '', ''],
  ])('%s is stored as it must be', (_, given, stored) => {
    using database = open();
    database.run('INSERT INTO item (value) VALUES (?)', [given]);
    expect(database.get('SELECT value FROM item')?.['value']).toBe(stored);
  });

  it('bytes are stored as bytes', () => {
    using database = open();
    database.run('INSERT INTO item (value) VALUES (?)', [Uint8Array.of(0, 255)]);
    expect(database.get('SELECT value FROM item')?.['value']).toEqual(Uint8Array.of(0, 255));
  });

  it('whole numbers are stored as integers, wherever they go', () => {
    using database = open();
    expect(database.get('SELECT typeof(?) AS a, typeof(?) AS b', [5, 5.5])).toMatchObject({
      a: 'integer',
      b: 'real',
    });
    database.run('INSERT INTO item (value) VALUES (?)', [Number.MAX_SAFE_INTEGER]);
    expect(database.get('SELECT value FROM item')?.['value']).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('NaN is refused, not turned into NULL', () => {
    using database = open();
    expect(() => database.run('INSERT INTO item (value) VALUES (?)', [Number.NaN])).toThrow(TypeError);
  });

  it('come back as they went in', () => {
    using database = open();
    const values = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.integer(),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true }).filter((value) => !Object.is(value, -0)),
      fc.constant(null),
    );
    fc.assert(
      fc.property(fc.array(values, { maxLength: 10 }), (list) => {
        database.run('DELETE FROM item');
        for (const value of list) database.run('INSERT INTO item (value) VALUES (?)', [value]);
        expect(database.all('SELECT value FROM item ORDER BY id').map((row) => row['value'])).toEqual(list);
      }),
    );
  });

  it('can be given by name', () => {
    using database = open();
    database.run('INSERT INTO item (name, value) VALUES (:name, $value)', { name: 'a', value: true });
    expect(database.get('SELECT value FROM item WHERE name = @name', { name: 'a' })?.['value']).toBe(1);
    expect(() => database.get('SELECT :a', { b: 1 })).toThrow(/Unknown named parameter/);
  });

  it('that were given to a statement before are not given to it again', () => {
    using database = open();
    const sql = 'SELECT ? AS a, ? AS b';
    database.get(sql, ['x', 'y']);
    expect({ ...database.get(sql, ['z']) }).toEqual({ a: 'z', b: null });
  });
});

describe('rows', () => {
  it('are read by column, and a column that holds something else is an error', () => {
    using database = open();
    const row = database.get("SELECT 'x' AS text, 1 AS number, NULL AS absent") ?? {};
    expect([textColumn(row, 'text'), numberColumn(row, 'number')]).toEqual(['x', 1]);
    expect([optionalTextColumn(row, 'text'), optionalTextColumn(row, 'absent')]).toEqual(['x', undefined]);
    expect([optionalNumberColumn(row, 'number'), optionalNumberColumn(row, 'absent')]).toEqual([
      1,
      undefined,
    ]);
    expect(() => textColumn(row, 'number')).toThrow('the column "number" is to hold text, and is number');
    expect(() => numberColumn(row, 'absent')).toThrow('the column "absent" is to hold a number, and is NULL');
    expect(() => optionalTextColumn(row, 'constructor')).toThrow(
      'the column "constructor" is to hold text, and is missing',
    );
  });

  it('are counted and numbered', () => {
    using database = open();
    expect(database.run("INSERT INTO item (name) VALUES ('a'), ('b')")).toEqual({ changes: 2, lastRowId: 2 });
    expect(database.run('DELETE FROM item').changes).toBe(2);
    expect(database.get('SELECT * FROM item')).toBeUndefined();
    expect(database.all('SELECT * FROM item')).toEqual([]);
  });
});

describe('statements', () => {
  it.each(['DELETE FROM item; DELETE FROM counter', 'SELECT 1; -- x\n SELECT 2', 'SELECT 1; /* ; */ x'])(
    'must be alone: %s',
    (sql) => {
      using database = open();
      expect(() => database.run(sql)).toThrow(/more than one statement/);
      expect(database.all('SELECT * FROM counter')).toHaveLength(1);
    },
  );

  it.each(['SELECT 1;', 'SELECT 1 ; -- the end', 'SELECT 1; /* a; b */\n', '-- first\nSELECT 1'])(
    'are alone with a comment: %s',
    (sql) => {
      using database = open();
      expect(database.get(sql)?.['1']).toBe(1);
    },
  );

  it('of any number work, although few are kept prepared', () => {
    using database = open();
    for (let round = 0; round < 2; round += 1) {
      for (let value = 0; value < 500; value += 1)
        expect(database.get(`SELECT ${value} AS value`)?.['value']).toBe(value);
    }
  });

  it('that are wrong throw, and that is no DatabaseError', () => {
    using database = open();
    expect(() => attemptDatabase(() => database.run('SELEKT'))).toThrow(/syntax error/);
    expect(() => database.exec('SELECT * FROM nowhere')).toThrow(/no such table/);
  });
});

describe('errors', () => {
  it.each([
    ['unique', "INSERT INTO item (name) VALUES ('a')"],
    ['unique', 'INSERT INTO item (id) VALUES (1)'],
    ['check', "INSERT INTO item (name) VALUES ('forbidden')"],
    ['foreign_key', 'INSERT INTO item (parent) VALUES (99)'],
    ['not_null', 'INSERT INTO counter VALUES (NULL)'],
    ['other', "INSERT INTO counter VALUES ('text')"],
  ])('name the constraint that does not hold: %s', (constraint, sql) => {
    using database = open();
    database.run("INSERT INTO item (name) VALUES ('a')");
    expect(() => database.run(sql)).toThrow(expect.objectContaining({ code: 'constraint', constraint }));
    expect(attemptDatabase(() => database.run(sql))).toMatchObject({
      ok: false,
      code: 'constraint',
      message: expect.stringMatching(/^cannot use the database :memory:: .*(failed|cannot store)/),
    });
  });

  it('are values where that is wanted, and other errors pass', () => {
    expect(attemptDatabase(() => 7)).toEqual({ ok: true, value: 7 });
    expect(() =>
      attemptDatabase(() => {
        throw new RangeError('a bug');
      }),
    ).toThrow(RangeError);
  });
});

describe('transaction', () => {
  it('keeps everything or nothing', () => {
    using database = open();
    expect(
      database.transaction(() => database.run("INSERT INTO item (name) VALUES ('kept')").lastRowId),
    ).toBe(1);
    const failing = (): void => {
      database.transaction(() => {
        database.run("INSERT INTO item (name) VALUES ('gone')");
        expect(database.isInTransaction).toBe(true);
        throw new Error('changed my mind');
      });
    };
    expect(failing).toThrow('changed my mind');
    expect(database.isInTransaction).toBe(false);
    expect(database.all('SELECT name FROM item').map((row) => row['name'])).toEqual(['kept']);
  });

  it('undoes an inner one alone, for any nesting', () => {
    interface Step {
      readonly fails: boolean;
      readonly inner: readonly Step[];
    }
    const step = fc.letrec<{ step: Step; leaf: Step; node: Step }>((tie) => ({
      step: fc.oneof({ maxDepth: 4 }, tie('leaf'), tie('node')),
      leaf: fc.record({ fails: fc.boolean(), inner: fc.constant([]) }),
      node: fc.record({ fails: fc.boolean(), inner: fc.array(tie('step'), { minLength: 1, maxLength: 3 }) }),
    })).step;
    using database = open();
    let next = 0;
    const run = ({ fails, inner }: Step): readonly number[] => {
      let kept: readonly number[] = [];
      try {
        kept = database.transaction(() => {
          next += 1;
          const own = next;
          database.run('INSERT INTO item (id) VALUES (?)', [own]);
          const below = inner.flatMap(run);
          if (fails) throw new Error('undone');
          return [own, ...below];
        });
      } catch (error) {
        expect(error).toMatchObject({ message: 'undone' });
      }
      return kept;
    };
    fc.assert(
      fc.property(step, (outermost) => {
        const before = database.all('SELECT id FROM item').length;
        const kept = run(outermost);
        expect(database.all('SELECT id FROM item')).toHaveLength(before + kept.length);
        for (const id of kept) expect(database.get('SELECT id FROM item WHERE id = ?', [id])).toBeDefined();
        expect(database.isInTransaction).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  it('refuses work that is not done when it returns', () => {
    using database = open();
    const work = (): Promise<void> => {
      database.run("INSERT INTO item (name) VALUES ('x')");
      return Promise.resolve();
    };
    expect(() => database.transaction(work)).toThrow(/asynchronous/);
    expect(database.all('SELECT * FROM item')).toEqual([]);
  });

  it('can write after it has read, whatever others do meanwhile', () => {
    const path = createPath();
    using one = open(path, 0);
    using other = open(path, 0);
    one.transaction(() => {
      const count = one.get('SELECT count FROM counter')?.['count'];
      expect(attemptDatabase(() => other.run('UPDATE counter SET count = 99'))).toMatchObject({
        ok: false,
        code: 'busy',
      });
      one.run('UPDATE counter SET count = ?', [Number(count) + 1]);
    });
    expect(other.get('SELECT count FROM counter')?.['count']).toBe(1);
  });
});

describe('close', () => {
  it('brings the log into the database, can be repeated, and ends everything else', () => {
    const path = createPath();
    const database = open(path);
    database.run("INSERT INTO item (name) VALUES ('x')");
    expect(existsSync(`${path}-wal`)).toBe(true);
    database.close();
    database.close();
    expect(readdirSync(join(path, '..'))).toEqual(['test.db']);
    expect(attemptDatabase(() => database.get('SELECT 1'))).toMatchObject({ ok: false, code: 'closed' });
    expect(() => database.transaction(() => 1)).toThrow(DatabaseError);
  });

  it('undoes what was not committed', () => {
    const path = createPath();
    const database = open(path);
    expect(() =>
      database.transaction(() => {
        database.run("INSERT INTO item (name) VALUES ('x')");
        database.close();
      }),
    ).toThrow();
    using again = open(path);
    expect(again.all('SELECT * FROM item')).toEqual([]);
  });

  it('empties a log that has become long, once nobody reads in it', () => {
    const path = createPath();
    using reader = open(path);
    const writer = open(path);
    reader.exec('BEGIN');
    reader.get('SELECT count(*) FROM item');
    for (let row = 0; row < 3000; row += 1)
      writer.run('INSERT INTO item (value) VALUES (?)', ['z'.repeat(1000)]);
    const long = statSync(`${path}-wal`).size;
    expect(long).toBeGreaterThan(4_200_000);
    writer.close();
    expect(statSync(`${path}-wal`).size).toBe(long);
    reader.exec('COMMIT');
    open(path).close();
    expect(statSync(`${path}-wal`).size).toBe(0);
    expect(reader.get('SELECT count(*) AS count FROM item')?.['count']).toBe(3000);
  });
});

describe('several processes', () => {
  it('write at once, and none sees a locked database, loses a row or an update', async () => {
    const path = createPath();
    using database = open(path);
    const body = `for (let round = 0; round < 150; round += 1) {
      database.run('INSERT INTO item (name) VALUES (?)', [process.pid + '-' + round]);
      database.transaction(() => {
        const { count } = database.get('SELECT count FROM counter');
        database.run('UPDATE counter SET count = ?', [count + 1]);
      });
      database.run('UPDATE item SET value = 1 WHERE name = ?', [process.pid + '-' + round]);
    }
    database.close();`;
    const children = Array.from({ length: 5 }, () => start(path, body, { busyTimeoutMs: 60_000 }));
    await Promise.all(children.map((child) => once(child, 'close')));
    expect(children.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0]);
    expect(database.get('SELECT count FROM counter')?.['count']).toBe(750);
    expect(database.get('SELECT count(*) AS count FROM item WHERE value = 1')?.['count']).toBe(750);
    expect(database.checkIntegrity()).toEqual([]);
  });

  it('are told when one keeps the lock for longer than they wait, and go on afterwards', async () => {
    const path = createPath();
    using database = open(path, 30);
    const holder = start(
      path,
      `database.exec('BEGIN IMMEDIATE'); process.stdout.write('locked');
       await require('node:events').once(process.stdin.resume(), 'end'); database.exec('COMMIT'); database.close();`,
    );
    await once(holder.stdout, 'data');
    expect(attemptDatabase(() => database.run('UPDATE counter SET count = 1'))).toEqual({
      ok: false,
      code: 'busy',
      message: `cannot use the database ${path}: another process keeps it locked`,
      remedy: 'end the program that uses it and try again',
    });
    expect(database.get('SELECT count FROM counter')?.['count']).toBe(0);
    holder.stdin.end();
    await once(holder, 'close');
    expect(database.run('UPDATE counter SET count = 1').changes).toBe(1);
  });

  it('wait for one that holds the lock shortly', async () => {
    const path = createPath();
    using database = open(path, 60_000);
    const holder = start(
      path,
      `database.exec('BEGIN IMMEDIATE'); process.stdout.write('locked');
       setTimeout(() => { database.exec('UPDATE counter SET count = 5; COMMIT'); database.close(); }, 100);`,
    );
    await once(holder.stdout, 'data');
    // This process is blocked until the other one lets go.
    database.run('UPDATE counter SET count = count + 1');
    expect(database.get('SELECT count FROM counter')?.['count']).toBe(6);
    await once(holder, 'close');
  });

  it('leave a transaction whole or absent when they are killed in the middle of it', async () => {
    const path = createPath();
    using database = open(path, 60_000);
    // The two rows of each round, and the counter, belong together.
    const body = `for (let round = 0; ; round += 1) {
      database.transaction(() => {
        database.run('INSERT INTO item (name) VALUES (?)', [process.pid + '-a-' + round]);
        database.run('UPDATE counter SET count = count + 1');
        if (round === 5) process.stdout.write('under way');
        database.run('INSERT INTO item (name) VALUES (?)', [process.pid + '-b-' + round]);
      });
    }`;
    for (let kill = 0; kill < 6; kill += 1) {
      const child = start(path, body);
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'close');
      const count = Number(database.get('SELECT count FROM counter')?.['count']);
      expect(count).toBeGreaterThanOrEqual((kill + 1) * 5);
      expect(database.get('SELECT count(*) AS count FROM item')?.['count']).toBe(count * 2);
    }
    expect(database.checkIntegrity()).toEqual([]);
  });
});
