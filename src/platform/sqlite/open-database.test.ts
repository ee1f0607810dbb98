import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fileSystemPath } from '../paths/index.ts';
import { type Database, type Migration, type OpenDatabaseOptions, openDatabase } from './index.ts';
import { chooseConstructor } from './sqlite-module.ts';

const moduleUrl = fileURLToPath(new URL('index.ts', import.meta.url));

const migrations: readonly Migration[] = [
  { version: 1, up: 'CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT' },
];

function createFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'sqlite-')));
}

function open(path: string, options: Partial<OpenDatabaseOptions> = {}): Database {
  const opened = openDatabase(path, { synchronous: 'FULL', migrations, ...options });
  if (!opened.ok) throw new Error(opened.message);
  return opened.value;
}

/** A sound database with content, closed. */
function createDatabase(folder: string, rows = 300): string {
  const path = join(folder, 'sound.db');
  using database = open(path);
  database.transaction(() => {
    for (let row = 0; row < rows; row += 1)
      database.run('INSERT INTO note (body) VALUES (?)', ['x'.repeat(200)]);
  });
  return path;
}

/** Name, size and content of everything in a folder. */
function snapshot(folder: string): ReadonlyMap<string, string> {
  return new Map(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')]),
  );
}

describe('openDatabase', () => {
  it('creates a private file, and the folders it needs', () => {
    const folder = createFolder();
    const path = join(folder, 'plugin-data/ledger/ledger.db');
    using database = open(path);
    database.run('INSERT INTO note (body) VALUES (?)', ['x']);
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(path + suffix).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'plugin-data')).mode & 0o777).toBe(0o700);
  });

  it('makes a file private that was not', () => {
    const path = createDatabase(createFolder());
    chmodSync(path, 0o644);
    open(path).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['FULL', 2],
    ['NORMAL', 1],
  ] as const)('sets what a commit waits for, %s, and everything else it promises', (synchronous, level) => {
    using database = open(join(createFolder(), 'a.db'), { synchronous, secureDelete: true });
    const pragma = (name: string): unknown => Object.values(database.get(`PRAGMA ${name}`) ?? {})[0];
    expect({
      synchronous: pragma('synchronous'),
      journal: pragma('journal_mode'),
      foreignKeys: pragma('foreign_keys'),
      secureDelete: pragma('secure_delete'),
      autoVacuum: pragma('auto_vacuum'),
      busyTimeout: pragma('busy_timeout'),
    }).toEqual({
      synchronous: level,
      journal: 'wal',
      foreignKeys: 1,
      secureDelete: 1,
      autoVacuum: 2,
      busyTimeout: 0,
    });
  });

  it('opens names of every kind', () => {
    const folder = createFolder();
    const names = [
      ' lead',
      'new\nline.db',
      'a?mode=ro',
      'file:x',
      '%41#',
      ...(process.platform === 'linux' ? ['caf\udce9'] : []),
    ];
    for (const name of names) {
      open(join(folder, name)).close();
      expect(statSync(fileSystemPath(join(folder, name))).size).toBeGreaterThan(0);
    }
    expect(readdirSync(folder)).toHaveLength(names.length);
  });

  it('opens a database that is in no file', () => {
    using database = open(':memory:');
    expect(database.run('INSERT INTO note (body) VALUES (?)', ['x']).lastRowId).toBe(1);
  });

  it('takes a file of no bytes for a new database', () => {
    const path = join(createFolder(), 'a.db');
    writeFileSync(path, '');
    using database = open(path);
    expect(database.all('SELECT * FROM note')).toEqual([]);
  });

  describe('on a damaged file', () => {
    it.each([
      ['garbage', (path: string) => writeFileSync(path, Buffer.alloc(9000, 'garbage '))],
      ['a little text', (path: string) => writeFileSync(path, 'not a database\n')],
      ['half of it', (path: string) => truncateSync(path, Math.floor(statSync(path).size / 2))],
      ['a header and nothing else', (path: string) => truncateSync(path, 100)],
      ['zeros, as after a power cut', (path: string) => writeFileSync(path, Buffer.alloc(8192))],
    ])('with %s says that it is corrupt and leaves everything as it is', (_, damage) => {
      const folder = createFolder();
      const path = createDatabase(folder);
      damage(path);
      const before = snapshot(folder);
      expect(openDatabase(path, { synchronous: 'FULL', migrations })).toMatchObject({
        ok: false,
        code: 'corrupt',
        message: expect.stringMatching(new RegExp(`^cannot use the database ${path}: the file is damaged`)),
        remedy: 'move it away, or restore a copy',
      });
      expect(snapshot(folder)).toEqual(before);
    });

    it('finds damage deep inside when it is asked to look, and when it comes upon it', () => {
      const path = createDatabase(createFolder());
      const file = openSync(path, 'r+');
      for (let page = 3; page * 4096 < statSync(path).size; page += 1)
        writeSync(file, 'XXXXXXXXXXXX', page * 4096);
      closeSync(file);
      using database = open(path);
      expect(database.checkIntegrity()).not.toEqual([]);
      expect(() => database.all('SELECT * FROM note')).toThrow(expect.objectContaining({ code: 'corrupt' }));
    });

    it('finds no damage in a sound file', () => {
      using database = open(createDatabase(createFolder()));
      expect(database.checkIntegrity()).toEqual([]);
    });

    it('is not disturbed by a log that belongs to nothing', () => {
      const path = createDatabase(createFolder());
      writeFileSync(`${path}-wal`, Buffer.alloc(4096, 'garbage'));
      using database = open(path);
      expect(database.get('SELECT count(*) AS count FROM note')?.['count']).toBe(300);
    });
  });

  it.each([
    ['a folder', 'folder', 'not_a_file'],
    ['a device', '/dev/full', 'not_a_file'],
    ['a file below a file', 'file/a.db', 'not_a_directory'],
    ['a link to itself', 'loop', 'link_loop'],
    ['a place where nothing can be created', '/proc/herma/a.db', 'not_found'],
    ['a name that is too long', 'x'.repeat(300), 'name_too_long'],
    ['a name with a NUL', 'a\0b', 'invalid_path'],
  ])('refuses %s', (_, name, code) => {
    const folder = createFolder();
    mkdirSync(join(folder, 'folder'));
    writeFileSync(join(folder, 'file'), '');
    symlinkSync('loop', join(folder, 'loop'));
    const path = name.startsWith('/') ? name : join(folder, name);
    expect(openDatabase(path, { synchronous: 'FULL', migrations })).toMatchObject({
      ok: false,
      code,
      message: expect.stringMatching(/^cannot open the database [^\n]+: [^\n]+$/),
      remedy: expect.stringMatching(/./),
    });
  });

  it('refuses the empty path', () => {
    expect(openDatabase('', { synchronous: 'FULL', migrations })).toMatchObject({
      ok: false,
      code: 'invalid_path',
    });
  });

  it('says how long it waited in vain for a locked database', () => {
    const path = createDatabase(createFolder());
    using holder = open(path);
    holder.exec('BEGIN IMMEDIATE');
    const older = [...migrations, { version: 2, up: 'CREATE TABLE other (id INTEGER)' }];
    expect(openDatabase(path, { synchronous: 'FULL', migrations: older, busyTimeoutMs: 20 })).toMatchObject({
      ok: false,
      code: 'busy',
      message: `cannot use the database ${path}: another process keeps it locked`,
    });
  });
});

