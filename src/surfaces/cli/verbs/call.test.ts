import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { FakeHost, runOn } from '../fake-host.ts';

let home: string;
let project: string;
beforeEach(() => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'call-')));
  home = join(folder, 'home');
  project = join(folder, 'project');
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(project);
});

interface Called {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly document: Record<string, unknown>;
}

async function call(input: unknown, ...options: readonly string[]): Promise<Called> {
  const stdin = typeof input === 'string' ? input : JSON.stringify(input);
  const ended = await runOn(new FakeHost({ home, stdin, workingDirectory: project }), ['call', ...options]);
  const document: Record<string, unknown> = ended.stdout === '' ? {} : JSON.parse(ended.stdout);
  return { ...ended, document };
}

const READ = { tool: 'read_file', args: { path: 'a.txt' } };

describe('herma call', () => {
  it('runs a tool and prints what happened', async () => {
    const args = { path: 'a.txt', content: 'hi\n' };
    const written = await call({ tool: 'write_file', args, session_id: 's1', turn_id: 't1', call_id: 'c1' });
    expect(written.stderr).toBe('');
    expect([written.code, Object.keys(written.document)]).toEqual([
      0,
      ['status', 'executed', 'blocked', 'message', 'args', 'result', 'warnings', 'call_id'],
    ]);
    expect(written.document).toMatchObject({
      status: 'ok',
      executed: true,
      blocked: false,
      message: '',
      args,
      warnings: [],
      call_id: 'c1',
    });
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('hi\n');
    expect((await call(READ)).document['result']).toBe('     1|hi');
  });

  it('prints the same document with --json', async () => {
    writeFileSync(join(project, 'a.txt'), 'hi\n');
    const named = { ...READ, call_id: 'c1' };
    expect(await call(named, '--json')).toEqual(await call(named));
  });

  it('makes ids of its own where none are given', async () => {
    const [one, two] = [await call(READ), await call(READ)];
    expect(one.document['call_id']).toMatch(/^call_/);
    expect(one.document['call_id']).not.toBe(two.document['call_id']);
  });

  it('understands both spellings of session and turn', async () => {
    for (const ids of [
      { session: 's1', turn: 't1' },
      { session_id: 's1', session: 's1', turn: null },
    ]) {
      expect((await call({ ...READ, ...ids })).document['warnings']).toEqual([]);
    }
    const { code, stderr } = await call({ ...READ, session: 's1', session_id: 's2' });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('"session_id" and "session" say different things: "s2" and "s1"'),
    ]);
  });

  it('runs in the folder that is named, absolute or seen from here', async () => {
    mkdirSync(join(project, 'sub'));
    for (const cwd of ['sub', './sub/', join(project, 'sub')]) {
      const { document } = await call({ tool: 'terminal', args: { command: 'pwd' }, cwd });
      expect(document['result']).toContain(`"output":"${join(project, 'sub')}\\n"`);
    }
  });

  it('says of fields that mean nothing that it ignores them', async () => {
    writeFileSync(join(project, 'a.txt'), 'hi\n');
    const { code, document } = await call({ ...READ, sesion_id: 's1' });
    expect([code, document['warnings']]).toEqual([0, ['"sesion_id" is not understood and was ignored.']]);
  });
});

describe('a call that fails', () => {
  it.each([
    [{ tool: 'raed_file', args: {} }, 'There is no tool "raed_file". Did you mean "read_file"?', false],
    [{ tool: 'constructor', args: {} }, 'There is no tool "constructor".', false],
    [{ tool: 'read_file', args: { path: 7 } }, 'The arguments of read_file do not fit: args.path', false],
    [{ tool: 'read_file', args: { path: 'missing.txt' } }, 'There is no missing.txt.', true],
    [{ tool: 'terminal', args: { command: 'exit 3' } }, 'exit code 3', true],
  ])('%j is exit 1 with the reason', async (given, message, executed) => {
    const { code, document, stderr } = await call(given);
    expect([code, stderr]).toEqual([1, '']);
    expect(document).toMatchObject({ status: 'error', executed, blocked: false, args: given.args });
    expect(document['message']).toContain(message);
    if (!executed) expect(document['result']).toBe('');
  });
});

