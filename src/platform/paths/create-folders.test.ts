import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFolders } from './index.ts';

let folder = '';

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'create-folders-')));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('createFolders', () => {
  it('makes what is missing, the outermost first', () => {
    const inner = join(folder, 'a', 'b', 'c');
    expect(createFolders(inner, 0o700)).toEqual([join(folder, 'a'), join(folder, 'a', 'b'), inner]);
    expect(statSync(inner).mode & 0o777).toBe(0o700);
    expect(createFolders(inner, 0o700)).toEqual([]);
  });

  it('fails where a file or a link to nothing stands on the way', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => createFolders(join(folder, 'file', 'a'), 0o700)).toThrow(/ENOTDIR/);
    expect(() => createFolders(join(folder, 'file'), 0o700)).toThrow(/not a folder/);
  });

  it.runIf(process.platform === 'linux')('ends where a folder cannot be made', () => {
    expect(() => createFolders('/proc/herma-none/a', 0o700)).toThrow(/ENOENT/);
  });

  it('makes the same folders for several at once', async () => {
    const rounds = 400;
    const turns = new Int32Array(new SharedArrayBuffer(4));
    const source = `
      const { workerData, parentPort } = require('node:worker_threads');
      import(workerData.module).then(({ createFolders }) => {
        const failures = [];
        for (let round = 0; round < workerData.rounds; round += 1) {
          Atomics.add(workerData.turns, 0, 1);
          while (Atomics.load(workerData.turns, 0) < 2 * (round + 1));
          try { createFolders(workerData.folder + '/' + round + '/a/b/c', 0o700); }
          catch (error) { failures.push(error.message); }
        }
        parentPort.postMessage(failures);
      });`;
    const workerData = { module: new URL('./index.ts', import.meta.url).href, folder, rounds, turns };
    const workers = [0, 1].map(() => new Worker(source, { eval: true, workerData }));
    const answers = await Promise.all(workers.map((worker) => once(worker, 'message')));
    await Promise.all(workers.map((worker) => worker.terminate()));
    expect(answers.flat(2)).toEqual([]);
    expect(statSync(join(folder, String(rounds - 1), 'a', 'b', 'c')).isDirectory()).toBe(true);
  });
});
