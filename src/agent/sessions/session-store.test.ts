import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Result, valueOrThrow } from '../../kernel/errors/index.ts';
import { type Clock, FakeClock } from '../../platform/clock/index.ts';
import { openDatabase } from '../../platform/sqlite/index.ts';
import { type Message, openSessionStore, type Session, type SessionStore } from './index.ts';
import { SESSION_MIGRATIONS } from './session-schema.ts';

const START = Date.UTC(2030, 0, 1);
const user = (text: string): Message => ({ role: 'user', text });
const says = (text: string): Message => ({ role: 'assistant', text, calls: [] });
const asks = (...ids: string[]): Message => ({
  role: 'assistant',
  text: '',
  calls: ids.map((callId) => ({ callId, tool: 'terminal', args: { command: callId } })),
});
const tells = (callId: string): Message => ({
  role: 'tool',
  callId,
  tool: 'terminal',
  text: `real ${callId}`,
  status: 'ok',
});

let folder = '';
let path = '';
let clock = new FakeClock(START);
let store: SessionStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'herma-sessions-'));
  path = join(folder, 'state.db');
  clock = new FakeClock(START);
  store = valueOrThrow(openSessionStore({ path, clock }));
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

function create(options: Partial<Parameters<SessionStore['create']>[0]> = {}): Session {
  return valueOrThrow(store.create({ source: 'cli', cwd: '/project', ...options }));
}

function append(session: Session, turnId: string, ...messages: readonly Message[]): void {
  for (const message of messages) valueOrThrow(store.append(session.id, message, turnId));
}

function messagesOf(session: Session): readonly Message[] {
  return valueOrThrow(store.load(session.id)).map(({ message }) => message);
}

/** All rows of a statement, read by another connection. */
function rowsOf(sql: string): readonly unknown[] {
  const database = valueOrThrow(
    openDatabase(path, { synchronous: 'NORMAL', migrations: SESSION_MIGRATIONS, readOnly: true }),
  );
  const rows = database.all(sql).map((row) => ({ ...row }));
  database.close();
  return rows;
}

function change(sql: string): void {
  const database = valueOrThrow(
    openDatabase(path, { synchronous: 'NORMAL', migrations: SESSION_MIGRATIONS }),
  );
  database.run(sql);
  database.close();
}

const noSession = (id: string) => ({
  ok: false,
  code: 'no_such_session',
  message: expect.stringContaining(JSON.stringify(id)),
  remedy: expect.any(String),
});

describe('a session', () => {
  it('is its own root, open, and empty', () => {
    const session = create({ model: 'openai:x', title: '\nFirst' });
    expect(session).toEqual({
      id: expect.stringMatching(/^ses_[a-z0-9]+$/),
      rootSessionId: session.id,
      source: 'cli',
      cwd: '/project',
      model: 'openai:x',
      title: 'First',
      startedAtMs: START,
      lastActiveAtMs: START,
      messageCount: 0,
      toolCallCount: 0,
    });
    expect(store.get(session.id)).toEqual({ ok: true, value: session });
  });

  it('is there for another process, and after closing', () => {
    const session = create();
    append(session, 't1', user('hi'));
    store.close();
    store.close();
    store = valueOrThrow(openSessionStore({ path, clock }));
    expect(messagesOf(session)).toEqual([user('hi')]);
  });

  it('counts messages and calls, and knows when it was used last', async () => {
    const session = create();
    await clock.advance(1234);
    append(session, 't1', user('go'), asks('a', 'b'), tells('b'));
    expect(valueOrThrow(store.get(session.id))).toMatchObject({
      messageCount: 3,
      toolCallCount: 2,
      startedAtMs: START,
      lastActiveAtMs: START + 1234,
    });
  });

  it('is open again once a message comes after its end', async () => {
    const session = create();
    await clock.advance(5);
    valueOrThrow(store.end(session.id, 'user_exit'));
    expect(valueOrThrow(store.get(session.id))).toMatchObject({
      endedAtMs: START + 5,
      endReason: 'user_exit',
    });
    append(session, 't1', user('again'));
    expect(valueOrThrow(store.get(session.id))).not.toHaveProperty('endedAtMs');
    expect(valueOrThrow(store.get(session.id))).not.toHaveProperty('endReason');
  });

  it('takes a title on one line, and loses it with an empty one', () => {
    const session = create();
    valueOrThrow(store.rename(session.id, ' two\nlines\u001b[31m '));
    expect(valueOrThrow(store.get(session.id)).title).toBe('two lines [31m');
    valueOrThrow(store.rename(session.id, '  '));
    expect(valueOrThrow(store.get(session.id))).not.toHaveProperty('title');
  });

  it('is not to be had from a closed store', () => {
    const session = create();
    store.close();
    expect(store.get(session.id)).toMatchObject({ ok: false, code: 'closed' });
    expect(store.append(session.id, user('x'), 't1')).toMatchObject({ ok: false, code: 'closed' });
  });

  it('that is not there is named, and nothing is stored for it', () => {
    const attempts: ((id: string) => Result<unknown>)[] = [
      (id) => store.get(id),
      (id) => store.load(id),
      (id) => store.append(id, user('x'), 't1'),
      (id) => store.rename(id, 'x'),
      (id) => store.end(id, 'x'),
      (id) => store.currentOf(id),
      (id) => store.repair(id, { effectOf: () => 'none' }),
      (id) => store.rewindToTurn(id, 't1'),
      (id) => store.startContinuation(id, { reason: 'compression', messages: [] }),
    ];
    for (const attempt of attempts) {
      for (const id of ['ses_gone', '', "' OR 1=1 --", '__proto__'])
        expect(attempt(id)).toEqual(noSession(id));
    }
    expect(rowsOf('SELECT * FROM messages')).toEqual([]);
    expect(rowsOf('SELECT * FROM sessions')).toEqual([]);
  });
});

