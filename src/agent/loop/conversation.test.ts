import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HermaError, valueOrThrow } from '../../kernel/errors/index.ts';
import { FakeClock } from '../../platform/clock/index.ts';
import { type Message, openSessionStore, type SessionStore } from '../sessions/index.ts';
import { Conversation } from './index.ts';

let folder = '';
let path = '';
let store: SessionStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'herma-conversation-'));
  path = join(folder, 'state.db');
  store = valueOrThrow(openSessionStore({ path, clock: new FakeClock() }));
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const repair = { effectOf: (tool: string) => (tool === 'read_file' ? 'none' : 'write') } as const;
const start = (parentSessionId?: string): Conversation =>
  valueOrThrow(
    Conversation.start(store, {
      source: 'test',
      cwd: '/',
      ...(parentSessionId === undefined ? {} : { parentSessionId }),
    }),
  );
const resume = (sessionId: string): Conversation =>
  valueOrThrow(Conversation.resume(store, sessionId, repair));

const user = (text: string): Message => ({ role: 'user', text });
const answer = (text: string): Message => ({ role: 'assistant', text, calls: [] });
const calls = (...requested: readonly (readonly [string, string])[]): Message => ({
  role: 'assistant',
  text: '',
  calls: requested.map(([callId, tool]) => ({ callId, tool, args: {} })),
});
const result = (callId: string, text: string): Message => ({
  role: 'tool',
  callId,
  tool: 'x',
  text,
  status: 'ok',
});

describe('a conversation', () => {
  it('has every message on the disk when append returns', () => {
    const conversation = start();
    conversation.append(user('hi'), 't1');
    const database = new DatabaseSync(path, { readOnly: true });
    expect(database.prepare('SELECT content FROM messages').all()).toEqual([{ content: 'hi' }]);
    database.close();
    expect(conversation.messages).toEqual([user('hi')]);
  });

  it('holds nothing that could not be stored', () => {
    const conversation = start();
    conversation.append(user('hi'), 't1');
    store.close();
    expect(() => conversation.append(answer('lost'), 't1')).toThrow();
    expect(conversation.messages).toEqual([user('hi')]);
    store = valueOrThrow(openSessionStore({ path, clock: new FakeClock() }));
  });

  it('says as a HermaError that a session is gone', () => {
    const conversation = start();
    const database = new DatabaseSync(path);
    database.exec('DELETE FROM sessions');
    database.close();
    expect(() => conversation.append(user('hi'), 't1')).toThrow(HermaError);
  });

  it('fails to resume what is not there', () => {
    expect(Conversation.resume(store, 'ses_none', repair)).toMatchObject({
      ok: false,
      code: 'no_such_session',
    });
  });
});

describe('a conversation that is resumed after a kill', () => {
  it('tells the truth about calls without a result, and stores it', () => {
    const killed = start();
    killed.append(user('go'), 't1');
    killed.append(calls(['a', 'read_file'], ['b', 'write_file'], ['c', 'write_file']), 't1');
    killed.append(result('c', 'written'), 't1');

    const resumed = resume(killed.sessionId);
    const [, , readOnly, writing, real] = resumed.messages;
    expect(resumed.messages.length).toBe(5);
    expect(readOnly).toMatchObject({ role: 'tool', callId: 'a', status: 'unknown' });
    expect(readOnly?.text).toMatch(/did not finish/);
    expect(writing).toMatchObject({ role: 'tool', callId: 'b', status: 'unknown' });
    expect(writing?.text).toMatch(/its effect is unknown.*[Ii]nspect.*before repeating/);
    expect(real).toEqual(result('c', 'written'));
    for (const message of resumed.messages) expect(message.text).not.toMatch(/abort|cancel/i);
    expect(valueOrThrow(store.load(killed.sessionId)).map(({ message }) => message)).toEqual(
      resumed.messages,
    );
    expect(resume(killed.sessionId).messages).toEqual(resumed.messages);
  });
});

