import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { FakeHost, type FakeHostOptions, runOn } from '../fake-host.ts';

let folder: string;
let home: string;
let guard: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hooks-'));
  home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  guard = script(
    'guard.sh',
    "if grep -q '\\.env'; then echo 'Secrets stay closed.' >&2; exit 2; fi\necho '{}'",
  );
});

function script(name: string, body: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return path;
}

type Entry = Readonly<Record<string, unknown>>;

function configure(hooks: Readonly<Record<string, readonly Entry[]>>, more: object = {}): void {
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({ hooks, ...more }));
}

async function hooks(
  argv: readonly string[],
  options: Partial<FakeHostOptions> = {},
): ReturnType<typeof runOn> {
  const host = new FakeHost({ home, workingDirectory: folder, ...options });
  return runOn(host, ['hooks', ...argv]);
}

async function approve(event: string, command: string): Promise<void> {
  expect((await hooks(['approve', event, command, '-y'])).code).toBe(0);
}

/** Lines of the doctor with what differs from run to run left out. */
async function diagnose(): Promise<readonly [number, readonly string[]]> {
  const { code, stdout } = await hooks(['doctor']);
  const shown = stdout
    .replaceAll(folder, '/h')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\d+\.\d{3}s/g, 'TOOK');
  return [code, shown.trimEnd().split('\n')];
}