describe('messages', () => {
  it('come back in the order they were stored, with turn and time', async () => {
    const session = create();
    append(session, 't1', user('go'), asks('a', 'b'), tells('b'));
    await clock.advance(1500);
    append(session, 't1', tells('a'));
    append(session, 't2', says('done'));
    expect(
      valueOrThrow(store.load(session.id)).map(({ turnId, timestampMs }) => [turnId, timestampMs - START]),
    ).toEqual([
      ['t1', 0],
      ['t1', 0],
      ['t1', 0],
      ['t1', 1500],
      ['t2', 1500],
    ]);
    expect(messagesOf(session)).toEqual([user('go'), asks('a', 'b'), tells('b'), tells('a'), says('done')]);
  });

  it('of other sessions are not among them', () => {
    const [one, other] = [create(), create()];
    append(one, 't1', user('one'));
    append(other, 't1', user('other'));
    append(one, 't1', says('1'));
    expect(messagesOf(one)).toEqual([user('one'), says('1')]);
    expect(messagesOf(other)).toEqual([user('other')]);
  });

  it('keep every text as it is: NUL, lone surrogates, 5 MB', () => {
    const session = create();
    const texts = [
      'a\0b\0',
      '\ud800 and \udfff',
      '😀\u2028\r\n',
      'x'.repeat(5_000_000),
      '',
      "'; DROP TABLE messages; --",
    ];
    append(session, 't\0', ...texts.map(user));
    expect(messagesOf(session).map(({ text }) => text)).toEqual(texts);
    expect(valueOrThrow(store.load(session.id))[0]?.turnId).toBe('t\0');
  });

  it('keep ids and arguments that no column could hold, so that results still fit their calls', () => {
    const session = create();
    const odd: Message[] = [
      {
        role: 'assistant',
        text: '',
        calls: [{ callId: '\ud800', tool: 'a\0', args: null, rawArgs: '{"\ud800' }],
      },
      { role: 'tool', callId: '\ud800', tool: 'a\0', text: 'x', status: 'error' },
    ];
    append(session, 't1', ...odd);
    expect(messagesOf(session)).toEqual(odd);
  });

  it('may be as large as 100 MB', () => {
    const session = create();
    const large: Message = {
      role: 'tool',
      callId: 'a',
      tool: 't',
      text: 'y'.repeat(100_000_000),
      status: 'ok',
    };
    append(session, 't1', large);
    const [loaded] = messagesOf(session);
    expect(loaded?.text === large.text).toBe(true);
  });

  it('have the columns of Hermes', () => {
    const session = create();
    append(session, 't1', asks('a'), tells('a'));
    expect(
      rowsOf(
        `SELECT role, content, tool_call_id, tool_name, json_extract(tool_calls, '$[0].function.name') AS called, timestamp
         FROM messages WHERE session_id = '${session.id}' ORDER BY id`,
      ),
    ).toEqual([
      {
        role: 'assistant',
        content: '',
        tool_call_id: null,
        tool_name: null,
        called: 'terminal',
        timestamp: START / 1000,
      },
      {
        role: 'tool',
        content: 'real a',
        tool_call_id: 'a',
        tool_name: 'terminal',
        called: null,
        timestamp: START / 1000,
      },
    ]);
  });

  it('are stored one by one without reading those before: a damaged row matters to loading only', () => {
    const session = create();
    append(session, 't1', user('go'));
    change(`UPDATE messages SET role = 'robot'`);
    append(session, 't1', says('still stored'));
    expect(store.load(session.id)).toMatchObject({
      ok: false,
      code: 'corrupt_message',
      message: expect.stringMatching(/Message 1 in .*state\.db cannot be read: .*"robot"/),
    });
  });

  it('add up: a thousand, one at a time', () => {
    const session = create();
    const given = Array.from({ length: 1000 }, (_, index) =>
      index % 2 === 0 ? asks(`c${index}`) : tells(`c${index - 1}`),
    );
    append(session, 't1', ...given);
    expect(messagesOf(session)).toEqual(given);
    expect(valueOrThrow(store.get(session.id))).toMatchObject({ messageCount: 1000, toolCallCount: 500 });
  });
});

