import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { get } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fetch as undiciFetch } from 'undici';
import { describe, expect, it } from 'vitest';
import { lastLine, runVitest } from './run-vitest.ts';

/** An address that is reserved for documentation: nothing answers there, should the guard ever fail. */
const elsewhere = '192.0.2.1';

describe('the home of a test', () => {
  it('is a private temporary folder and not the home of the person', () => {
    expect(homedir()).toBe(process.env['HOME']);
    expect(homedir()).not.toBe(userInfo().homedir);
    expect(statSync(homedir()).mode & 0o777).toBe(0o700);
    expect(process.env['HERMA_HOME']).toBe(join(homedir(), '.herma'));
    expect(existsSync(join(homedir(), '.herma'))).toBe(false);
  });

  it('goes away with everything in it, and nothing of the environment gets in', () => {
    const report = join(mkdtempSync(join(tmpdir(), 'report-')), 'report.json');
    const probe = `import { writeFileSync } from 'node:fs';
      import { homedir, tmpdir } from 'node:os';
      import { expect, it } from 'vitest';
      it('probes', () => {
        writeFileSync(homedir() + '/left-behind', 'x');
        writeFileSync(tmpdir() + '/left-behind', 'x');
        writeFileSync(${JSON.stringify(report)}, JSON.stringify({ ...process.env }));
        expect(1).toBe(1);
      });`;
    const planted = {
      OPENAI_API_KEY: 'sk-test',
      ANTHROPIC_API_KEY: 'sk-test',
      GIT_DIR: '/nowhere',
      GIT_AUTHOR_NAME: 'Somebody',
      HTTPS_PROXY: 'http://proxy.invalid',
      http_proxy: 'http://proxy.invalid',
      NO_COLOR: '1',
      FORCE_COLOR: '1',
      NODE_EXTRA_CA_CERTS: '/nowhere',
      XDG_CACHE_HOME: '/nowhere',
      BASH_ENV: '/nowhere',
      HERMA_LAUNCHER_FD: '3',
    };
    const run = runVitest({ 'probe.test.ts': probe }, planted);
    expect(lastLine(run.stdout)).toBe('1 passed, 0 failed');
    expect(run.status).toBe(0);
    const seen: Record<string, string> = JSON.parse(readFileSync(report, 'utf8'));
    expect(Object.keys(seen).filter((name) => name in planted)).toEqual([]);
    expect(seen['HOME']).not.toBe(homedir());
    expect(existsSync(seen['HOME'] ?? '/')).toBe(false);
    expect(existsSync(seen['TMPDIR'] ?? '/')).toBe(false);
  });

  it.each([
    ['does not load', "import './nowhere.ts';"],
    ['is killed', "process.kill(process.pid, 'SIGKILL');"],
  ])('goes away when the file %s', (_title, text) => {
    const before = readdirSync(tmpdir());
    expect(runVitest({ 'probe.test.ts': text }).status).toBe(1);
    const left = readdirSync(tmpdir()).filter((name) => !before.includes(name));
    expect(left.filter((name) => name.startsWith('herma-test-'))).toEqual([]);
  });
});

describe('the network of a test', () => {
  it('refuses a socket to another machine, in every form of the call', () => {
    expect(() => connect(80, elsewhere)).toThrow(/tests may only talk to this machine/);
    expect(() => connect({ host: elsewhere, port: 80 })).toThrow(/192\.0\.2\.1/);
    expect(() => connect({ host: 'example.com', port: 80 })).toThrow(/example\.com/);
    expect(() => connect({ host: '::ffff:192.0.2.1', port: 80 })).toThrow(/tests may only/);
    expect(() => connect({ host: '127.example.com', port: 80 })).toThrow(/tests may only/);
    expect(() => get(`http://${elsewhere}/`)).toThrow(/tests may only/);
    expect(() => lookup('example.com', () => undefined)).toThrow(/tests may only/);
  });

  it('refuses fetch, that of Node and that of undici', async () => {
    await expect(fetch(`http://${elsewhere}/`)).rejects.toThrow();
    await expect(fetch(`http://${elsewhere}/`).catch((error: Error) => String(error.cause))).resolves.toMatch(
      /tests may only/,
    );
    await expect(
      undiciFetch('https://example.com/').catch((error: Error) => String(error.cause)),
    ).resolves.toMatch(/tests may only/);
  });

  it('refuses datagrams', () => {
    const socket = createSocket('udp4');
    expect(() => socket.send('x', 53, elsewhere)).toThrow(/tests may only/);
    socket.close();
  });

  it('reaches this machine', async () => {
    const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (const host of ['127.0.0.1', 'localhost']) {
      const socket = connect({ host, port });
      const [data] = (await once(socket, 'data')) as [Buffer];
      expect(data.toString()).toBe('hello');
    }
    server.close();
  });

  it('is refused to the Node.js processes it starts, too', () => {
    const program = `require('node:net').connect(80, '${elsewhere}')`;
    const run = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
    expect(run.stderr).toMatch(/tests may only talk to this machine/);
    expect(run.status).toBe(1);
  });
});
