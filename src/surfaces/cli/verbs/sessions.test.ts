import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openSessionStore, type SessionStore } from '../../../agent/sessions/index.ts';
import { FakeClock } from '../../../platform/clock/index.ts';
import { FakeHost, runOn } from '../fake-host.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'home-'));
});

function fill(work: (store: SessionStore) => void): void {
  const store = openSessionStore({
    path: join(home, 'state.db'),
    clock: new FakeClock(Date.UTC(2029, 11, 31, 21)),
  });
  if (!store.ok) throw new Error(store.message);
  work(store.value);
  store.value.close();
}

function createSession(cwd: string, title?: string): string {
  let id = '';
  fill((store) => {
    const created = store.create({ source: 'cli', cwd, ...(title === undefined ? {} : { title }) });
    if (!created.ok) throw new Error(created.message);
    id = created.value.id;
    store.append(id, { role: 'user', text: 'fix the\nlogin bug' }, 't1');
    const args = { command: 'npm test' };
    store.append(
      id,
      { role: 'assistant', text: 'Let me look.', calls: [{ callId: 'c1', tool: 'terminal', args }] },
      't1',
    );
    const lines = Array.from({ length: 30 }, (_, index) => `line ${String(index + 1)}`);
    const text = `\u001b[31m${lines.join('\n')}`;
    store.append(id, { role: 'tool', callId: 'c1', tool: 'terminal', text, status: 'error' }, 't1');
  });
  return id;
}

async function sessions(argv: readonly string[], stdin = ''): ReturnType<typeof runOn> {
  return runOn(new FakeHost({ home, stdin, workingDirectory: '/work/a' }), ['sessions', ...argv]);
}

describe('herma sessions list', () => {
  it('shows id, time, size, title or first words, and folder', async () => {
    const [first, second] = [createSession('/work/a'), createSession('/work/b', 'the second')];
    const { code, stdout, stderr } = await sessions(['list']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trimEnd().split('\n')).toEqual([
      `ID${' '.repeat(second.length)}LAST USED  MESSAGES  TITLE              FOLDER`,
      `${second}  3h ago            3  the second         /work/b`,
      `${first}  3h ago            3  fix the login bug  /work/a`,
    ]);
  });

  it('prints an array with --json', async () => {
    const id = createSession('/work/a');
    const { stdout } = await sessions(['list', '--json']);
    expect(JSON.parse(stdout)).toEqual([
      {
        id,
        root_session_id: id,
        parent_session_id: null,
        source: 'cli',
        model: null,
        title: null,
        first_words: 'fix the login bug',
        cwd: '/work/a',
        started_at: '2029-12-31T21:00:00.000Z',
        last_active_at: '2029-12-31T21:00:00.000Z',
        ended_at: null,
        end_reason: null,
        message_count: 3,
        tool_call_count: 1,
      },
    ]);
  });

  it('can be narrowed to this folder and to a number, and widened to all', async () => {
    const here = createSession('/work/a');
    createSession('/work/b');
    fill((store) => {
      store.startContinuation(here, { reason: 'compression', messages: [] });
    });
    const ids = async (...argv: readonly string[]): Promise<number> => {
      const { stdout } = await sessions(['list', '--json', ...argv]);
      const listed: readonly unknown[] = JSON.parse(stdout);
      return listed.length;
    };
    expect([await ids(), await ids('--here'), await ids('-n', '1'), await ids('--all')]).toEqual([
      2, 1, 1, 3,
    ]);
    expect(await sessions(['list', '-n', '0'])).toMatchObject({ code: 2 });
  });

  it('is empty, and makes no database, where there is none', async () => {
    expect(await sessions(['list'])).toEqual({ code: 0, stdout: '', stderr: 'there are no sessions yet\n' });
    expect(await sessions(['list', '--json'])).toMatchObject({ code: 0, stdout: '[]\n' });
    expect(existsSync(join(home, 'state.db'))).toBe(false);
  });

  it('fails, exit 2, on a database that is none', async () => {
    writeFileSync(join(home, 'state.db'), 'x'.repeat(10_000));
    const { code, stderr } = await sessions(['list']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('state.db')]);
  });
});

