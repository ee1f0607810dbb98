import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRawFile, HeldFolder, rawContent, renameRaw } from './index.ts';

let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'held-'));
  mkdirSync(join(base, 'a', 'b'), { recursive: true });
  writeFileSync(join(base, 'a', 'b', 'file'), 'inside');
});

function openFiles(): number {
  return readdirSync('/proc/self/fd').length;
}

describe('HeldFolder', () => {
  it('names the entries of a folder, and of its base', () => {
    const folder = HeldFolder.open(base, ['a', 'b']);
    expect(rawContent(folder.pathOf('file'))?.bytes.toString()).toBe('inside');
    createRawFile(folder.pathOf('new'), Buffer.from('x'), { mode: 0o640 });
    renameRaw(folder.pathOf('new'), folder.pathOf('newer'));
    folder.close();
    expect(readdirSync(join(base, 'a', 'b'))).toEqual(['file', 'newer']);
    const top = HeldFolder.open(base, []);
    expect(existsSync(top.pathOf('a'))).toBe(true);
    top.close();
  });

  it.runIf(process.platform === 'linux')('stays the same folder when a link is planted in its place', () => {
    const outside = mkdtempSync(join(tmpdir(), 'outside-'));
    const folder = HeldFolder.open(base, ['a', 'b']);
    renameSync(join(base, 'a', 'b'), join(base, 'a', 'moved'));
    symlinkSync(outside, join(base, 'a', 'b'));
    createRawFile(folder.pathOf('new'), Buffer.from('x'), { mode: 0o600 });
    folder.close();
    expect(readdirSync(outside)).toEqual([]);
    expect(readFileSync(join(base, 'a', 'moved', 'new'), 'utf8')).toBe('x');
  });

  it('names folders whose names are not UTF-8', () => {
    mkdirSync(Buffer.concat([Buffer.from(`${base}/caf`), Buffer.of(0xe9)]));
    const folder = HeldFolder.open(base, ['caf\udce9']);
    createRawFile(folder.pathOf('\udcff'), Buffer.from('x'), { mode: 0o600 });
    expect(rawContent(folder.pathOf('\udcff'))?.bytes.toString()).toBe('x');
    folder.close();
  });

  it('allows links on the way to its base, and none below', () => {
    symlinkSync(base, join(base, 'link'));
    HeldFolder.open(join(base, 'link'), ['a']).close();
    const before = openFiles();
    expect(() => HeldFolder.open(base, ['link'])).toThrow(/ELOOP|ENOTDIR/);
    expect(() => HeldFolder.open(base, ['link', 'a'])).toThrow(/ELOOP|ENOTDIR/);
    expect(() => HeldFolder.open(base, ['a', 'b', 'file'])).toThrow(/ENOTDIR/);
    expect(() => HeldFolder.open(base, ['a', 'nothing'])).toThrow(/ENOENT/);
    expect(() => HeldFolder.open(join(base, 'nothing'), [])).toThrow(/ENOENT/);
    expect(openFiles()).toBe(before);
  });

  it.each(['', '.', '..', 'a/b', '/'])('refuses %j as a name', (name) => {
    expect(() => HeldFolder.open(base, [name])).toThrow(TypeError);
    const folder = HeldFolder.open(base, ['a']);
    expect(() => folder.pathOf(name)).toThrow(TypeError);
    folder.close();
  });
});