describe('herma hooks doctor', () => {
  it('tells the story of a hook: unapproved, approved, edited, approved again, gone', async () => {
    configure({ pre_tool_call: [{ command: guard, matcher: 'terminal', timeout: 10, fail_closed: true }] });
    const ending = ['', '  ℹ no agent is running: only the configuration was read', ''];
    const first = "[pre_tool_call] /h/guard.sh matcher='terminal' (timeout=10s, fail_closed)";
    const healthy = [
      first,
      '  ✓ script exists and is executable',
      '  ✓ allowlisted (approved TIME)',
      '  ✓ script unchanged since approval',
      '  ✓ produced valid JSON on synthetic payload (exit=0, TOOK)',
      ...ending,
      'All shell hooks are healthy.',
    ];
    expect(await diagnose()).toEqual([
      1,
      [
        first,
        '  ✓ script exists and is executable',
        '  ✗ not allowlisted — hook will NOT fire at runtime',
        '  ℹ skipped JSON smoke test — not allowlisted yet.',
        ...ending,
        '1 issue(s) found. Fix before relying on these hooks.',
      ],
    ]);
    await approve('pre_tool_call', guard);
    expect(await diagnose()).toEqual([0, healthy]);
    appendFileSync(guard, '# one more line\n');
    expect(await diagnose()).toEqual([
      1,
      [
        first,
        '  ✓ script exists and is executable',
        '  ⚠ script modified since approval (was TIME, now TIME) — review changes, then `herma hooks approve` it again',
        '  ℹ skipped JSON smoke test — modified since approval.',
        ...ending,
        '1 issue(s) found. Fix before relying on these hooks.',
      ],
    ]);
    await approve('pre_tool_call', guard);
    expect(await diagnose()).toEqual([0, healthy]);
    chmodSync(guard, 0o644);
    const [code, lines] = await diagnose();
    expect([code, lines[1]]).toEqual([1, '  ✗ script exists and is not executable; chmod +x /h/guard.sh']);
  });

  it('runs no script that is not approved', async () => {
    const ran = join(folder, 'ran');
    const spy = script('spy.sh', `touch ${ran}`);
    configure({ pre_tool_call: [{ command: spy }] });
    await diagnose();
    expect(existsSync(ran)).toBe(false);
    await approve('pre_tool_call', spy);
    expect(existsSync(ran)).toBe(false);
    await diagnose();
    expect(existsSync(ran)).toBe(true);
  });

  it.each<[string, string, Entry, string, string]>([
    ['no JSON', 'pre_tool_call', {}, 'echo nonsense', '✗ it printed something that is no JSON object'],
    ['a failing exit', 'pre_tool_call', {}, 'echo why >&2; exit 3', '✗ it exited with code 3: why'],
    ['a time-out', 'pre_tool_call', { timeout: 1 }, 'sleep 30', '✗ it timed out after 1s'],
    [
      'no verdict',
      'pre_tool_call',
      {},
      `echo '{"decision":"nope"}'`,
      '✗ it answered "nope", which is no verdict',
    ],
    [
      'an answer in vain',
      'post_tool_call',
      {},
      `echo '{"action":"block"}'`,
      '⚠ its "block" is ignored: post_tool_call cannot honour it',
    ],
    ['text around', 'pre_tool_call', {}, `echo ready; echo '{}'`, 'ℹ there is stray text around its answer'],
    [
      'an object behind the answer',
      'pre_tool_call',
      {},
      `echo '{"action":"block","message":"M"}'; echo '{"continue":true}'`,
      'ℹ there are stray JSON objects beside its answer',
    ],
    [
      'an object before the answer',
      'pre_tool_call',
      {},
      `echo '{"continue":true}'; echo '{"action":"block","message":"M"}'`,
      'ℹ there are stray JSON objects beside its answer',
    ],
    [
      'a matcher without a tool',
      'pre_llm_call',
      { matcher: 'x' },
      'exit 0',
      '⚠ matcher has no effect on pre_llm_call',
    ],
    ['a bad matcher', 'pre_tool_call', { matcher: '(' }, 'exit 0', '✗ matcher "(" is no valid pattern'],
    [
      'a matcher of no tool',
      'pre_tool_call',
      { matcher: 'Terminal' },
      'exit 0',
      'ℹ matcher "Terminal" matches none of the built-in tools; did you mean terminal?',
    ],
    [
      'fail_closed in vain',
      'post_tool_call',
      { fail_closed: true },
      'exit 0',
      '⚠ fail_closed has no effect on post_tool_call',
    ],
  ])('tells of %s', async (_, event, settings, body, expected) => {
    const command = script('odd.sh', body);
    configure({ [event]: [{ command, ...settings }] });
    await approve(event, command);
    const [code, lines] = await diagnose();
    expect(lines.find((line) => line.includes(expected))).toBeDefined();
    expect(code).toBe(expected.startsWith('ℹ') ? 0 : 1);
  });

  it.each([
    ["'gone file.sh'", 'there is no'],
    ['$HOME/gone.sh', 'no shell runs the command'],
    ['./guard.sh', './guard.sh is a relative path'],
    ['"open', 'cannot be split into words'],
  ])('tells what is wrong with the command %s', async (command, expected) => {
    configure({ pre_tool_call: [{ command }] });
    const [code, lines] = await diagnose();
    expect([code, lines.join('\n')]).toEqual([1, expect.stringContaining(expected)]);
  });

  it('tries a hook with a call that it matches', async () => {
    const seen = join(folder, 'seen');
    const command = script('spy.sh', `cat > ${seen}`);
    configure({ post_tool_call: [{ command, matcher: 'write_file|patch' }] });
    await approve('post_tool_call', command);
    await diagnose();
    expect(JSON.parse(readFileSync(seen, 'utf8'))).toMatchObject({
      tool_name: 'write_file',
      tool_input: { path: 'notes.txt' },
    });
  });

  it('warns of hooks_consent: path, under which a changed script runs', async () => {
    configure({ pre_tool_call: [{ command: guard }] }, { hooks_consent: 'path' });
    await approve('pre_tool_call', guard);
    appendFileSync(guard, '# changed\n');
    const [code, lines] = await diagnose();
    expect([code, lines.join('\n')]).toEqual([0, expect.stringContaining('⚠ hooks_consent is path')]);
  });

  it('says why nothing counts when the allowlist cannot be understood', async () => {
    configure({ pre_tool_call: [{ command: guard }] });
    writeFileSync(join(home, 'shell-hooks-allowlist.json'), '{');
    const [code, lines] = await diagnose();
    expect([code, lines.join('\n')]).toEqual([1, expect.stringContaining('nothing counts as approved')]);
    expect(lines.at(-1)).toMatch(/^1 issue/);
  });

  it('asks running agents, and reports one that began without the hook', async () => {
    configure({ pre_tool_call: [{ command: guard }] });
    await approve('pre_tool_call', guard);
    const live = async (command: string): Promise<void> => {
      const { currentProcessIdentity } = await import('../../../platform/process/index.ts');
      const { pid, startTime, bootId, pidNamespace } = currentProcessIdentity();
      mkdirSync(join(home, 'run/hooks'), { recursive: true });
      const process = { pid, start_time: startTime, boot_id: bootId, pid_namespace: pidNamespace };
      const about = [{ event: 'pre_tool_call', command, is_permitted: true }];
      writeFileSync(
        join(home, `run/hooks/${String(pid)}.json`),
        JSON.stringify({ version: 1, process, surface: 'chat', started_at: 0, hooks: about }),
      );
    };
    await live('/another.sh');
    const pid = String(process.pid);
    const without = await diagnose();
    expect(without[0]).toBe(1);
    expect(without[1].join('\n')).toContain(`⚠ not registered in pid ${pid} (chat), which began`);
    await live(guard);
    const [code, lines] = await diagnose();
    expect([code, lines]).toEqual([0, expect.arrayContaining([`  ℹ registered in pid ${pid} (chat)`])]);
    expect((await hooks(['list'])).stdout).toContain(`live in pid ${pid} (chat)`);
  });

  it('prints one document with --json', async () => {
    configure({ pre_tool_call: [{ command: guard }] });
    const { code, stdout } = await hooks(['doctor', '--json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      { consent: 'content', issues: 1, hooks: [{ event: 'pre_tool_call', command: guard, issues: 1 }] },
    ]);
  });

  it('has nothing to say without hooks', async () => {
    expect(await hooks(['doctor'])).toEqual({
      code: 0,
      stdout: 'No shell hooks are configured.\n',
      stderr: '',
    });
  });
});