describe('herma sessions show', () => {
  it('prints the messages for a person, harmless and not endless', async () => {
    const { code, stdout } = await sessions(['show', createSession('/work/a')]);
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    expect(lines.slice(0, 10)).toEqual([
      'user',
      '  fix the',
      '  login bug',
      '',
      'assistant',
      '  Let me look.',
      '  → terminal: npm test',
      '',
      'terminal (error)',
      '  \\x1b[31mline 1',
    ]);
    expect(lines).toContain('  line 20');
    expect(lines).not.toContain('  line 21');
    expect(lines).toContain('  [10 more lines; --verbose shows them]');
    expect((await sessions(['show', createSession('/work/a'), '--verbose'])).stdout).toContain('  line 30\n');
  });

  it('prints with --json what repair takes', async () => {
    const { stdout } = await sessions(['show', createSession('/work/a'), '--json']);
    const messages: readonly Record<string, unknown>[] = JSON.parse(stdout);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(messages[2]).toMatchObject({
      callId: 'c1',
      status: 'error',
      turnId: 't1',
      timestamp: '2029-12-31T21:00:00.000Z',
    });
    expect((await sessions(['repair'], stdout)).stdout).toBe(stdout);
    const repaired = await sessions(['repair'], JSON.stringify(messages.slice(0, 2)));
    expect(JSON.parse(repaired.stdout)).toMatchObject([
      {},
      {},
      { role: 'tool', callId: 'c1', status: 'unknown' },
    ]);
  });

  it.each([true, false])('refuses a session that is not there, exit 2 (with a database: %j)', async (has) => {
    if (has) createSession('/work/a');
    const { code, stderr } = await sessions(['show', 'ses_x']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('There is no session "ses_x"')]);
    expect(existsSync(join(home, 'state.db'))).toBe(has);
  });
});

describe('herma sessions rename', () => {
  it('gives a title on one line, and takes it away', async () => {
    const id = createSession('/work/a');
    expect((await sessions(['rename', id, 'the\nbug'])).stdout).toBe(`${id}: the bug\n`);
    expect((await sessions(['list'])).stdout).toContain('the bug');
    expect(JSON.parse((await sessions(['rename', id, '', '--json'])).stdout)).toEqual({ id, title: null });
    expect((await sessions(['rename', id, ''])).stdout).toBe(`${id} has no title\n`);
  });

  it('refuses a session that is not there', async () => {
    expect((await sessions(['rename', 'ses_x', 'y'])).code).toBe(2);
  });
});

describe('herma sessions repair', () => {
  const call = (id: string, name: string): object => ({
    role: 'assistant',
    content: [{ type: 'tool_use', id, name, input: {} }],
  });
  const user = { role: 'user', content: [{ type: 'text', text: 'go' }] };

  it('tells of a call without a result what is true for its tool', async () => {
    for (const [tool, truth] of [
      ['read_file', 'did not finish'],
      ['search_files', 'did not finish'],
      ['todo', 'did not finish'],
      ['clarify', 'did not finish'],
      ['write_file', 'effect is unknown'],
      ['patch', 'effect is unknown'],
      ['terminal', 'effect is unknown'],
      ['process', 'effect is unknown'],
      ['delegate_task', 'effect is unknown'],
      ['mcp__db__read', 'effect is unknown'],
      ['constructor', 'effect is unknown'],
    ] as const) {
      const { code, stdout } = await sessions(['repair'], JSON.stringify([user, call('a', tool)]));
      expect([code, tool, stdout]).toEqual([0, tool, expect.stringContaining(truth)]);
    }
  });

  it('passes on what needs no repair, with --json too', async () => {
    const text = `${JSON.stringify([user])}\n`;
    expect(await sessions(['repair'], text)).toEqual({ code: 0, stdout: text, stderr: '' });
    expect((await sessions(['repair', '--json'], text)).stdout).toBe(text);
    expect((await sessions(['repair'], '[]')).stdout).toBe('[]\n');
    expect(existsSync(join(home, 'state.db'))).toBe(false);
  });

  it('works with a configuration that is broken', async () => {
    writeFileSync(join(home, 'config.yaml'), 'agent: 7\n');
    expect((await sessions(['repair'], '[]')).code).toBe(0);
  });

  it.each<[string, string]>([
    ['{"role":"user"}', 'messages must be an array, not an object'],
    ['[7]', 'messages[0] must be an object, not 7'],
    [
      JSON.stringify([user, { role: 'assistant', content: [{ type: 'tool_use', name: 'x', input: {} }] }]),
      'messages[1].content[0].id must be a string, not absent',
    ],
    ['[{"role":"user","content":', 'not valid JSON'],
    ['', 'the text is empty'],
  ])('refuses %s, exit 2, naming the place', async (input, message) => {
    const { code, stdout, stderr } = await sessions(['repair'], input);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
  });
});
