import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const CLIENT = fileURLToPath(new URL('./worker-client.ts', import.meta.url));
const DATA = `{ name: 'p', entry: '/no such module.js', config: {}, dataDir: '/nowhere' }`;

/** A program of its own that uses a worker; it ends by itself when nothing keeps it alive. */
function run(body: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'worker-')), 'program.mjs');
  writeFileSync(
    file,
    `import { WorkerClient } from ${JSON.stringify(CLIENT)};\nconst entry = 'services/plugins/plugin-worker';\n${body}`,
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  return `${String(status)} ${stdout}${stderr}`.trim();
}

describe('WorkerClient', () => {
  it('lets the program end after a call with an argument that cannot be copied, and goes on', () => {
    const ended = run(`
      const client = new WorkerClient(entry, ${DATA});
      const refused = await client.call('cancel', () => undefined).catch((error) => error.name);
      const { ok } = await client.call('register');
      console.log(refused, ok);`);
    expect(ended).toBe('0 DataCloneError false');
  });

  it('starts no thread with data that cannot be copied', () => {
    const ended = run(`
      const client = new WorkerClient(entry, { ...${DATA}, config: () => undefined });
      console.log(await client.call('register').catch((error) => error.name));`);
    expect(ended).toBe('0 DataCloneError');
  });
});
