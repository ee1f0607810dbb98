import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { valueOrThrow } from '../../../kernel/errors/index.ts';
import { HeadAnchors } from './head-anchors.ts';

const AT = '2030-01-01T00:00:00.000Z';
const hash = (seq: number): string => seq.toString(16).padStart(64, '0');

let path: string;
let anchors: HeadAnchors;

beforeEach(() => {
  path = join(realpathSync(mkdtempSync(join(tmpdir(), 'heads-'))), 'heads', 'ledger');
  anchors = new HeadAnchors(path);
});

async function note(seq: number): Promise<void> {
  valueOrThrow(await anchors.note({ seq, hash: hash(seq) }, AT));
}

async function seqs(): Promise<readonly number[]> {
  return valueOrThrow(await anchors.read()).map(({ seq }) => seq);
}

it('a head is noted once, and read again', async () => {
  expect(await seqs()).toEqual([]);
  for (const seq of [1, 1, 2]) await note(seq);
  expect(await seqs()).toEqual([1, 2]);
});

it('lines that are damaged are passed over, and do not swallow the next', async () => {
  await note(1);
  writeFileSync(path, `${readFileSync(path, 'utf8')}garbage\n7 abc\n2 ${hash(2).slice(0, 20)}`);
  await note(3);
  expect(await seqs()).toEqual([1, 3]);
});

it.each([
  ['bytes that are no text', () => writeFileSync(path, Buffer.from([0, 1, 255, 254]))],
  ['a folder', () => mkdirSync(path)],
])('a file that has become %s is kept aside, and heads are noted on', async (_, spoil) => {
  mkdirSync(dirname(path));
  spoil();
  expect(await anchors.read()).toMatchObject({ ok: false });
  await note(5);
  expect(await seqs()).toEqual([5]);
  expect(readdirSync(dirname(path)).filter((name) => name.includes('.corrupt-'))).toHaveLength(1);
});

it('a place that cannot be written is said to be', async () => {
  symlinkSync(dirname(path), dirname(path));
  expect(await anchors.note({ seq: 1, hash: hash(1) }, AT)).toMatchObject({ ok: false });
});

it('two processes at once keep all heads', async () => {
  const program = `import(process.argv[1]).then(async ({ HeadAnchors }) => {
    const anchors = new HeadAnchors(process.argv[2]);
    for (let index = 0; index < 100; index += 1) {
      const seq = Number(process.argv[3]) + index;
      const noted = await anchors.note({ seq, hash: seq.toString(16).padStart(64, '0') }, '${AT}');
      if (!noted.ok) throw new Error(noted.message);
    }
  })`;
  const module_ = join(import.meta.dirname, 'head-anchors.ts');
  const writers = ['1000', '2000'].map((first) =>
    spawn(process.execPath, ['-e', program, module_, path, first], { stdio: 'inherit' }),
  );
  await Promise.all(writers.map((writer) => once(writer, 'close')));
  const noted = await seqs();
  expect(new Set(noted).size).toBe(200);
  expect(noted).toHaveLength(200);
});