describe('the size of a conversation', () => {
  it('grows with what is appended', () => {
    const conversation = start();
    expect(conversation.tokens).toBe(0);
    conversation.append(user('word'.repeat(100)), 't1');
    const once = conversation.tokens;
    conversation.append(answer('word'.repeat(100)), 't1');
    expect(once).toBeGreaterThanOrEqual(100);
    expect(conversation.tokens).toBeGreaterThanOrEqual(2 * 100);
    expect(resume(conversation.sessionId).tokens).toBeGreaterThanOrEqual(200);
  });

  it('is what the provider counted, and an estimate of what came after', () => {
    const conversation = start();
    conversation.append(user('hi'), 't1');
    conversation.noteInputTokens(1000);
    expect(conversation.tokens).toBe(1000);
    conversation.append(answer('word'.repeat(100)), 't1');
    expect(conversation.tokens).toBeGreaterThanOrEqual(1100);
    expect(conversation.tokens).toBeLessThan(1120);
  });

  it.each([0, 3])('is never below the estimate, whatever the provider counts (%d)', (counted) => {
    const conversation = start();
    conversation.append(user('word'.repeat(100)), 't1');
    const estimate = conversation.tokens;
    conversation.noteInputTokens(counted);
    expect(conversation.tokens).toBe(estimate);
  });
});

describe('the continuation of a conversation', () => {
  it('is a new session of the same lineage, and everything that follows goes there', () => {
    const conversation = start();
    const first = conversation.sessionId;
    conversation.append(user('long'), 't1');
    expect(conversation.continueWith([user('short')])).toMatchObject({ ok: true });
    conversation.append(answer('yes'), 't1');
    expect(conversation.sessionId).not.toBe(first);
    expect(conversation.rootSessionId).toBe(first);
    expect(conversation.messages).toEqual([user('short'), answer('yes')]);
    expect(conversation.repaired(repair)).toEqual([user('short'), answer('yes')]);
    expect(valueOrThrow(store.load(first)).map(({ message }) => message)).toEqual([user('long')]);
    expect(resume(first).sessionId).toBe(conversation.sessionId);
  });

  it('is as large as it is estimated, whatever was counted before', () => {
    const conversation = start();
    conversation.append(user('long'), 't1');
    conversation.noteInputTokens(5000);
    conversation.continueWith([user('word'.repeat(100))]);
    expect(conversation.tokens).toBeLessThan(120);
  });

  it('does not pass for a session that was delegated', () => {
    const conversation = start();
    conversation.append(user('long'), 't1');
    conversation.continueWith([user('short')]);
    expect(conversation.parentSessionId).toBeUndefined();
    expect(resume(conversation.sessionId).parentSessionId).toBeUndefined();
  });

  it('of a delegated session still belongs to the one that delegated', () => {
    const parent = start();
    const child = start(parent.sessionId);
    child.append(user('long'), 't1');
    child.continueWith([user('short')]);
    child.append(answer('yes'), 't1');
    child.continueWith([user('shorter')]);
    expect(child.parentSessionId).toBe(parent.sessionId);
    expect(resume(child.rootSessionId).parentSessionId).toBe(parent.sessionId);
    expect(child.rootSessionId).not.toBe(parent.rootSessionId);
  });

  it('keeps the turn of every message, so that a turn can still be taken back', () => {
    const conversation = start();
    const [one, two, three] = [user('1'), user('2'), user('3')];
    conversation.append(one, 't1');
    conversation.append(calls(['a', 'read_file']), 't1');
    conversation.append(result('a', 'x'), 't1');
    conversation.append(two, 't2');
    conversation.append(calls(['a', 'read_file']), 't2');
    conversation.append(result('a', 'y'), 't2');
    conversation.append(three, 't3');
    const summary: Message = { role: 'user', text: 'sum', synthetic: 'summary' };
    const [, , , ...rest] = conversation.repaired(repair);
    conversation.continueWith([one, summary, ...rest]);
    expect(valueOrThrow(store.load(conversation.sessionId)).map(({ turnId }) => turnId)).toEqual([
      't1',
      't1',
      't2',
      't2',
      't2',
      't3',
    ]);
  });

  it('that cannot be stored changes nothing', () => {
    const conversation = start();
    conversation.append(user('long'), 't1');
    const database = new DatabaseSync(path);
    database.exec(`CREATE TRIGGER no BEFORE INSERT ON sessions BEGIN SELECT RAISE(ABORT, 'full'); END`);
    database.close();
    expect(conversation.continueWith([user('short')])).toMatchObject({ ok: false });
    expect(conversation.sessionId).toBe(conversation.rootSessionId);
    conversation.append(answer('yes'), 't1');
    expect(conversation.messages).toEqual([user('long'), answer('yes')]);
  });
});
