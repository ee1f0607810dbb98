import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FakeReplies, resultsIn, textOf } from '../support/fake-openai.ts';
import type { HermaExit } from '../support/herma.ts';
import { Scene } from '../support/scene.ts';

/** One clear error: exit code 2, one or two lines that name the value, no stack trace, nothing on standard output. */
function expectOneError({ code, stdout, stderr }: HermaExit, ...values: readonly (string | RegExp)[]): void {
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^herma: /);
  for (const value of values) expect(stderr).toMatch(value);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
}

const calls = (name: string, args: object): FakeReplies => [
  { calls: [{ id: 'c1', name, args }] },
  { text: 'seen' },
];

describe.concurrent('a command line that is wrong', () => {
  it.each([
    [['caht', '-q', 'hi'], /unknown command 'caht'.*chat/],
    [['chat', '--modle', 'x'], /unknown option '--modle'.*--model/],
    [['chat', '-q'], /-q, --query <text>/],
    [['chat', 'hello'], /hello|too many arguments/],
    [['tour', '--fast'], /--fast/],
    [['chat', '-q', '   '], /The message is empty/],
  ])('%j is refused', async (args, message) => {
    await using scene = await Scene.create();
    expectOneError(await scene.run(args), message);
  });

  it('is refused with a document when --json is there', async () => {
    await using scene = await Scene.create();
    const { code, stdout } = await scene.run(['chat', '--json', '--modle', 'x']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { message: expect.stringContaining('--modle') } });
  });
});

describe.concurrent('a call that is wrong', () => {
  const call = async (scene: Scene, stdin: string): Promise<HermaExit> =>
    scene.run(['call', '--json'], { stdin });

  it('names an unknown tool', async () => {
    await using scene = await Scene.create();
    const { code, stdout } = await call(scene, '{"tool":"wirte_file","args":{}}');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'error',
      executed: false,
      message: expect.stringMatching(/wirte_file.*write_file/),
    });
  });

  it('names the argument that does not fit, and does not run', async () => {
    await using scene = await Scene.create();
    const { code, stdout } = await call(scene, '{"tool":"write_file","args":{"path":"a.txt","content":5}}');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'error',
      executed: false,
      message: expect.stringMatching(/content.*string/),
    });
    expect(scene.read('a.txt')).toBeUndefined();
  });

  it.each(['{"tool": "read_file"', '', '[]', '"x"', '{"args":{}}', '{"tool":7,"args":{}}', '\u0000'])(
    'of the JSON %j is refused',
    async (stdin) => {
      await using scene = await Scene.create();
      const { code, stderr } = await call(scene, stdin);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^herma: .*\n( {2}.*\n)?$/);
    },
  );
});

describe.concurrent('a configuration of the wrong type', () => {
  it.each([
    ['agent: {max_iterations: many}\n', /config\.yaml.*max_iterations.*many/],
    ['approvals: [terminal]\n', /config\.yaml.*approvals/],
    ['model: 7\n', /config\.yaml.*model/],
    ['agnet: {}\n', /config\.yaml.*agnet[^]*agent\?/],
    ['agent: {verify: [\n', /config\.yaml/],
  ])('%j keeps the agent from running', async (config, message) => {
    await using scene = await Scene.create({ config, replies: [{ text: 'must not be asked' }] });
    expectOneError(await scene.ask('hi'), message);
    expect(scene.server.requests).toEqual([]);
  });
});

describe.concurrent('a home that cannot be used', () => {
  it('because it is a file', async () => {
    await using scene = await Scene.create();
    const file = join(scene.home, 'file');
    writeFileSync(file, '');
    for (const home of [file, join(file, 'below')]) {
      const exit = await scene.ask('hi', [], { env: { HERMA_HOME: home } });
      expectOneError(exit, /cannot use the home folder .*file/, /HERMA_HOME/);
    }
    expect(scene.server.requests).toEqual([]);
  });

  it('because it belongs to somebody else', async () => {
    await using scene = await Scene.create();
    chmodSync(scene.home, 0o000);
    // The superuser may read everything, so somebody else has to try.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) for (const folder of [join(scene.home, '..'), scene.project]) chmodSync(folder, 0o755);
    const options = isRoot
      ? { uid: 65_534, cwd: '/', env: { HOME: '/', XDG_CACHE_HOME: '/nonexistent' } }
      : {};
    const exit = await scene.ask('hi', [], options);
    chmodSync(scene.home, 0o700);
    expectOneError(exit, scene.home, /permission denied|cannot/);
  });

  it('because its database is no database, which is kept', async () => {
    await using scene = await Scene.create({ replies: [{ text: 'must not be asked' }] });
    writeFileSync(join(scene.home, 'state.db'), 'this is a shopping list, not a database\n'.repeat(40));
    expectOneError(await scene.ask('hi'), /state\.db/);
    expect(scene.server.requests).toEqual([]);
  });
});