describe('herma hooks test with outbound webhooks', () => {
  const outbound = [
    { url: 'https://example.org/in', events: ['post_tool_call'], name: 'audit', secret_env: 'KEY' },
    { url: 'https://example.com/a-secret', events: ['post_tool_call'], matcher: 'write_.*' },
    { url: 'https://example.net/', events: ['subagent_stop'], name: 'other' },
  ];

  it('names those that an agent would tell, and sends nothing', async () => {
    configure({ outbound });
    const { code, stdout } = await hooks(['test', 'post_tool_call', '--for-tool', 'write_file'], {
      environment: { KEY: 'k' },
    });
    expect(code).toBe(0);
    expect(stdout).toContain(
      '[outbound]\n  - audit: an agent would tell it; a test sends nothing\n  - https://example.com: an agent would tell it; a test sends nothing\n',
    );
    expect(stdout).not.toContain('other');
  });

  it('leaves out those whose matcher does not match, and says which are off', async () => {
    configure({ outbound });
    const { stdout } = await hooks(['test', 'post_tool_call', '--for-tool', 'terminal', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      hooks: [],
      outbound: [{ target: 'audit', off: 'KEY is not set', sent: false }],
    });
    expect((JSON.parse(stdout) as { outbound: unknown[] }).outbound).toHaveLength(1);
  });
});