describe('migrations', () => {
  const more: readonly Migration[] = [
    ...migrations,
    {
      version: 2,
      up: (database) => {
        database.exec('ALTER TABLE note ADD COLUMN author TEXT');
        database.run('UPDATE note SET author = ?', ['nobody']);
      },
    },
    { version: 3, up: 'CREATE TABLE tag (name TEXT); CREATE INDEX tag_name ON tag (name)' },
  ];

  it('bring an old database to the latest version and keep what is in it', () => {
    const path = createDatabase(createFolder(), 3);
    using database = open(path, { migrations: more });
    expect(database.all('SELECT DISTINCT author FROM note').map((row) => ({ ...row }))).toEqual([
      { author: 'nobody' },
    ]);
    expect(database.get('PRAGMA user_version')?.['user_version']).toBe(3);
    database.close();
    open(path, { migrations: more }).close();
  });

  it('are all or nothing each, and say which file is not what was expected', () => {
    const path = createDatabase(createFolder(), 3);
    const broken = [
      ...more,
      { version: 4, up: 'CREATE TABLE half (id INTEGER); CREATE TABLE note (id INTEGER)' },
    ];
    expect(openDatabase(path, { synchronous: 'FULL', migrations: broken })).toMatchObject({
      ok: false,
      code: 'migration_failed',
      message: `cannot bring the database ${path} to version 4: table note already exists`,
    });
    using database = open(path, { migrations: more });
    expect(database.get("SELECT name FROM sqlite_schema WHERE name = 'half'")).toBeUndefined();
  });

  it('leave the database of another program alone', () => {
    const folder = createFolder();
    const path = join(folder, 'theirs.db');
    const theirs = new DatabaseSync(path);
    theirs.exec("CREATE TABLE note (id INTEGER, what TEXT); INSERT INTO note VALUES (1, 'theirs')");
    theirs.close();
    expect(openDatabase(path, { synchronous: 'FULL', migrations })).toMatchObject({
      ok: false,
      code: 'migration_failed',
      remedy: 'it may belong to another program: move it away',
    });
    const again = new DatabaseSync(path);
    expect(again.prepare('SELECT what FROM note').get()).toMatchObject({ what: 'theirs' });
    again.close();
  });

  it('may rebuild a table that others refer to, and may not leave a row that refers to nothing', () => {
    const path = join(createFolder(), 'a.db');
    const first: Migration = {
      version: 1,
      up: `CREATE TABLE parent (id INTEGER PRIMARY KEY); CREATE TABLE child (parent INTEGER REFERENCES parent (id));
           INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1);`,
    };
    const rebuild: Migration = {
      version: 2,
      up: `CREATE TABLE rebuilt (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO rebuilt (id) SELECT id FROM parent;
           DROP TABLE parent; ALTER TABLE rebuilt RENAME TO parent;`,
    };
    open(path, { migrations: [first, rebuild] }).close();
    const orphan: Migration = { version: 3, up: 'DELETE FROM parent' };
    expect(() => openDatabase(path, { synchronous: 'FULL', migrations: [first, rebuild, orphan] })).toThrow(
      'the migration to version 3 leaves rows of "child" that refer to nothing',
    );
    using database = open(path, { migrations: [first, rebuild] });
    expect(database.all('SELECT id FROM parent')).toHaveLength(1);
    expect(() => database.run('DELETE FROM parent')).toThrow(
      expect.objectContaining({ constraint: 'foreign_key' }),
    );
  });

  it('must be numbered without a gap', () => {
    for (const versions of [[2], [1, 1], [1, 3], [0]]) {
      const wrong = versions.map((version) => ({ version, up: 'SELECT 1' }));
      expect(() => openDatabase(':memory:', { synchronous: 'FULL', migrations: wrong })).toThrow(RangeError);
    }
  });

  it('throw what a step throws, with nothing of it done and nothing left open', () => {
    const path = createDatabase(createFolder(), 1);
    const failing: Migration = {
      version: 2,
      up: (database) => {
        database.exec('DELETE FROM note');
        throw new Error('a bug');
      },
    };
    expect(() => openDatabase(path, { synchronous: 'FULL', migrations: [...migrations, failing] })).toThrow(
      'a bug',
    );
    expect(readdirSync(join(path, '..'))).toEqual(['sound.db']);
    using database = open(path);
    expect(database.all('SELECT * FROM note')).toHaveLength(1);
  });

  it('refuse a database of a newer version and leave it as it is', () => {
    const folder = createFolder();
    const path = createDatabase(folder);
    open(path, { migrations: more }).close();
    const before = snapshot(folder);
    for (const readOnly of [false, true]) {
      expect(openDatabase(path, { synchronous: 'FULL', migrations, readOnly })).toMatchObject({
        ok: false,
        code: 'newer_version',
        message: `the database ${path} was written by a newer Herma (its version is 3, this one knows 1)`,
        remedy: 'update Herma, or set HERMA_HOME to another folder',
      });
    }
    expect(snapshot(folder).get('sound.db')).toBe(before.get('sound.db'));
  });

  it('are done once by several processes that open a new database together', async () => {
    const path = join(createFolder(), 'a.db');
    const program = `import(process.argv[1]).then(({ openDatabase }) => {
      const migrations = Array.from({ length: 20 }, (_, index) => ({ version: index + 1, up: 'CREATE TABLE t' + index + ' (id INTEGER)' }));
      const opened = openDatabase(process.argv[2], { synchronous: 'NORMAL', migrations });
      console.log(opened.ok ? 'ok' : opened.message);
    })`;
    const runs = await Promise.all(Array.from({ length: 5 }, () => runNode(program, moduleUrl, path)));
    expect(runs).toEqual(Array.from({ length: 5 }, () => 'ok\n'));
  });
});

