import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { HermaExit } from '../support/herma.ts';
import { Scene } from '../support/scene.ts';
import { Terminal } from '../support/terminal.ts';

interface Called extends HermaExit {
  readonly document: Record<string, unknown>;
}

async function call(scene: Scene, input: unknown, options: { readonly cwd?: string } = {}): Promise<Called> {
  const stdin = typeof input === 'string' || Buffer.isBuffer(input) ? input : JSON.stringify(input);
  const ended = await scene.run(['call'], { ...options, stdin });
  const document: Record<string, unknown> = ended.stdout === '' ? {} : JSON.parse(ended.stdout);
  return { ...ended, document };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z/.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe.concurrent('herma call', () => {
  it('writes, reads, and says with its exit code how it went', async () => {
    await using scene = await Scene.create();
    const written = await call(scene, { tool: 'write_file', args: { path: 'a.txt', content: 'hi\n' } });
    expect([written.code, written.stderr, scene.read('a.txt')]).toEqual([0, '', 'hi\n']);
    const read = await call(scene, { tool: 'read_file', args: { path: 'a.txt' } });
    expect([read.code, read.document['result']]).toEqual([0, '     1|hi']);
    const failed = await call(scene, { tool: 'terminal', args: { command: 'exit 7' } });
    expect([failed.code, failed.document['message']]).toEqual([1, 'exit code 7']);
    const none = await call(scene, '{"tool":x}');
    expect([none.code, none.stdout, none.stderr.split('\n')[0]]).toEqual([
      2,
      '',
      expect.stringMatching(/^herma: Standard input is not valid JSON: Unexpected/),
    ]);
  });

  it('takes names as they are: spaces, line breaks, quotes, dashes, other scripts', async () => {
    await using scene = await Scene.create();
    const names = [
      '报告.txt',
      'cafe\u0301.txt',
      ' lead and trail ',
      `a"b'c.txt`,
      'new\nline\there.txt',
      '-dash.txt',
      '$(touch x).txt',
      'back\\slash.txt',
      '*star*[x]',
      'em😀ji dir/ü.txt',
    ];
    await Promise.all(
      names.map(async (name) => {
        const args = { path: `./${name}`, content: `in ${name}` };
        const { code, document } = await call(scene, { tool: 'write_file', args });
        expect([name, code, document['args']]).toEqual([name, 0, args]);
      }),
    );
    expect(names.map((name) => scene.read(name))).toEqual(names.map((name) => `in ${name}`));
    expect(readdirSync(scene.project)).toHaveLength(names.length);
    const read = await call(scene, { tool: 'read_file', args: { path: './new\nline\there.txt' } });
    expect(read.document['result']).toBe('     1|in new\n     2|line\there.txt');
  });

  it('takes names that are not UTF-8, byte for byte', async () => {
    await using scene = await Scene.create();
    const path = '\udcff\udc80.txt';
    const written = await call(scene, { tool: 'write_file', args: { path, content: 'raw' } });
    expect([written.code, written.stdout.includes('\\udcff\\udc80.txt')]).toEqual([0, true]);
    const [name] = readdirSync(scene.project, { encoding: 'buffer' });
    expect(name).toEqual(Buffer.from([0xff, 0x80, 0x2e, 0x74, 0x78, 0x74]));
    const read = await call(scene, { tool: 'read_file', args: { path } });
    expect([read.code, read.document['result']]).toEqual([0, '     1|raw']);
    writeFileSync(Buffer.concat([Buffer.from(`${scene.project}/`), Buffer.from([0xfe])]), 'other');
    const other = await call(scene, { tool: 'read_file', args: { path: '\udcfe' } });
    expect(other.document['result']).toBe('     1|other');
  });

  it('takes arguments of megabytes, whole', async () => {
    await using scene = await Scene.create();
    const content = `${'A'.repeat(3_000_000)}\u2028\u0000😀 \\ " end`;
    const { code, document } = await call(scene, {
      tool: 'write_file',
      turn: 'b',
      session: 's1',
      cwd: scene.project,
      args: { path: 'x', content },
    });
    expect([code, document['executed'], document['warnings']]).toEqual([0, true, []]);
    expect(scene.read('x') === content).toBe(true);
  });

  it('takes a lone surrogate without a crash, and answers in valid UTF-8', async () => {
    await using scene = await Scene.create();
    const input = `{"tool":"terminal","turn":"z","session":"s1","cwd":${JSON.stringify(scene.project)},"args":{"command":"true","bad":"\\ud800"}}`;
    const { code, document, stdout, stderr } = await call(scene, input);
    expect([code === 0 || code === 1, stderr, stdout.includes('\ufffd')]).toEqual([true, '', false]);
    expect(document['status']).not.toBe('blocked');
  });

  it('refuses more than 64 MB of input, exit 2', async () => {
    await using scene = await Scene.create();
    const content = 'x'.repeat(65 * 1024 * 1024);
    const { code, stdout, stderr } = await call(scene, { tool: 'write_file', args: { path: 'x', content } });
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      'herma: Standard input holds more than 64 MB.\n  Send less.\n',
    ]);
    expect(scene.read('x')).toBeUndefined();
  });

  it('bounds what a tool answers', async () => {
    await using scene = await Scene.create();
    const command = 'echo first; head -c 100000000 /dev/zero | tr "\\0" x; echo; echo last';
    const printed = await call(scene, { tool: 'terminal', args: { command } });
    expect([printed.code, printed.stdout.length < 200_000]).toEqual([0, true]);
    expect(printed.document['result']).toMatch(/first\\nxxx[^]*xxx\\nlast\\n/);
    writeFileSync(scene.path('large'), Buffer.alloc(100_000_000, 'y\n'));
    const read = await call(scene, { tool: 'read_file', args: { path: 'large' } });
    expect([read.code, read.document['message']]).toEqual([
      1,
      expect.stringMatching(/large.*too large.*100000000 bytes/),
    ]);
    rmSync(scene.path('large'));
  });

  it('refuses a folder that is not there, exit 2, and runs nothing', async () => {
    await using scene = await Scene.create();
    const args = { command: 'touch ran' };
    const { code, stderr } = await call(scene, { tool: 'terminal', args, cwd: 'nowhere' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('"cwd" "nowhere" does not exist.')]);
    mkdirSync(scene.path('sub'));
    expect((await call(scene, { tool: 'terminal', args, cwd: 'sub' })).code).toBe(0);
    expect(readdirSync(scene.path('sub'))).toEqual(['ran']);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends on %s with everything it started, and tells what is known', async (signal, expected) => {
    await using scene = await Scene.create();
    const herma = scene.start(['call'], {
      stdin: JSON.stringify({ tool: 'terminal', args: { command: 'echo $$ > pid; sleep 1000; true' } }),
    });
    const pid = await scene.numberIn('pid');
    process.kill(herma.pid, signal);
    const { code, stdout } = await herma.exited;
    expect(code).toBe(expected);
    const document: unknown = JSON.parse(stdout);
    expect(document).toMatchObject({ status: 'error', executed: true, blocked: false });
    expect(isAlive(pid)).toBe(false);
  });

  it('does not wait for input that never ends once it is told to end', async () => {
    await using scene = await Scene.create();
    const herma = scene.start(['call'], { staysOpen: true });
    // More than a pipe takes by itself: once it is written, the program is reading.
    await new Promise((resolve) => {
      herma.child.stdin?.write(`${' '.repeat(1_000_000)}{`, resolve);
    });
    process.kill(herma.pid, 'SIGTERM');
    const { code, stdout, stderr } = await herma.exited;
    expect([code, stdout, stderr]).toEqual([143, '', '']);
  });

  it('keeps nothing running in the background, and says so', async () => {
    await using scene = await Scene.create();
    const args = { command: 'sleep 1000', background: true };
    const { code, document } = await call(scene, { tool: 'terminal', args });
    expect([code, document['warnings']]).toEqual([0, [expect.stringMatching(/was ended with this command/)]]);
    const { pid }: { readonly pid: number } = JSON.parse(String(document['result']));
    expect(isAlive(pid)).toBe(false);
  });

  it('says what it expects when a person starts it at a terminal', async () => {
    await using scene = await Scene.create();
    await using terminal = await Terminal.open(scene, ['call']);
    await terminal.shows('Expected on standard input: {"tool": "read_file"');
    expect(await terminal.ended()).toEqual({ code: 2, isRestored: true });
  });
});