describe('the list of sessions', () => {
  it('has the last used first, with first words and counts', async () => {
    const old = create();
    await clock.advance(1000);
    const young = create();
    append(young, 't1', says('no words of a person'));
    await clock.advance(1000);
    append(
      old,
      't1',
      { role: 'user', text: 'a summary', synthetic: 'summary' },
      user('What\n is\tthis?'),
      asks('a'),
    );
    expect(valueOrThrow(store.list())).toMatchObject([
      { id: old.id, firstWords: 'What is this?', messageCount: 3, toolCallCount: 1 },
      { id: young.id, firstWords: '', messageCount: 1 },
    ]);
  });

  it('cuts long words between characters, and reads no more of a message than it needs', () => {
    append(create(), 't1', user('👩‍👩‍👧‍👦'.repeat(100)));
    append(create(), 't1', user('é '.repeat(2_000_000)));
    const [second, first] = valueOrThrow(store.list());
    expect(second?.firstWords).toBe(`${'é '.repeat(39)}é…`.normalize());
    expect(first?.firstWords.startsWith('👩‍👩‍👧‍👦'.repeat(30))).toBe(true);
  });

  it('has sessions used at the same time in the order they were made, newest first', () => {
    const ids = [create(), create(), create()].map(({ id }) => id);
    expect(valueOrThrow(store.list()).map(({ id }) => id)).toEqual(ids.toReversed());
  });

  it('can be limited and kept to one folder', () => {
    create({ cwd: '/a' });
    const b = create({ cwd: '/b' });
    create({ cwd: '/a' });
    expect(valueOrThrow(store.list({ cwd: '/b' })).map(({ id }) => id)).toEqual([b.id]);
    expect(valueOrThrow(store.list({ limit: 2 }))).toHaveLength(2);
    expect(valueOrThrow(store.list({ cwd: '/c' }))).toEqual([]);
  });

  it('shows delegated and continued sessions only when asked', () => {
    const parent = create();
    const child = create({ source: 'subagent', parentSessionId: parent.id });
    const next = valueOrThrow(store.startContinuation(parent.id, { reason: 'compression', messages: [] }));
    expect(valueOrThrow(store.list()).map(({ id }) => id)).toEqual([next.id]);
    expect(new Set(valueOrThrow(store.list({ everything: true })).map(({ id }) => id))).toEqual(
      new Set([parent.id, child.id, next.id]),
    );
  });
});

describe('the latest session', () => {
  it('is the last used also when the clock was set back in between', () => {
    let now = 2_000_000_000_000;
    const moving: Clock = Object.assign(new FakeClock(), { now: () => now });
    const other = valueOrThrow(openSessionStore({ path: join(folder, 'moving.db'), clock: moving }));
    const [first, second] = [1, 2].map(() => valueOrThrow(other.create({ source: 'test', cwd: '/w' })));
    valueOrThrow(other.append(first?.id ?? '', { role: 'user', text: 'before' }, 't'));
    now -= 3_600_000;
    valueOrThrow(other.append(second?.id ?? '', { role: 'user', text: 'after' }, 't'));
    expect(valueOrThrow(other.latest())?.id).toBe(second?.id);
    valueOrThrow(other.append(first?.id ?? '', { role: 'user', text: 'again' }, 't'));
    expect(valueOrThrow(other.latest())?.id).toBe(first?.id);
    other.close();
  });

  it('is the last used of a folder that has messages', async () => {
    const here = create({ cwd: '/here' });
    const there = create({ cwd: '/there' });
    append(here, 't1', user('1'));
    await clock.advance(10);
    append(there, 't1', user('2'));
    await clock.advance(10);
    create({ cwd: '/here' });
    append(create({ cwd: '/here', parentSessionId: here.id }), 't1', user('delegated'));
    expect(valueOrThrow(store.latest())?.id).toBe(there.id);
    expect(valueOrThrow(store.latest({ cwd: '/here' }))?.id).toBe(here.id);
    expect(valueOrThrow(store.latest({ cwd: '/elsewhere' }))).toBeUndefined();
  });
});