describe('a call that waits for a person', () => {
  beforeEach(() => writeFileSync(join(home, 'config.yaml'), 'approvals: {ask: [term*]}\n'));

  it('is blocked, with the reason, and does not run', async () => {
    const { code, document } = await call({ tool: 'terminal', args: { command: 'touch ran' } });
    expect(code).toBe(1);
    expect(document).toMatchObject({ status: 'blocked', executed: false, blocked: true, result: '' });
    expect(document['message']).toMatch(
      /^approval: approvals\.ask names terminal, and nobody is here to ask/,
    );
    expect(existsSync(join(project, 'ran'))).toBe(false);
    expect((await call({ tool: 'write_file', args: { path: 'b', content: '' } })).code).toBe(0);
  });

  it('is blocked, and says why nothing counts, when the approvals cannot be read', async () => {
    writeFileSync(join(home, 'approvals.json'), '{"version":1,"approvals":[{"id":7}]}');
    const { document } = await call({ tool: 'terminal', args: { command: 'touch ran' } });
    expect(document).toMatchObject({ status: 'blocked', executed: false });
    expect(document['warnings']).toEqual([
      expect.stringMatching(/No earlier approval counts: .*approvals\.json/),
    ]);
    expect(existsSync(join(project, 'ran'))).toBe(false);
  });
});

describe('what is no call', () => {
  it.each<[string, string]>([
    ['', 'the text is empty'],
    ['{"tool":', 'is not valid JSON'],
    ['[]', 'The call must be a JSON object, not [].'],
    ['null', 'The call must be a JSON object, not null.'],
    ['{"args":{}}', 'The call lacks "tool"'],
    ['{"tool":7,"args":{}}', '"tool" must be the name of a tool, not 7.'],
    ['{"tool":"","args":{}}', '"tool" must be the name of a tool, not "".'],
    ['{"tool":"read_file"}', 'The call lacks "args"'],
    ['{"tool":"read_file","args":"a.txt"}', '"args" must be an object, not "a.txt".'],
    ['{"tool":"read_file","args":[1]}', '"args" must be an object, not [1].'],
    ['{"tool":"read_file","args":{},"call_id":5}', '"call_id" must be a text that is not empty, not 5.'],
    ['{"tool":"read_file","args":{},"session":""}', '"session" must be a text that is not empty, not "".'],
    ['{"tool":"read_file","args":{},"turn_id":{}}', '"turn_id" must be a text that is not empty, not {}.'],
    ['{"tool":"read_file","args":{},"cwd":"nowhere"}', '"cwd" "nowhere" does not exist.'],
    ['{"tool":"read_file","args":{},"cwd":"/etc/passwd"}', '"cwd" "/etc/passwd" is no folder.'],
    ['{"tool":"read_file","args":{},"cwd":"a\\u0000b"}', 'NUL'],
    [`{"tool":"${'x'.repeat(9)}","args":"${'y'.repeat(10_000)}"}`, 'not "yyyy'],
  ])('%.60s is exit 2 with one error', async (input, message) => {
    const { code, stdout, stderr } = await call(input);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr.split('\n').length).toBeLessThanOrEqual(3);
    expect(stderr.length).toBeLessThan(400);
    const asDocument = await call(input, '--json');
    expect(asDocument.code).toBe(2);
    expect(asDocument.document['error']).toMatchObject({ message: expect.stringContaining(message) });
  });

  it('is asked for when standard input is a terminal', async () => {
    const host = new FakeHost({ home, workingDirectory: project, isTty: true });
    const { code, stderr } = await runOn(host, ['call']);
    expect([code, stderr]).toEqual([
      2,
      'herma: Standard input is a terminal.\n  Expected on standard input: {"tool": "read_file", "args": {"path": "a.txt"}}\n',
    ]);
  });
});

