import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendedFact, contentFact, factLike, factOf, isSameFact, stampOf } from './file-facts.ts';

const { signal } = new AbortController();
const LIMIT = 64 * 1024 * 1024;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'facts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('what stands at a path', () => {
  it('is nothing, a folder, a file of a content or a link to somewhere', async () => {
    const path = join(folder, 'x');
    expect(await factOf(path, signal)).toEqual({ type: 'absent' });
    expect(await factOf(join(path, 'below'), signal)).toEqual({ type: 'absent' });
    mkdirSync(path);
    expect(await factOf(path, signal)).toEqual({ type: 'folder' });
    writeFileSync(join(path, 'f'), 'héllo');
    expect(await factOf(join(path, 'f'), signal)).toEqual(contentFact('héllo'));
    symlinkSync('f', join(path, 'l'));
    expect(await factOf(join(path, 'l'), signal)).toMatchObject({
      type: 'other',
      stamp: expect.stringMatching(/^link:/),
    });
  });

  it('is the whole content of a file of 64 MB, and a stamp of a larger one', async () => {
    const path = join(folder, 'big');
    writeFileSync(path, 'x');
    truncateSync(path, LIMIT);
    expect(await factOf(path, signal)).toMatchObject({ type: 'file', size: LIMIT });
    truncateSync(path, LIMIT + 1);
    const before = await factOf(path, signal);
    expect(before?.type).toBe('other');
    appendFileSync(path, 'more');
    const after = await factOf(path, signal);
    expect(before !== undefined && after !== undefined && isSameFact(before, after)).toBe(false);
  });

  it('is not known when it cannot be found out', async () => {
    symlinkSync('loop', join(folder, 'loop'));
    expect(await factOf(join(folder, 'loop/x'), signal)).toBeUndefined();
  });

  it('is a stamp when there is no time to read it', async () => {
    writeFileSync(join(folder, 'f'), 'x');
    expect(await factOf(join(folder, 'f'), AbortSignal.abort())).toEqual(
      await stampOf(join(folder, 'f'), signal),
    );
  });

  it('can be told by a stamp that differs once the file has been written to', async () => {
    const path = join(folder, 'f');
    writeFileSync(path, 'same');
    const stamp = await stampOf(path, signal);
    if (stamp === undefined) throw new Error('no stamp');
    expect(await factLike(stamp, path, signal)).toEqual(stamp);
    rmSync(path);
    writeFileSync(join(folder, 'other'), '');
    writeFileSync(path, 'same!');
    expect(await factLike(stamp, path, signal)).not.toEqual(stamp);
  });

  it('can be foretold with more at its end', async () => {
    const path = join(folder, 'f');
    writeFileSync(path, 'ab');
    expect(await appendedFact(path, 'ç', signal)).toEqual(contentFact('abç'));
    expect(await appendedFact(join(folder, 'none'), 'c', signal)).toBeUndefined();
  });
});