describe('a continuation', () => {
  it('has the kept messages, the same root, and the old session as parent, which ends and keeps its own', async () => {
    const first = create({ title: 'T', model: 'm' });
    append(first, 't1', user('1'), says('one'));
    await clock.advance(100);
    append(first, 't2', user('2'), asks('a'), tells('a'));
    const summary: Message = { role: 'user', text: 'so far', synthetic: 'summary' };
    const kept = valueOrThrow(store.load(first.id)).slice(2);
    await clock.advance(100);
    const second = valueOrThrow(
      store.startContinuation(first.id, {
        reason: 'compression',
        messages: [{ message: summary, turnId: 't1' }, ...kept],
      }),
    );
    expect(second).toMatchObject({
      rootSessionId: first.id,
      parentSessionId: first.id,
      title: 'T',
      model: 'm',
      cwd: '/project',
      messageCount: 4,
      toolCallCount: 1,
      startedAtMs: START + 200,
    });
    expect(
      valueOrThrow(store.load(second.id)).map(({ turnId, timestampMs }) => [turnId, timestampMs - START]),
    ).toEqual([
      ['t1', 200],
      ['t2', 100],
      ['t2', 100],
      ['t2', 100],
    ]);
    expect(messagesOf(second)).toEqual([summary, user('2'), asks('a'), tells('a')]);
    expect(messagesOf(first)).toHaveLength(5);
    expect(valueOrThrow(store.get(first.id))).toMatchObject({
      endReason: 'compression',
      endedAtMs: START + 200,
    });
  });

  it('of a continuation keeps the root, and is the current session of all before it', () => {
    const first = create();
    const next = (id: string) =>
      valueOrThrow(store.startContinuation(id, { reason: 'compression', messages: [] }));
    const second = next(first.id);
    const third = next(second.id);
    create({ parentSessionId: third.id });
    expect(third).toMatchObject({ rootSessionId: first.id, parentSessionId: second.id });
    for (const { id } of [first, second, third]) expect(valueOrThrow(store.currentOf(id)).id).toBe(third.id);
  });

  it('is left aside by a session that went on by itself', () => {
    const first = create();
    valueOrThrow(store.startContinuation(first.id, { reason: 'compression', messages: [] }));
    append(first, 't2', user('here again'));
    expect(valueOrThrow(store.currentOf(first.id)).id).toBe(first.id);
    expect(valueOrThrow(store.latest())?.id).toBe(first.id);
  });

  it('in a circle, in a file that was tampered with, still has an answer', () => {
    const first = create();
    const second = valueOrThrow(store.startContinuation(first.id, { reason: 'compression', messages: [] }));
    change(`UPDATE sessions SET parent_session_id = '${second.id}', end_reason = 'compression'`);
    expect(store.currentOf(first.id)).toMatchObject({ ok: true });
  });

  it('is stored whole or not at all', () => {
    const first = create();
    append(first, 't1', user('1'));
    change(
      `CREATE TRIGGER full BEFORE INSERT ON messages WHEN NEW.content = 'stop' BEGIN SELECT raise(ABORT, 'no room'); END`,
    );
    const messages = ['2', '3', 'stop'].map((text) => ({ message: user(text), turnId: 't2' }));
    expect(store.startContinuation(first.id, { reason: 'compression', messages })).toMatchObject({
      ok: false,
      message: expect.stringContaining('no room'),
    });
    expect(valueOrThrow(store.list({ everything: true }))).toHaveLength(1);
    expect(valueOrThrow(store.get(first.id))).not.toHaveProperty('endReason');
    expect(rowsOf('SELECT content FROM messages')).toEqual([{ content: '1' }]);
  });
});