describe('herma hooks list', () => {
  it('shows what is configured, events sorted, and whether it may run', async () => {
    configure({
      subagent_stop: [{ command: guard }],
      pre_tool_call: [
        { command: guard, matcher: 'terminal', timeout: 10, fail_closed: true },
        { command: '/gone.sh', matcher: "it's" },
      ],
      outbound: [
        {
          url: 'https://u:p@example.org/in?key=1',
          events: ['post_tool_call'],
          name: 'audit',
          secret_env: 'KEY',
        },
      ],
    });
    await approve('subagent_stop', guard);
    const { code, stdout } = await hooks(['ls'], { environment: { KEY: 'k' } });
    expect(code).toBe(0);
    expect(
      stdout
        .replaceAll(folder, '/h')
        .replaceAll(/\d{4}-\S+Z/g, 'TIME')
        .trimEnd()
        .split('\n'),
    ).toEqual([
      'Shell hooks (3 in total):',
      '',
      '[pre_tool_call]',
      "  - /h/guard.sh matcher='terminal' (timeout=10s, fail_closed, ✗ not allowlisted)",
      '      not live: no agent is running',
      `  - /gone.sh matcher="it's" (timeout=60s, ✗ not allowlisted)`,
      '      not live: no agent is running',
      '',
      '[subagent_stop]',
      '  - /h/guard.sh (timeout=60s, ✓ allowed)',
      '      approved TIME',
      '      not live: no agent is running',
      '',
      '[outbound]',
      '  - audit: https://example.org/in?… (post_tool_call, timeout=10s, signed)',
    ]);
    expect((await hooks(['list'])).stdout).toContain('(post_tool_call, timeout=10s, ✗ off: KEY is not set)');
    expect(JSON.parse((await hooks(['list', '--json'])).stdout)).toMatchObject({
      hooks: [{ event: 'subagent_stop', state: 'approved' }, { fail_closed: true }, { may_run: false }],
      outbound: [{ name: 'audit', signed: false, off: 'KEY is not set' }],
    });
  });

  it('says which outbound webhooks carry no signature', async () => {
    configure({ outbound: [{ url: 'https://example.org/in', events: ['post_tool_call'] }] });
    expect((await hooks(['list'])).stdout).toContain(
      '  - https://example.org/in (post_tool_call, timeout=10s, UNSIGNED)',
    );
  });

  it('names every entry of a wrong shape', async () => {
    const entries = ['/h.sh', { command: 5 }];
    writeFileSync(
      join(home, 'config.yaml'),
      JSON.stringify({ hooks: { pre_tool_call: { command: '/h.sh' }, post_tool_call: entries } }),
    );
    const { code, stderr } = await hooks(['list']);
    expect([code, stderr.match(/^invalid: .*/gm)?.map((line) => line.replace(/^.*\d: /, ''))]).toEqual([
      2,
      [
        'hooks.pre_tool_call is a mapping, expected a list',
        expect.stringContaining('hooks.post_tool_call[0] is "/h.sh" (text), expected a mapping'),
        'hooks.post_tool_call[1].command is 5 (a number), expected a command line',
      ],
    ]);
  });

  it('says that there are none, and names an unknown event with a suggestion', async () => {
    expect(await hooks(['list'])).toMatchObject({ code: 0, stderr: 'no hooks are configured\n' });
    configure({ pre_tool_cal: [{ command: guard }] });
    expect(await hooks(['list'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/unknown event.*did you mean pre_tool_call/s),
    });
  });
});

