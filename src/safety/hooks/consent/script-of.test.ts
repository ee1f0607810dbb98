import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../platform/clock/index.ts';
import { FileInspector, interpreterOf, scriptOf } from './index.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'script-of-')));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});
mkdirSync(join(root, 'bin'));
mkdirSync(join(root, 'My Hooks é'));
for (const name of [
  'bin/python3',
  'bin/tool',
  'bin/timeout',
  'bin/env',
  'guard',
  'a.sh',
  'My Hooks é/h.sh',
]) {
  writeFileSync(join(root, name), '#!/bin/sh\n', { mode: 0o755 });
}
for (const name of ['x.py', 'y.ts', 'data', 'bin/plain']) writeFileSync(join(root, name), '');
chmodSync(join(root, 'bin/plain'), 0o644);
symlinkSync('nowhere', join(root, 'bin/dangling'));

const inspector = new FileInspector(new FakeClock());
const place = { cwd: root, searchPath: `/nowhere:${join(root, 'bin')}` };

/** With R for the folder. */
const named = (path: string | undefined): string | undefined => path?.replaceAll(root, 'R');
const wordsOf = (...words: readonly string[]): readonly string[] =>
  words.map((word) => word.replaceAll('R', root));

describe('the script of a command', () => {
  it.each([
    [['R/a.sh', 'x.py'], 'R/a.sh', true],
    [['R/My Hooks é/h.sh', 'two words'], 'R/My Hooks é/h.sh', true],
    [['./a.sh'], 'R/./a.sh', true],
    [['python3', 'x.py'], 'R/x.py', false],
    [['python3', '-u', 'R/x.py', 'R/data'], 'R/x.py', false],
    [['python3', 'R/data'], 'R/data', false],
    [['R/bin/python3', 'R/data'], 'R/data', false],
    [['tool', 'y.ts'], 'R/y.ts', false],
    [['tool', 'R/guard'], 'R/guard', false],
    [['tool', 'R/data'], 'R/bin/tool', true],
    [['tool', '--to', 'R/log/new.txt'], 'R/bin/tool', true],
    [['tool', 'http://localhost/a.js'], 'R/bin/tool', true],
    [['tool'], 'R/bin/tool', true],
    [['timeout', '5', 'tool'], 'R/bin/tool', true],
    [['timeout', '5s', 'R/guard'], 'R/guard', true],
    [['env', 'A=/b', 'R/guard'], 'R/guard', true],
    [['env', 'A=/b.sh', 'timeout', '3', 'python3', 'x.py'], 'R/x.py', false],
    [['python3', '-c', 'open("/x/y.py")'], 'R/bin/python3', true],
    [['python3', '-c', 'x/y'], 'R/bin/python3', true],
  ])('%j is %s', async (words, path, isProgram) => {
    const choice = await scriptOf(wordsOf(...words), place, inspector);
    expect(choice.type === 'file' ? [named(choice.path), choice.isProgram] : choice).toEqual([
      path,
      isProgram,
    ]);
  });

  it.each([
    [['R/gone.sh'], 'R/gone.sh'],
    [['python3', 'R/gone.py'], 'R/gone.py'],
    [['python3', 'R/gone'], 'R/gone'],
    [['nothing', 'x'], 'nothing'],
    [['plain'], 'plain'],
    [['dangling'], 'dangling'],
    [['$HOME/nope.sh'], 'R/$HOME/nope.sh'],
    [[''], ''],
    [['a\0b/c'], 'R/a\0b/c'],
    [['x'.repeat(5000)], 'x'.repeat(5000)],
  ])('%j is missing', async (words, path) => {
    const choice = await scriptOf(wordsOf(...words), place, inspector);
    expect([choice.type, named(choice.path)]).toEqual(['missing', path]);
  });
});

describe('the interpreter of a script', () => {
  it.each([
    ['#!/bin/bash -eu\n', '/bin/bash'],
    ['#! /bin/bash\n', '/bin/bash'],
    ['#!/bin/bash', '/bin/bash'],
    ['#!bin/tool\n', 'R/bin/tool'],
    ['#!/usr/bin/env python3\n', 'R/bin/python3'],
    ['#!/usr/bin/env -S A=1 python3 -u\n', 'R/bin/python3'],
    ['#!\n', '/bin/sh'],
    ['echo no first line\n', '/bin/sh'],
    ['', '/bin/sh'],
    ['\u007fELF\u0002', undefined],
  ])('that begins with %j is %s', async (text, path) => {
    const how = { isProgram: true, head: Buffer.from(text) };
    const found = await interpreterOf([`${root}/a.sh`], how, place, inspector);
    expect(found.ok ? named(found.value) : found).toBe(path);
  });

  it.each([['#!/usr/bin/env nothing\n'], ['#!/usr/bin/env\n']])(
    'that begins with %j is missing',
    async (text) => {
      const how = { isProgram: true, head: Buffer.from(text) };
      expect(await interpreterOf([`${root}/a.sh`], how, place, inspector)).toMatchObject({
        ok: false,
        code: 'missing',
      });
    },
  );

  it.each([
    [['python3', 'x.py'], 'R/bin/python3'],
    [['timeout', '5', 'python3', 'x.py'], 'R/bin/python3'],
    [['R/bin/python3', 'x.py'], 'R/bin/python3'],
  ])('that %j names is %s', async (words, path) => {
    const how = { isProgram: false, head: Buffer.from('#!/other\n') };
    const found = await interpreterOf(wordsOf(...words), how, place, inspector);
    expect(found.ok ? named(found.value) : found).toBe(path);
  });
});