/** Whether folders can be mounted here without being the superuser. */
const canMount = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs none /mnt']).status === 0;

/** The program on a disk of its own at its home, after `script` was run in the home. */
const onDisk = (size: string, script: string) => ({
  command: 'unshare',
  prefix: [
    '-rm',
    'sh',
    '-ec',
    `mount -t tmpfs -o size=${size},mode=700 none "$HERMA_HOME"; cd "$HERMA_HOME"; ${script}; cd "$OLDPWD"; exec "$0" "$@"`,
    process.execPath,
  ],
});

describe.runIf(canMount).concurrent('a disk', () => {
  it('that is read-only gets one error, and no model is asked', async () => {
    await using scene = await Scene.create({ replies: [{ text: 'must not be asked' }] });
    const node = onDisk('1m', 'mount -o remount,ro "$HERMA_HOME"');
    expectOneError(await scene.ask('hi', [], { node }), /read-only/i, scene.home);
    expect(scene.server.requests).toEqual([]);
  });

  it('that is full gets one error, and no call runs that cannot be recorded', async () => {
    await using scene = await Scene.create({
      replies: (_, index) => ({
        calls: [
          {
            id: `c${index}`,
            name: 'terminal',
            args: { command: `echo ${index} >> ran; head -c 200000 /dev/urandom | base64` },
          },
        ],
      }),
    });
    const exit = await scene.ask('fill it', [], { node: onDisk('600k', 'true') });
    expect(exit.code).toBe(2);
    const [error = ''] = exit.stderr.match(/^herma: .*\n( {2}.*\n)?$/m) ?? [];
    expect(error).toMatch(/full|space/);
    expect(error).toContain('state.db');
    expect(exit.stderr).not.toMatch(/^\s+at /m);
    expect((scene.read('ran') ?? '').trimEnd().split('\n').length).toBeLessThanOrEqual(
      scene.server.requests.length,
    );
  });

  it('that is read-only under the project is told to the model', async () => {
    await using scene = await Scene.create({
      replies: calls('write_file', { path: 'disk/a.txt', content: 'a' }),
    });
    mkdirSync(scene.path('disk'));
    const script = `mount -t tmpfs -o ro none ${scene.path('disk')}`;
    const { code } = await scene.ask('write', [], { node: onDisk('8m', script) });
    expect(code).toBe(0);
    const [[, told] = ['', '']] = resultsIn(await scene.server.received(2));
    expect(told).toMatch(/read-only/i);
    expect(told).toContain('a.txt');
  });
});

