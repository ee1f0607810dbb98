import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startDetached } from './index.ts';

const moduleUrl = fileURLToPath(new URL('index.ts', import.meta.url));

async function whenExists(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  await new Promise<void>((resolve) => {
    const watcher = watch(folder, () => {
      if (!existsSync(path)) return;
      watcher.close();
      resolve();
    });
    if (existsSync(path)) {
      watcher.close();
      resolve();
    }
  });
  return readFileSync(path, 'utf8');
}

describe('startDetached', () => {
  it('starts a program that goes on after its starter has ended, with its own session and no terminal', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'detached-')));
    const script = `read -t 0; mv_done() { echo "$(cat /proc/self/stat | cut -d' ' -f6) $PWD $ONE" > part; mv part done; }; while kill -0 $0 2>/dev/null; do :; done; mv_done`;
    const program = `import(process.argv[1]).then(async ({ startDetached }) => {
      const ok = await startDetached({ command: '/bin/bash', args: ['-c', process.argv[2], String(process.pid)], cwd: process.argv[3], env: { ONE: '1', PATH: process.env.PATH } });
      process.stdout.write(String(ok));
    })`;
    const out = execFileSync(process.execPath, ['-e', program, moduleUrl, script, folder], {
      encoding: 'utf8',
    });
    expect(out).toBe('true');
    const [session, cwd, one] = (await whenExists(folder, 'done')).trim().split(' ');
    expect([cwd, one]).toEqual([folder, '1']);
    expect(session).not.toBe(String(process.pid));
  });

  it('says that a program which is not there does not run', async () => {
    const options = { args: [], cwd: '/', env: {} };
    expect(await startDetached({ ...options, command: '/no/such/program' })).toBe(false);
    expect(await startDetached({ ...options, command: '/bin/true', cwd: '/no/such/folder' })).toBe(false);
    expect(await startDetached({ ...options, command: 'a\0b' })).toBe(false);
  });
});
