import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { FakeHost, runOn } from '../fake-host.ts';

let home: string;
let project: string;
beforeEach(() => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gate-')));
  home = join(folder, 'home');
  project = join(folder, 'project');
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(project);
});

interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly document: Record<string, unknown>;
}

async function gate(verb: string, input: unknown, ...options: readonly string[]): Promise<Answer> {
  const stdin = typeof input === 'string' ? input : JSON.stringify(input);
  const host = new FakeHost({ home, stdin, workingDirectory: project });
  const ended = await runOn(host, ['gate', verb, ...options]);
  const document: Record<string, unknown> = JSON.parse(ended.stdout);
  return { ...ended, document };
}

function records(): readonly string[] {
  return readdirSync(join(home, 'run', 'calls'));
}

const CALL = { tool_name: 'Bash', tool_input: { command: 'ls' }, session_id: 's1', tool_call_id: 'c1' };
const READING = { tool_name: 'read_file', tool_input: { path: 'a' } };
const asking = 'approvals: {ask: [Bash]}\n';

describe('herma gate before', () => {
  it('allows, exit 0', async () => {
    const { code, stderr, document } = await gate('before', CALL);
    expect([code, stderr]).toEqual([0, '']);
    expect(document).toEqual({
      decision: 'allow',
      reason: '',
      tool_input: { command: 'ls' },
      ticket: expect.stringMatching(/^tkt_/),
    });
    expect(records()).toEqual([`${String(document['ticket'])}.json`]);
  });

  it('asks, exit 1, and takes the ticket for an answer', async () => {
    writeFileSync(join(home, 'config.yaml'), asking);
    const asked = await gate('before', CALL);
    expect([asked.code, asked.document['decision'], asked.document['reason']]).toEqual([
      1,
      'ask',
      'approvals.ask names Bash',
    ]);
    const approved = { ...CALL, approved: asked.document['ticket'] };
    expect(await gate('before', approved)).toMatchObject({ code: 0, document: { decision: 'allow' } });
    expect(await gate('before', approved)).toMatchObject({ code: 1, document: { decision: 'ask' } });
  });

  it('blocks, exit 1, when the call cannot be recorded', async () => {
    mkdirSync(join(home, 'run'), { recursive: true, mode: 0o700 });
    writeFileSync(join(home, 'run', 'calls'), 'a file where the folder goes');
    const { code, document } = await gate('before', CALL);
    expect([code, document['decision'], document['ticket']]).toEqual([1, 'block', '']);
    expect(document['reason']).toMatch(/cannot be recorded does not run/);
    expect(await gate('before', READING)).toMatchObject({
      code: 0,
      document: { decision: 'allow', ticket: '', warnings: [expect.stringMatching(/goes on unrecorded/)] },
    });
  });

  it('blocks when it cannot be told whether somebody has changed what guards the person', async () => {
    writeFileSync(join(home, 'run'), 'a file where the folder goes');
    const { code, document } = await gate('before', CALL);
    expect([code, document['decision'], document['ticket']]).toEqual([1, 'block', '']);
    expect(document['reason']).toMatch(/^self-protection: /);
  });

  it('names the agent', async () => {
    const { document } = await gate('before', CALL, '--agent', 'claude');
    const record = readFileSync(join(home, 'run', 'calls', `${String(document['ticket'])}.json`), 'utf8');
    expect(record).toContain('"agent":"claude"');
  });

  it('prints the same with --json', async () => {
    const { code, document } = await gate('before', CALL, '--json');
    expect([code, document['decision']]).toEqual([0, 'allow']);
  });

  it('takes a whole hook payload', async () => {
    const payload = {
      hook_event_name: 'PreToolUse',
      transcript_path: '/t',
      cwd: project,
      extra: {},
      ...CALL,
    };
    expect((await gate('before', payload)).code).toBe(0);
  });
});