describe('herma hooks approve and revoke', () => {
  const allowlist = (): { approvals: object[] } => {
    const text = readFileSync(join(home, 'shell-hooks-allowlist.json'), 'utf8');
    const document: { approvals: object[] } = JSON.parse(text);
    return document;
  };

  async function typing(typed: string, argv: readonly string[]): ReturnType<typeof runOn> {
    const host = new FakeHost({ home, workingDirectory: folder, isTty: true });
    const input = host.stdin();
    if (input instanceof PassThrough) input.end(typed);
    return runOn(host, ['hooks', ...argv]);
  }

  it('shows the script, asks, and records what was shown', async () => {
    configure({ pre_tool_call: [{ command: guard, matcher: 'terminal' }] });
    appendFileSync(guard, 'echo \u001b[2J\u202e\n');
    const { code, stdout, stderr } = await typing('y\n', ['approve', 'pre_tool_call', guard]);
    expect(code).toBe(0);
    expect(stdout).toContain(`approved: pre_tool_call: ${guard}\n`);
    expect(stderr).toContain('  │ echo \\x1b[2J\\u{202e}\n');
    expect(stderr).toContain('may hold credentials');
    expect(allowlist().approvals).toMatchObject([
      {
        event: 'pre_tool_call',
        command: guard,
        matcher: 'terminal',
        sha256: expect.stringMatching(/^\w{64}$/),
      },
    ]);
  });

  it.each(['n\n', '\n', 'yesterday\n', ''])('answered with %j records nothing, exit 1', async (typed) => {
    configure({ pre_tool_call: [{ command: guard }] });
    const { code, stdout } = await typing(typed, ['approve', 'pre_tool_call', guard]);
    expect([code, stdout]).toEqual([1, 'not approved: you did not approve it\n']);
    expect(existsSync(join(home, 'shell-hooks-allowlist.json'))).toBe(false);
  });

  it('needs somebody to ask, or -y', async () => {
    expect(await hooks(['approve', 'pre_tool_call', guard])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Nobody is here'),
    });
  });

  it('warns of a command that is not configured for the event, and records it', async () => {
    configure({ pre_tool_call: [{ command: '/other.sh' }] });
    const { code, stderr } = await hooks(['approve', 'pre_tool_call', guard, '-y']);
    expect([code, stderr]).toEqual([
      0,
      'warning: this command is not configured for pre_tool_call; configured are: /other.sh\n',
    ]);
    expect(allowlist().approvals).toHaveLength(1);
  });

  it.each([
    ['pre_tool_cal', '/x.sh', 'did you mean pre_tool_call?'],
    ['pre_tool_call', '/no/such.sh', 'there is no'],
    ['pre_tool_call', "'open", 'cannot be split into words'],
  ])('refuses %s %s, exit 2', async (event, command, expected) => {
    const { code, stderr } = await hooks(['approve', event, command, '-y']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(expected)]);
  });

  it('are refused in the shell of an agent, however they are asked for', async () => {
    configure({ pre_tool_call: [{ command: guard }] });
    await approve('pre_tool_call', guard);
    const environment = { HERMA_SESSION: 'ses_1' };
    appendFileSync(guard, '# changed\n');
    for (const argv of [
      ['approve', 'pre_tool_call', guard],
      ['approve', 'pre_tool_call', guard, '-y'],
      ['revoke', guard],
      ['rm', guard, '-y'],
    ]) {
      expect(await hooks(argv, { environment })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('HERMA_SESSION is set here'),
      });
    }
    expect((await diagnose())[0]).toBe(1);
    expect(allowlist().approvals).toHaveLength(1);
  });

  it('revoke takes back the consent for all events, and fails when there is none', async () => {
    for (const event of ['pre_tool_call', 'post_tool_call']) await approve(event, guard);
    expect(await hooks(['remove', guard])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^revoked: 2 approvals of /),
    });
    expect(allowlist().approvals).toEqual([]);
    expect(await hooks(['revoke', guard, '--json'])).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('not_found'),
    });
  });
});

