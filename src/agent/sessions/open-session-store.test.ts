import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { valueOrThrow } from '../../kernel/errors/index.ts';
import { FakeClock } from '../../platform/clock/index.ts';
import { openDatabase } from '../../platform/sqlite/index.ts';
import { openSessionStore, type SessionStore } from './index.ts';
import { SESSION_MIGRATIONS } from './session-schema.ts';

const PAGE = 4096;
const clock = new FakeClock();
let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'herma-sessions-'));
  path = join(folder, 'state.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = () => openSessionStore({ path, clock });

/** A file with two sessions of a hundred messages; the value is its bytes. */
function fill(): Buffer {
  const store = valueOrThrow(open());
  for (const cwd of ['/a', '/b']) {
    const { id } = valueOrThrow(store.create({ source: 'cli', cwd, title: `title ${cwd}` }));
    for (let index = 0; index < 100; index += 1) {
      valueOrThrow(
        store.append(id, { role: 'user', text: `${cwd} ${index} ${'x'.repeat(300)}` }, `t${index}`),
      );
    }
  }
  store.close();
  return readFileSync(path);
}

const refusal = (code: string) => ({
  ok: false,
  code,
  message: expect.stringContaining(path),
  remedy: expect.stringMatching(/away|update/i),
});

describe('openSessionStore', () => {
  it('makes a private file, and opens it again', () => {
    valueOrThrow(open()).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    valueOrThrow(open()).close();
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['garbage', (bytes) => Buffer.alloc(bytes.length, 'garbage ')],
    ['cut in half', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['cut within its first page', (bytes) => bytes.subarray(0, 1000)],
    ['one page short', (bytes) => bytes.subarray(0, bytes.length - PAGE)],
    ['with a damaged first page', (bytes) => damagedAt(bytes, 100)],
  ])('refuses a file that is %s, and leaves it as it is', (_, damage) => {
    const bytes = damage(fill());
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    writeFileSync(path, bytes);
    expect(open()).toEqual(refusal('corrupt'));
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(['state.db']);
  });

  it('refuses a file of a newer version, and leaves it as it is', () => {
    fill();
    const future = [...SESSION_MIGRATIONS, { version: 2, up: 'CREATE TABLE future (id INTEGER)' }];
    valueOrThrow(openDatabase(path, { synchronous: 'FULL', migrations: future })).close();
    const bytes = readFileSync(path);
    expect(open()).toEqual(refusal('newer_version'));
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it('refuses a file that another program made for itself', () => {
    valueOrThrow(openDatabase(path, { synchronous: 'FULL', migrations: [] })).close();
    const foreign = valueOrThrow(openDatabase(path, { synchronous: 'FULL', migrations: [] }));
    foreign.exec('CREATE TABLE sessions (id INTEGER); INSERT INTO sessions VALUES (7)');
    foreign.close();
    expect(open()).toEqual(refusal('migration_failed'));
    const again = valueOrThrow(openDatabase(path, { synchronous: 'FULL', migrations: [] }));
    expect(again.all('SELECT * FROM sessions')).toHaveLength(1);
    again.close();
  });

  it('refuses a folder, and a path that leads through a file', () => {
    mkdirSync(path);
    expect(open()).toMatchObject({ ok: false, code: 'not_a_file', message: expect.stringContaining(path) });
    writeFileSync(join(folder, 'file'), '');
    path = join(folder, 'file', 'state.db');
    expect(open()).toMatchObject({
      ok: false,
      message: expect.stringContaining(path),
      remedy: expect.any(String),
    });
  });

  it('never gives out other messages than were stored, whichever page is damaged', () => {
    const bytes = fill();
    const sound = contentsOf(valueOrThrow(open()));
    for (let page = 1; page < bytes.length / PAGE; page += 1) {
      for (const name of readdirSync(folder)) rmSync(join(folder, name));
      const damaged = damagedAt(bytes, page * PAGE);
      writeFileSync(path, damaged);
      const opened = open();
      if (!opened.ok) {
        expect(opened).toEqual(refusal('corrupt'));
        expect(readFileSync(path).equals(damaged)).toBe(true);
        continue;
      }
      for (const [index, result] of contentsOf(opened.value).entries()) {
        expect(result).toEqual(result.ok ? sound[index] : refusal('corrupt'));
      }
    }
  });
});

function damagedAt(bytes: Buffer, offset: number): Buffer {
  const damaged = Buffer.from(bytes);
  damaged.fill('X', offset, offset + 12);
  return damaged;
}

/** Everything the store says, then closed. */
function contentsOf(store: SessionStore): readonly { readonly ok: boolean }[] {
  const list = store.list();
  const ids = list.ok ? list.value.map(({ id }) => id) : [];
  const contents = [list, ...ids.map((id) => store.load(id))];
  store.close();
  return contents;
}