describe.concurrent('a tool result of 100 MB', () => {
  it('of a command is cut to head and tail', async () => {
    const command = "echo head; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo tail";
    await using scene = await Scene.create({ replies: calls('terminal', { command }) });
    const { code, stdout } = await scene.ask('print');
    expect([code, stdout]).toEqual([0, 'seen\n']);
    const [[, told] = ['', '']] = resultsIn(await scene.server.received(2));
    expect(told.length).toBeLessThan(60_000);
    expect(told).toMatch(/^\{"output":"head\\nxxx.*xxx\\ntail\\n"/s);
  });

  it('of a file is refused or cut, and says so', async () => {
    await using scene = await Scene.create({ replies: calls('read_file', { path: 'big.txt' }) });
    const file = openSync(scene.path('big.txt'), 'w');
    const megabyte = 'y\n'.repeat(500_000);
    for (let index = 0; index < 100; index += 1) writeSync(file, megabyte);
    const { code } = await scene.ask('read');
    expect(code).toBe(0);
    const [[, told] = ['', '']] = resultsIn(await scene.server.received(2));
    expect(told.length).toBeLessThan(200_000);
    expect(told).toMatch(/big\.txt|offset|more lines|MB/);
  });
});

describe.concurrent('a file name', () => {
  const raw = Buffer.concat([Buffer.from('caf'), Buffer.from([0xe9]), Buffer.from('.txt')]);

  it('with line breaks and control sequences is shown on one line, and found as it is', async () => {
    const name = 'two\nlines \u001b[31m.txt';
    await using scene = await Scene.create({
      replies: [
        {
          calls: [
            { id: 'c1', name: 'write_file', args: { path: name, content: 'needle\n' } },
            { id: 'c2', name: 'read_file', args: { path: name } },
          ],
        },
        { calls: [{ id: 'c3', name: 'search_files', args: { pattern: 'needle' } }] },
        { text: 'seen' },
      ],
    });
    const { code, stderr } = await scene.ask('write');
    expect(code).toBe(0);
    expect(scene.read(name)).toBe('needle\n');
    expect(stderr).toContain('write_file: two⏎lines \\u{1b}[31m.txt');
    expect(stderr).not.toContain('\u001b');
    expect(resultsIn(await scene.server.received(3)).at(-1)?.[1]).toContain('two\\nlines');
  });

  it('that is no UTF-8 is found, and named so that it can be read', async () => {
    await using scene = await Scene.create({
      replies: (request, index) => {
        if (index === 0)
          return { calls: [{ id: 'find', name: 'search_files', args: { pattern: 'needle' } }] };
        if (index > 1) return { text: 'seen' };
        const found = /caf[^\s":,]*\.txt/.exec(resultsIn(request)[0]?.[1] ?? '')?.[0] ?? 'not found';
        return { calls: [{ id: 'read', name: 'read_file', args: { path: found.replaceAll('\\\\', '\\') } }] };
      },
    });
    writeFileSync(Buffer.concat([Buffer.from(`${scene.project}/`), raw]), 'the needle\n');
    const { code } = await scene.ask('find it');
    expect(code).toBe(0);
    expect(resultsIn(await scene.server.received(3))[1]?.[1]).toContain('the needle');
  });

  it('with a line break is no hindrance for the folder of a session', async () => {
    await using scene = await Scene.create({ replies: (_, index) => ({ text: `answer ${index}` }) });
    const folder = scene.path('a\nfolder');
    mkdirSync(folder);
    expect((await scene.ask('hi', [], { cwd: folder })).code).toBe(0);
    expect((await scene.ask('again', ['--continue'], { cwd: folder })).stdout).toBe('answer 1\n');
    const elsewhere = scene.path('other\u001b[31m\nfolder');
    mkdirSync(elsewhere);
    const exit = await scene.ask('again', ['--continue'], { cwd: elsewhere });
    expectOneError(exit, /other/);
    expect(exit.stderr).not.toContain('\u001b');
  });
});

describe.concurrent('a message', () => {
  it('of more than 64 MB on standard input is refused', async () => {
    await using scene = await Scene.create({ replies: [{ text: 'must not be asked' }] });
    const exit = await scene.ask('-', [], { stdin: Buffer.alloc(65 * 1024 * 1024, 'x') });
    expectOneError(exit, /more than 64 MB/);
    expect(scene.server.requests).toEqual([]);
  });

  it('that is no UTF-8 is refused', async () => {
    await using scene = await Scene.create({ replies: [{ text: 'must not be asked' }] });
    const stdin = Buffer.concat([Buffer.from('caf'), Buffer.from([0xe9, 0x20])]);
    expectOneError(await scene.ask('-', [], { stdin }), /UTF-8/);
    expect(scene.server.requests).toEqual([]);
  });

  it('with control characters is passed on as it is', async () => {
    await using scene = await Scene.create({ replies: [{ text: 'seen' }] });
    expect((await scene.ask('-', [], { stdin: 'a\u001b[31m\0b\r\n' })).code).toBe(0);
    const message = (await scene.server.received(1)).messages.at(-1);
    expect(message && textOf(message)).toBe('a\u001b[31m\0b\r\n');
  });
});