describe('herma gate before that cannot decide', () => {
  it.each<[string, string]>([
    ['', 'the text is empty'],
    ['not json', 'not valid JSON'],
    ['[]', 'must be a JSON object'],
    ['{"tool_name":"Bash"}', 'lacks "tool_input"'],
    ['{"tool_name":"Bash","tool_input":"ls"}', '"tool_input" must be an object, not "ls"'],
    ['{"tool_name":"Bash","tool_input":{},"cwd":"src"}', '"cwd" must be an absolute path, not "src"'],
    ['{"tool_name":"Bash","tool_input":{},"owner_pid":"me"}', '"owner_pid" must be a process id, not "me"'],
    ['{"tool_name":"Bash","tool_input":{},"approved":1}', '"approved" must be a string, not 1'],
    [
      `{"tool_name":"Bash","tool_input":{"a":${'['.repeat(9999)}${']'.repeat(9999)}}}`,
      'more than 500 levels',
    ],
  ])('blocks %.60s, exit 2, in the answer too', async (input, message) => {
    for (const options of [[], ['--json']]) {
      const { code, document, stderr } = await gate('before', input, ...options);
      expect([code, document['decision'], document['ticket']]).toEqual([2, 'block', '']);
      expect(document['reason']).toContain(message);
      expect(document['error']).toMatchObject({ code: expect.any(String), remedy: expect.any(String) });
      expect(stderr).toContain(message);
    }
  });

  it('blocks on a configuration with an error', async () => {
    writeFileSync(join(home, 'config.yaml'), 'policy: {mode: enforce}\n');
    const { code, document, stderr } = await gate('before', CALL);
    expect([code, document['decision'], document['tool_input']]).toEqual([2, 'block', CALL.tool_input]);
    expect(document['reason']).toContain(`${join(home, 'config.yaml')}:1`);
    expect(stderr).toContain('config.yaml:1');
  });

  it('blocks when the home cannot be used', async () => {
    writeFileSync(join(project, 'file'), '');
    home = join(project, 'file');
    expect(await gate('before', CALL)).toMatchObject({ code: 2, document: { decision: 'block' } });
  });

  it.runIf(process.getuid?.() !== 0)('blocks when the home cannot even be read', async () => {
    chmodSync(home, 0o000);
    expect(await gate('before', READING)).toMatchObject({ code: 2, document: { decision: 'block' } });
    chmodSync(home, 0o500);
    expect(await gate('before', READING)).toMatchObject({
      code: 0,
      document: { decision: 'allow', ticket: '' },
    });
    expect(await gate('before', CALL)).toMatchObject({ code: 1, document: { decision: 'block' } });
    chmodSync(home, 0o700);
  });

  it('blocks on a ticket whose record is damaged, and leaves the record', async () => {
    writeFileSync(join(home, 'config.yaml'), asking);
    const { document } = await gate('before', CALL);
    const path = join(home, 'run', 'calls', `${String(document['ticket'])}.json`);
    writeFileSync(path, '{');
    const again = await gate('before', { ...CALL, approved: document['ticket'] });
    expect([again.code, again.document['decision']]).toEqual([2, 'block']);
    expect(again.document['error']).toMatchObject({ code: 'corrupt_ticket' });
    expect(readFileSync(path, 'utf8')).toBe('{');
  });

  it('blocks when the folder it is in is gone and no other is named', async () => {
    const run = async (payload: object): ReturnType<typeof runOn> =>
      runOn(new FakeHost({ home, stdin: JSON.stringify(payload) }), ['gate', 'before']);
    const { code, stdout, stderr } = await run(CALL);
    expect([code, stdout]).toEqual([2, expect.stringContaining('"decision":"block"')]);
    expect(stderr).toContain('no longer exists');
    expect((await run({ ...CALL, cwd: '/gone' })).code).toBe(0);
  });

  it('blocks when it is interrupted while the payload is still coming', async () => {
    const host = new FakeHost({ home, workingDirectory: project });
    const stdin = Object.assign(new PassThrough(), { isTTY: false });
    host.stdin = () => stdin;
    const run = runOn(host, ['gate', 'before']);
    stdin.write('{"tool_name":"Bash"');
    await expect.poll(() => stdin.listenerCount('data')).toBe(1);
    host.send('SIGTERM');
    const { code, stdout } = await run;
    expect(code).toBe(143);
    const document: unknown = JSON.parse(stdout);
    expect(document).toMatchObject({ decision: 'block', error: { code: 'interrupted' } });
  });

  it('is asked for its payload when standard input is a terminal', async () => {
    const host = new FakeHost({ home, workingDirectory: project, isTty: true });
    const { code, stdout, stderr } = await runOn(host, ['gate', 'before']);
    expect([code, stdout]).toEqual([2, expect.stringContaining('"block"')]);
    expect(stderr).toContain('Expected on standard input: {"tool_name"');
  });
});

describe('herma gate after', () => {
  it('settles a call once, by its ticket', async () => {
    const { document } = await gate('before', CALL);
    const { ticket } = document;
    expect(await gate('after', { ticket, status: 'ok', result: { lines: 3 } })).toMatchObject({
      code: 0,
      stdout: '{"ok":true}\n',
      stderr: '',
    });
    const again = await gate('after', { ticket, status: 'ok' });
    expect([again.code, again.document['ok']]).toEqual([2, false]);
    expect(again.stderr).toContain(`There is no open call with the ticket "${String(ticket)}".`);
    expect(again.document['error']).toMatchObject({ code: 'unknown_ticket' });
  });

  it('settles a call by its id and session', async () => {
    await gate('before', CALL);
    const outcome = { tool_call_id: 'c1', session_id: 's1', status: 'cancelled' };
    expect((await gate('after', { ...outcome, session_id: 's2' })).code).toBe(2);
    expect((await gate('after', outcome)).code).toBe(0);
    expect(records()).toEqual([]);
  });

  it('settles a call that has removed the folder it was in', async () => {
    const { document } = await gate('before', CALL);
    const stdin = JSON.stringify({ ticket: document['ticket'], status: 'ok' });
    expect((await runOn(new FakeHost({ home, stdin }), ['gate', 'after'])).code).toBe(0);
  });

  it.each<[string, string]>([
    ['{}', 'lacks "ticket", or "tool_call_id" or "tool_name" with "session_id"'],
    ['{"ticket":"t"}', 'lacks "status"'],
    ['{"ticket":"t","status":"fine"}', '"status" must be one of ok, error, blocked, cancelled, not "fine"'],
    ['{"ticket":"../../approvals","status":"ok"}', 'There is no open call with the ticket "../../approvals"'],
    ['{', 'not valid JSON'],
  ])('refuses %s, exit 2', async (input, message) => {
    const { code, document, stderr } = await gate('after', input);
    expect([code, document['ok']]).toEqual([2, false]);
    expect(document['error']).toMatchObject({ message: expect.stringContaining(message) });
    expect(stderr).toContain(message);
  });
});

describe('herma gate context', () => {
  it('answers with what there is to say', async () => {
    expect(await gate('context', { session_id: 's1' })).toMatchObject({ code: 0, document: { context: '' } });
  });

  it('needs a session', async () => {
    const { code, document } = await gate('context', {});
    expect([code, document]).toMatchObject([2, { ok: false, error: { code: 'bad_payload' } }]);
  });
});

describe('herma gate', () => {
  it('needs to be told what to do', async () => {
    const { code, stderr } = await runOn(new FakeHost({ home, workingDirectory: project }), ['gate']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('gate needs one of: before, after, context')]);
  });
});