describe('herma hooks test', () => {
  const payload = (document: unknown): string => {
    const path = join(folder, 'payload.json');
    writeFileSync(path, typeof document === 'string' ? document : JSON.stringify(document));
    return path;
  };
  const read = { command: 'cat .env' };

  it.each([
    ['args', { args: read }],
    ['tool_input', { tool_input: read }],
    [
      'a whole document of a script',
      {
        hook_event_name: 'pre_tool_call',
        tool_name: 'terminal',
        tool_input: read,
        profile: 'p',
        extra: { turn_id: 't' },
      },
    ],
  ])(
    'takes the arguments as %s, shows what the script reads, and exits with 1 for a block',
    async (_, given) => {
      configure({ pre_tool_call: [{ command: guard }] });
      const { code, stdout } = await hooks(['test', 'pre_tool_call', '--payload-file', payload(given)]);
      expect(code).toBe(1);
      expect(stdout).toContain(
        '"tool_name":"terminal","tool_input":{"command":"cat .env"},"session_id":"test-session"',
      );
      expect(stdout).toContain('answer: {"type":"block","message":"Secrets stay closed."}');
      expect(stdout).toContain('The gate would block the call: Secrets stay closed.');
      expect(stdout).toContain('a passing test is no consent');
    },
  );

  it('gives the script exactly what it shows', async () => {
    const seen = join(folder, 'seen');
    configure({ pre_llm_call: [{ command: script('spy.sh', `cat > ${seen}`) }] });
    const { code, stdout } = await hooks(['test', 'pre_llm_call', '--json']);
    const document: { stdin: string } = JSON.parse(stdout);
    expect([code, document.stdin]).toEqual([0, readFileSync(seen, 'utf8')]);
    expect(JSON.parse(readFileSync(seen, 'utf8'))).toMatchObject({
      hook_event_name: 'pre_llm_call',
      tool_name: null,
      tool_input: null,
      cwd: folder,
      extra: { is_first_turn: true, model: 'gpt-4' },
    });
  });

  it('passes with exit 0, and applies matchers only for a named tool', async () => {
    const block = script('block.sh', `echo '{"decision":"block","reason":"no"}'`);
    configure({ pre_tool_call: [{ command: block, matcher: 'write_file' }] });
    expect((await hooks(['test', 'pre_tool_call'])).code).toBe(1);
    expect((await hooks(['test', 'pre_tool_call', '--for-tool', 'write_file'])).code).toBe(1);
    const other = await hooks(['test', 'pre_tool_call', '--for-tool', 'terminal']);
    expect([other.code, other.stdout]).toEqual([
      0,
      expect.stringContaining('its matcher does not match terminal'),
    ]);
  });

  it('puts changes and questions of several hooks together', async () => {
    configure({
      pre_tool_call: [
        { command: script('a.sh', `echo '{"action":"modify","args":{"command":"ls","timeout":1}}'`) },
        { command: script('b.sh', `echo '{"action":"modify","args":{"timeout":2}}'`) },
      ],
    });
    const { code, stdout } = await hooks(['test', 'pre_tool_call', '--json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { gate: { decision: 'modify', args: { command: 'ls', timeout: 2 } } },
    ]);
  });

  it.each<[string, Entry, string]>([
    ['exit 7', {}, 'exited with code 7'],
    ['echo nonsense', { fail_closed: true }, 'This is a broken guard'],
    ['sleep 30', { timeout: 1 }, 'timed out'],
    ['exit 0', { matcher: '(', fail_closed: true }, 'no valid pattern'],
  ])('exits with 2 for a hook that does not work: %s', async (body, settings, expected) => {
    configure({ pre_tool_call: [{ command: script('odd.sh', body), ...settings }] });
    const { code, stdout } = await hooks(['test', 'pre_tool_call', '--for-tool', 'terminal']);
    // With an invalid matcher and without fail_closed the hook is skipped.
    expect([code, stdout]).toEqual([2, expect.stringContaining(expected)]);
  });

  it.each<[string, unknown]>([
    ['no object', []],
    ['not valid JSON', '{'],
    ['both', { args: {}, tool_input: {} }],
    ['no object', { args: 'ls' }],
    ['of the event', { hook_event_name: 'post_tool_call' }],
    ['"extra"', { extra: 1 }],
    ['names the tool', { tool_name: 'patch' }],
  ])('refuses a payload with %s: %j, exit 2, and runs nothing', async (_, given) => {
    const ran = join(folder, 'ran');
    configure({ pre_tool_call: [{ command: script('spy.sh', `touch ${ran}`) }] });
    const argv = ['test', 'pre_tool_call', '--for-tool', 'terminal', '--payload-file', payload(given)];
    const { code, stderr } = await hooks(argv);
    expect([code, stderr, existsSync(ran)]).toEqual([
      2,
      expect.stringMatching(/payload\.json|names the tool/),
      false,
    ]);
  });

  it.each([
    [['test', 'nonsense'], 'There is no event'],
    [['test', 'pre_tool_call'], 'No hooks are configured for pre_tool_call'],
    [['test', 'pre_llm_call', '--for-tool', 'terminal'], 'is not about a tool'],
    [['test', 'pre_tool_call', '--payload-file', '/no/such/file'], '/no/such/file'],
  ])('refuses %j, exit 2', async (argv, expected) => {
    const { code, stderr } = await hooks(argv);
    expect([code, stderr]).toEqual([2, expect.stringContaining(expected)]);
  });
});

describe('what a shell completes', () => {
  it('is events and configured commands', async () => {
    configure({ pre_tool_call: [{ command: guard }, { command: guard, matcher: 'x' }] });
    const complete = async (kind: string): Promise<string> =>
      (await runOn(new FakeHost({ home }), ['__complete', kind])).stdout;
    expect(await complete('hook-commands')).toBe(`${guard}\n`);
    expect(await complete('hook-events')).toContain('pre_tool_call\n');
  });
});