describe('a database that is opened for reading', () => {
  it('is read, beside a writer too, and cannot be changed', () => {
    const path = createDatabase(createFolder(), 2);
    using writer = open(path);
    using reader = open(path, { readOnly: true });
    writer.run('INSERT INTO note (body) VALUES (?)', ['new']);
    expect(reader.all('SELECT * FROM note')).toHaveLength(3);
    expect(() => reader.run('DELETE FROM note')).toThrow(expect.objectContaining({ code: 'read_only' }));
  });

  it('is not created and not migrated', () => {
    const folder = createFolder();
    const missing = join(folder, 'no/a.db');
    expect(openDatabase(missing, { synchronous: 'FULL', migrations, readOnly: true })).toMatchObject({
      ok: false,
      code: 'not_found',
      message: `cannot open the database ${missing}: there is no such file or folder`,
    });
    expect(readdirSync(folder)).toEqual([]);
    const path = createDatabase(folder);
    const newer = [...migrations, { version: 2, up: 'SELECT 1' }];
    expect(openDatabase(path, { synchronous: 'FULL', migrations: newer, readOnly: true })).toMatchObject({
      ok: false,
      code: 'older_version',
    });
  });
});

describe('a disk that', () => {
  const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0;

  /** Opens the database on a disk of 300 KB, fills it, and prints what happened. */
  function onSmallDisk(prepare: string, body: string): unknown {
    const folder = createFolder();
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    copyFileSync(createDatabase(folder, 10), join(folder, 'copy.db'));
    const program = `import(process.argv[1]).then(({ openDatabase, attemptDatabase }) => {
      const path = process.argv[2] + '/copy.db';
      const migrations = ${JSON.stringify(migrations)};
      const open = (options) => openDatabase(path, { synchronous: 'FULL', migrations, ...options });
      ${body}
    })`;
    const shell = `mount -t tmpfs -o size=300k none "$1"; cp "$2/copy.db" "$1"; ${prepare}; exec "$3" -e "$4" "$5" "$1"`;
    const args = [disk, folder, process.execPath, program, moduleUrl];
    const run = spawnSync('unshare', ['-rm', 'sh', '-ec', shell, 'sh', ...args], { encoding: 'utf8' });
    return JSON.parse(run.stdout === '' ? JSON.stringify(run.stderr) : run.stdout);
  }

  it.runIf(canMount)('is full ends a transaction with nothing of it done, and the database goes on', () => {
    const outcome = onSmallDisk(
      'true',
      `const database = open().value;
       const fill = () => database.transaction(() => {
         for (let row = 0; row < 2000; row += 1) database.run('INSERT INTO note (body) VALUES (?)', ['x'.repeat(1000)]);
       });
       const filled = attemptDatabase(fill);
       const { count } = database.get('SELECT count(*) AS count FROM note');
       const isInTransaction = database.isInTransaction;
       const small = attemptDatabase(() => database.run('DELETE FROM note WHERE id = 1').changes);
       console.log(JSON.stringify({ filled, count, isInTransaction, small, damage: database.checkIntegrity() }));`,
    );
    expect(outcome).toMatchObject({
      filled: { ok: false, code: 'disk_full', message: expect.stringMatching(/the disk is full$/) },
      count: 10,
      isInTransaction: false,
      small: { ok: true, value: 1 },
      damage: [],
    });
  });

  it.runIf(canMount)('is read-only is called that', () => {
    const outcome = onSmallDisk('mount -o remount,ro "$1"', 'console.log(JSON.stringify(open()));');
    expect(outcome).toMatchObject({
      ok: false,
      code: 'read_only',
      message: expect.stringMatching(/^cannot open the database .*: the disk is read-only$/),
    });
  });
});

describe('chooseConstructor', () => {
  it('takes either name of the class', () => {
    expect(chooseConstructor({ DatabaseSync })).toBe(DatabaseSync);
    expect(chooseConstructor({ Database: DatabaseSync })).toBe(DatabaseSync);
    expect(() => chooseConstructor({})).toThrow(/has no SQLite/);
    expect(() => chooseConstructor(undefined)).toThrow(/has no SQLite/);
  });
});

async function runNode(program: string, ...args: readonly string[]): Promise<string> {
  const { execFile } = await import('node:child_process');
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ['-e', program, ...args], (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(error);
    });
  });
}