describe('a configuration with an error', () => {
  it('stops the call, exit 2, naming file, line and remedy', async () => {
    writeFileSync(join(home, 'config.yaml'), 'agent:\n  max_iterations: ninety\n');
    const { code, stdout, stderr } = await call({ tool: 'terminal', args: { command: 'touch ran' } });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`${join(home, 'config.yaml')}:2:19: agent.max_iterations is "ninety"`);
    expect(stderr.trimEnd().split('\n')).toHaveLength(2);
    expect(existsSync(join(project, 'ran'))).toBe(false);
  });

  it('that is only a warning is told on standard error, and the call runs', async () => {
    writeFileSync(join(home, 'config.yaml'), 'kanban: {enabled: true}\n');
    const { code, document, stderr } = await call({ tool: 'terminal', args: { command: 'true' } });
    expect([code, document['warnings']]).toEqual([0, []]);
    expect(stderr).toContain('config.yaml:1');
  });
});

describe('a home that cannot be used', () => {
  it('stops the call, exit 2', async () => {
    home = join(project, 'file');
    writeFileSync(home, '');
    const { code, stderr } = await call(READ);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/home folder .*file: it is not a folder\n.*HERMA_HOME/),
    ]);
  });
});

describe('a folder that is gone', () => {
  it('stops a call that does not name another', async () => {
    const run = async (given: object): ReturnType<typeof runOn> =>
      runOn(new FakeHost({ home, stdin: JSON.stringify(given) }), ['call']);
    expect(await run(READ)).toMatchObject({ code: 2, stderr: expect.stringContaining('no longer exists') });
    expect(await run({ ...READ, cwd: 'sub' })).toMatchObject({ code: 2 });
    writeFileSync(join(project, 'a.txt'), 'hi\n');
    expect(await run({ ...READ, cwd: project })).toMatchObject({ code: 0 });
  });
});

describe('a command in the background', () => {
  it('ends with the call, which says so', async () => {
    const command = 'echo $$ > pid; exec sleep 1000';
    const { code, document } = await call({ tool: 'terminal', args: { command, background: true } });
    expect([code, document['warnings']]).toEqual([
      0,
      [expect.stringMatching(/background was ended with this command/)],
    ]);
    const { pid }: { readonly pid: number } = JSON.parse(String(document['result']));
    expect(() => process.kill(pid, 0)).toThrow();
  });
});

describe('an interrupted call', () => {
  it('is told with what is known of it, and has the exit code of the signal', async () => {
    const stdin = JSON.stringify({ tool: 'terminal', args: { command: 'touch began; sleep 1000' } });
    const host = new FakeHost({ home, stdin, workingDirectory: project });
    const run = runOn(host, ['call']);
    await expect.poll(() => existsSync(join(project, 'began')), { timeout: 20_000 }).toBe(true);
    host.send('SIGTERM');
    const { code, stdout } = await run;
    expect(code).toBe(143);
    const document: Record<string, unknown> = JSON.parse(stdout);
    expect(document).toMatchObject({ status: 'error', executed: true, blocked: false });
    expect(document['message']).toMatch(/was interrupted.*effect is unknown/);
  });

  it('is told as cancelled when the server of its tool had not answered yet', async () => {
    const started = join(project, 'started');
    const script = `touch '${started}'; exec sleep 1000`;
    writeFileSync(
      join(home, 'config.yaml'),
      JSON.stringify({ mcp_servers: { slow: { command: 'sh', args: ['-c', script] } } }),
    );
    const stdin = JSON.stringify({ tool: 'mcp__slow__x', args: {} });
    const host = new FakeHost({ home, stdin, workingDirectory: project });
    const run = runOn(host, ['call']);
    await expect.poll(() => existsSync(started), { timeout: 20_000 }).toBe(true);
    host.send('SIGINT');
    const { code, stdout } = await run;
    const document: unknown = JSON.parse(stdout);
    expect([code, document]).toMatchObject([
      130,
      { status: 'error', executed: false, message: 'The call was cancelled before it ran.' },
    ]);
  });
});
