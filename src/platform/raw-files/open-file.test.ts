import { mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { RawReader, RawWriter } from './index.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'open-'));
});

describe('RawReader', () => {
  it('gives the bytes at any place, fewer where the file ends', () => {
    const content = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251));
    writeFileSync(join(folder, 'file'), content);
    const reader = new RawReader(join(folder, 'file'));
    expect(reader.size).toBe(1000);
    fc.assert(
      fc.property(fc.nat(1200), fc.nat(1200), (offset, length) => {
        expect(reader.read(offset, length).equals(content.subarray(offset, offset + length))).toBe(true);
      }),
    );
    reader.close();
  });

  it('says when there is nothing', () => {
    expect(() => new RawReader(join(folder, 'nothing'))).toThrow(/ENOENT/);
  });
});

describe('RawWriter', () => {
  it('writes to the end, and replaces what it has written', () => {
    const path = join(folder, 'file');
    const writer = new RawWriter(path, 0o600);
    writer.write(Buffer.from('0123456789'));
    writer.writeAt(2, Buffer.from('ab'));
    writer.write(Buffer.from('end'));
    writer.writeAt(9, Buffer.from('XYZ'));
    writer.write(Buffer.from('!'));
    writer.sync();
    writer.close();
    expect(readFileSync(path, 'utf8')).toBe('01ab45678XYZd!');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('takes no name that is taken, not even by a link to nothing', () => {
    writeFileSync(join(folder, 'file'), 'kept');
    symlinkSync(join(folder, 'nothing'), join(folder, 'link'));
    for (const name of ['file', 'link'])
      expect(() => new RawWriter(join(folder, name), 0o600)).toThrow(/EEXIST/);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('kept');
  });
});