describe('rewinding', () => {
  it('takes out a turn and all after it, and keeps the rows', () => {
    const session = create();
    append(session, 't1', user('1'), says('one'));
    append(session, 't2', user('2'), asks('a'), tells('a'), says('two'));
    append(session, 't3', user('3'));
    expect(store.rewindToTurn(session.id, 't2')).toEqual({ ok: true, value: { removedMessages: 5 } });
    expect(messagesOf(session)).toEqual([user('1'), says('one')]);
    expect(valueOrThrow(store.get(session.id))).toMatchObject({ messageCount: 2, toolCallCount: 0 });
    expect(rowsOf(`SELECT count(*) AS n FROM messages WHERE retired_by = 'rewind'`)).toEqual([{ n: 5 }]);
    append(session, 't4', user('4'));
    expect(messagesOf(session)).toEqual([user('1'), says('one'), user('4')]);
  });

  it('does not mind calls that cannot be read', () => {
    const session = create();
    append(session, 't1', user('1'), asks('a'));
    append(session, 't2', user('2'));
    change(`UPDATE messages SET tool_calls = '[{' WHERE role = 'assistant'`);
    expect(store.rewindToTurn(session.id, 't2')).toMatchObject({ ok: true });
    expect(valueOrThrow(store.get(session.id))).toMatchObject({ messageCount: 2, toolCallCount: 0 });
  });

  it('to a turn that is not there, or not any more, changes nothing', () => {
    const session = create();
    append(session, 't1', user('1'));
    append(session, 't2', user('2'));
    valueOrThrow(store.rewindToTurn(session.id, 't2'));
    for (const turn of ['t2', 't9', '']) {
      expect(store.rewindToTurn(session.id, turn)).toMatchObject({
        ok: false,
        code: 'no_such_turn',
        message: expect.stringContaining(JSON.stringify(turn)),
      });
    }
    expect(messagesOf(session)).toEqual([user('1')]);
  });
});

describe('repairing a stored session', () => {
  const effectOf = () => 'execute' as const;

  it('answers a call that a kill left open, at the end and in its turn', () => {
    const session = create();
    append(session, 't1', user('go'), asks('a', 'b'), tells('a'));
    const repaired = valueOrThrow(store.repair(session.id, { effectOf }));
    expect(repaired.map(({ message }) => message)).toEqual([
      user('go'),
      asks('a', 'b'),
      tells('a'),
      {
        role: 'tool',
        callId: 'b',
        tool: 'terminal',
        status: 'unknown',
        text: expect.stringContaining('effect is unknown'),
      },
    ]);
    expect(repaired.at(-1)?.turnId).toBe('t1');
    expect(store.load(session.id)).toEqual({ ok: true, value: repaired });
    expect(rowsOf('SELECT count(*) AS n FROM messages WHERE retired_by IS NOT NULL')).toEqual([{ n: 0 }]);
  });

  it('puts late results in place, once, and keeps what it replaced', async () => {
    const session = create();
    append(session, 't1', user('1'), asks('a', 'b'), tells('b'));
    await clock.advance(7);
    append(session, 't2', user('2'), tells('a'), tells('z'));
    const repaired = valueOrThrow(store.repair(session.id, { effectOf }));
    expect(
      repaired.map(({ message, turnId, timestampMs }) => [message, turnId, timestampMs - START]),
    ).toEqual([
      [user('1'), 't1', 0],
      [asks('a', 'b'), 't1', 0],
      [tells('a'), 't1', 7],
      [tells('b'), 't1', 0],
      [user('2'), 't2', 7],
    ]);
    expect(valueOrThrow(store.get(session.id))).toMatchObject({ messageCount: 5, toolCallCount: 2 });
    expect(rowsOf(`SELECT count(*) AS n FROM messages WHERE retired_by = 'repair'`)).toEqual([{ n: 4 }]);
    expect(store.repair(session.id, { effectOf })).toEqual({ ok: true, value: repaired });
    expect(rowsOf('SELECT count(*) AS n FROM messages')).toEqual([{ n: 9 }]);
  });

  it('shortens a list that ends in what does not belong', () => {
    const session = create();
    append(session, 't1', user('1'), says(''), says('x'), tells('z'));
    expect(valueOrThrow(store.repair(session.id, { effectOf })).map(({ message }) => message)).toEqual([
      user('1'),
      says('x'),
    ]);
    append(session, 't2', tells('y'));
    expect(valueOrThrow(store.repair(session.id, { effectOf }))).toHaveLength(2);
  });

  it('changes nothing in a sound session', () => {
    const session = create();
    append(session, 't1', user('1'), asks('a'), tells('a'), says('x'));
    const before = rowsOf('SELECT * FROM messages');
    valueOrThrow(store.repair(session.id, { effectOf }));
    expect(rowsOf('SELECT * FROM messages')).toEqual(before);
  });
});
