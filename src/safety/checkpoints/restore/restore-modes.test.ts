import { chownSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScratchProject } from './scratch-project.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

let base: string;
let p: ScratchProject;

// To root every folder is open: it becomes somebody else, outside of the folder of all tests, which nobody else may enter.
beforeEach(() => {
  base = realpathSync(mkdtempSync(isRoot ? join(tmpdir(), '../../..', 'modes-') : join(tmpdir(), 'modes-')));
  if (isRoot) {
    chownSync(base, NOBODY, NOBODY);
    process.seteuid?.(NOBODY);
  }
  p = new ScratchProject(base);
});
afterEach(() => {
  if (isRoot) process.seteuid?.(0);
  rmSync(base, { recursive: true, force: true });
});

function makeSealed(): void {
  p.write('made/in/x', '1');
  p.chmod('made/in', 0o555);
  p.chmod('made', 0o500);
}

function unseal(): void {
  p.chmod('made', 0o755);
  p.chmod('made/in', 0o755);
}

describe('a folder that may not be written', () => {
  it('is removed with what is in it when a command has made it, and comes back by undo', async () => {
    const before = p.tree();
    p.command(makeSealed);
    const after = p.tree();
    expect(await p.restore(1)).toMatchObject({ ok: true, deleted: ['made', 'made/in', 'made/in/x'] });
    expect(p.tree()).toEqual(before);
    expect((await p.undo()).ok).toBe(true);
    expect(p.tree()).toEqual(after);
    expect((await p.undo()).ok).toBe(true);
    expect(p.tree()).toEqual(before);
  });

  it('becomes a file and comes back, both ways', async () => {
    makeSealed();
    const before = p.tree();
    p.command(() => {
      unseal();
      p.remove('made');
      p.write('made', 'a file');
    });
    const after = p.tree();
    expect((await p.restore(1)).ok).toBe(true);
    expect(p.tree()).toEqual(before);
    expect((await p.undo()).ok).toBe(true);
    expect(p.tree()).toEqual(after);
  });

  it('has nothing left over in it when it is closed again', async () => {
    p.write('kept/x', '0');
    p.chmod('kept', 0o555);
    const before = p.tree();
    p.command(() => {
      p.chmod('kept', 0o755);
      p.write('kept/x', '1');
      p.write('kept/y', '1');
    });
    expect((await p.restore(1)).ok).toBe(true);
    expect(p.tree()).toEqual(before);
  });

  it.each([1, 2, 3])('is as it was when the disk is full at step %s of clearing it', async (nth) => {
    p.command(makeSealed);
    const before = p.tree();
    let cleared = 0;
    p = new ScratchProject(base, (name) => {
      cleared += name === 'restore-clear' ? 1 : 0;
      if (name === 'restore-clear' && cleared === nth)
        throw Object.assign(new Error('full'), { code: 'ENOSPC', path: '/proc/self/fd/3/x' });
    });
    const { error } = await p.restore(1);
    expect(error).toMatchObject({ code: 'disk_full', message: expect.stringMatching(/cannot restore made/) });
    expect(p.tree()).toEqual(before);
  });

  it('keeps its mode when somebody puts a file into it meanwhile', async () => {
    p.command(makeSealed);
    p = new ScratchProject(base, (name) => {
      if (name === 'restore-clear') writeFileSync(p.place('made/mine'), 'P');
    });
    expect((await p.restore(1)).skipped).toEqual([{ path: 'made', reason: 'the folder is not empty' }]);
    expect([p.mode('made'), p.read('made/mine'), p.read('made/in/x')]).toEqual(['500', 'P', undefined]);
  });

  it('with something in it that was changed leaves everything as it was, and is named', async () => {
    p.write('kept/x', '0');
    p.write('z', '0');
    p.tool(['kept/x', 'z'], () => {
      p.write('kept/x', '1');
      p.write('z', '1');
    });
    p.chmod('kept', 0o555);
    const before = p.tree();
    expect((await p.restore(1)).error).toMatchObject({
      code: 'denied',
      message: 'cannot restore kept/x: permission denied',
    });
    expect(p.tree()).toEqual(before);
  });
});
