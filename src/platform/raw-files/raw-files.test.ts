import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  chmodRaw,
  createRawFile,
  ensureRawFolder,
  linkRaw,
  makeRawFolder,
  rawContent,
  rawEntries,
  rawKindOf,
  rawLink,
  rawNames,
  rawStat,
  removeRawFolder,
  renameRaw,
  symlinkRaw,
  syncRawFolder,
  touchRaw,
  unlinkRaw,
} from './index.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'raw-'));
  file = join(folder, 'file');
  writeFileSync(file, 'content');
});

function kindAt(path: string): string | undefined {
  const stat = rawStat(path);
  return stat === undefined ? undefined : rawKindOf(stat);
}

describe('rawStat and rawKindOf', () => {
  it('say what has exactly the name', async () => {
    symlinkSync('nowhere', join(folder, 'link'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, 'socket'), resolve));
    expect(kindAt(file)).toBe('file');
    expect(kindAt(folder)).toBe('directory');
    expect(kindAt(join(folder, 'link'))).toBe('link');
    expect(kindAt(join(folder, 'pipe'))).toBe('special');
    expect(kindAt(join(folder, 'socket'))).toBe('special');
    expect(kindAt('/dev/null')).toBe('special');
    await new Promise((resolve) => server.close(resolve));
  });

  it('say nothing where nothing is, or a file is on the way', () => {
    expect(rawStat(join(folder, 'nothing'))).toBeUndefined();
    expect(rawStat(join(file, 'below'))).toBeUndefined();
  });

  it('give size and identity', () => {
    const { size, ino, dev, nlink } = statSync(file);
    expect(rawStat(file)).toMatchObject({ size, ino, dev, nlink });
  });
});

describe('rawNames', () => {
  it('gives any names, also those that are not UTF-8 or hold U+FFFD', () => {
    const names = ['a', ' b ', 'c\nd', '\u{fffd}', 'caf\udce9', '\udcff\udcfe', '\u{1f600}'];
    for (const name of names) createRawFile(join(folder, 'x', '..', name), Buffer.alloc(0), { mode: 0o600 });
    expect(rawNames(folder).toSorted()).toEqual([...names, 'file'].toSorted());
    for (const name of rawNames(folder)) expect(rawStat(join(folder, name))).toBeDefined();
  });

  it('throws where there is no folder', () => {
    expect(() => rawNames(join(folder, 'nothing'))).toThrow(/ENOENT/);
    expect(() => rawNames(file)).toThrow(/ENOTDIR/);
  });
});

describe('rawEntries', () => {
  it('gives the names of rawNames, and the kinds that rawStat finds', async () => {
    symlinkSync('nowhere', join(folder, 'link'));
    mkdirSync(join(folder, 'folder'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, 'socket'), resolve));
    for (const more of ['plain', 'caf\udce9', '\u{fffd}']) {
      createRawFile(join(folder, more), [], { mode: 0o600 });
      const entries = rawEntries(folder);
      expect(entries.map(({ name }) => name).toSorted()).toEqual(rawNames(folder).toSorted());
      for (const { name, kind } of entries) expect([name, kind]).toEqual([name, kindAt(join(folder, name))]);
    }
    expect(rawEntries('/dev')).toContainEqual({ name: 'null', kind: 'special' });
    await new Promise((resolve) => server.close(resolve));
  });

  it('throws where there is no folder', () => {
    expect(() => rawEntries(join(folder, 'nothing'))).toThrow(/ENOENT/);
    expect(() => rawEntries(file)).toThrow(/ENOTDIR/);
  });
});

describe('rawContent', () => {
  it('gives the bytes and what the file was', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70_000 }), (bytes) => {
        writeFileSync(file, bytes);
        const content = rawContent(file);
        expect(content?.bytes.equals(bytes)).toBe(true);
        expect(content?.stat).toMatchObject({ size: bytes.length, ino: statSync(file).ino });
      }),
      { numRuns: 30 },
    );
  });

  it('gives nothing for what is no file, and does not wait for a pipe', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    symlinkSync(file, join(folder, 'link'));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, 'socket'), resolve));
    for (const name of ['pipe', 'link', 'socket', '.'])
      expect(rawContent(join(folder, name))).toBeUndefined();
    expect(rawContent('/dev/zero')).toBeUndefined();
    await new Promise((resolve) => server.close(resolve));
  });

  it('gives nothing for a file that is larger than allowed', () => {
    expect(rawContent(file, 7)?.bytes.toString()).toBe('content');
    expect(rawContent(file, 6)).toBeUndefined();
    writeFileSync(file, '');
    expect(rawContent(file, 0)?.bytes).toHaveLength(0);
  });

  it.runIf(process.platform === 'linux')('reads to the end of a file whose size is not known', () => {
    const status = rawContent('/proc/self/status');
    expect(status?.stat.size).toBe(0);
    expect(status?.bytes.toString()).toContain('Pid:');
    expect(rawContent('/proc/self/status', 10)).toBeUndefined();
  });

  it('throws where nothing is', () => {
    expect(() => rawContent(join(folder, 'nothing'))).toThrow(/ENOENT/);
  });
});

describe('createRawFile', () => {
  it.each([0o600, 0o644, 0o755, 0o444, 0o000, 0o4755, 0o666])(
    'makes a file with the mode %o, whatever the umask',
    (mode) => {
      const before = process.umask(0o077);
      try {
        createRawFile(join(folder, 'new'), [Buffer.from('one '), Buffer.from('two')], { mode, sync: true });
      } finally {
        process.umask(before);
      }
      expect(lstatSync(join(folder, 'new')).mode & 0o7777).toBe(mode);
      chmodRaw(join(folder, 'new'), 0o600);
      expect(readFileSync(join(folder, 'new'), 'utf8')).toBe('one two');
    },
  );

  it('takes no name that is taken, not even by a link to nothing', () => {
    symlinkSync('nowhere', join(folder, 'link'));
    for (const name of ['file', 'link'])
      expect(() => createRawFile(join(folder, name), Buffer.from('x'), { mode: 0o600 })).toThrow(/EEXIST/);
    expect(readFileSync(file, 'utf8')).toBe('content');
    expect(readlinkSync(join(folder, 'link'))).toBe('nowhere');
  });

  it.runIf(existsSync('/dev/full'))('leaves nothing behind when it cannot be written', () => {
    const limited = `
      import { createRawFile } from ${JSON.stringify(new URL('index.ts', import.meta.url).href)};
      try { createRawFile(process.argv[1], Buffer.alloc(1 << 20), { mode: 0o600 }); } catch (error) { process.stdout.write(error.code); }
    `;
    const path = join(folder, 'large');
    // Files of this shell's children may have 64 blocks; the signal that says so is ignored, so that write(2) fails.
    const script = 'trap "" XFSZ; ulimit -f 64; exec "$0" --input-type=module -e "$1" "$2"';
    expect(execFileSync('bash', ['-c', script, process.execPath, limited, path], { encoding: 'utf8' })).toBe(
      'EFBIG',
    );
    expect(existsSync(path)).toBe(false);
  });
});

describe('names', () => {
  it('are changed, added and removed', () => {
    const [one, two] = [join(folder, 'one'), join(folder, 'two')];
    renameRaw(file, one);
    linkRaw(one, two);
    expect(rawStat(one)?.nlink).toBe(2);
    expect(() => {
      linkRaw(one, two);
    }).toThrow(/EEXIST/);
    expect(unlinkRaw(one)).toBe(true);
    expect(unlinkRaw(one)).toBe(false);
    expect(readdirSync(folder)).toEqual(['two']);
    expect(() => unlinkRaw(folder)).toThrow();
  });

  it('may be links with any bytes in them', () => {
    const target = Buffer.from([0x2e, 0x2f, 0xff, 0xe9, 0x0a]);
    symlinkRaw(target, join(folder, 'link'));
    expect(rawLink(join(folder, 'link')).equals(target)).toBe(true);
  });

  it('are put on the disk', () => {
    expect(() => {
      syncRawFolder(folder);
    }).not.toThrow();
    expect(() => {
      syncRawFolder(join(folder, 'nothing'));
    }).toThrow(/ENOENT/);
  });
});

describe('folders', () => {
  it('have exactly the mode that was asked for', () => {
    const before = process.umask(0o077);
    try {
      makeRawFolder(join(folder, 'new'), 0o1775);
    } finally {
      process.umask(before);
    }
    expect(lstatSync(join(folder, 'new')).mode & 0o7777).toBe(0o1775);
    expect(() => {
      makeRawFolder(join(folder, 'new'), 0o700);
    }).toThrow(/EEXIST/);
  });

  it('are made with those above them, for their owner alone', () => {
    ensureRawFolder(join(folder, 'a', 'b'));
    ensureRawFolder(join(folder, 'a', 'b'));
    for (const path of ['a', 'a/b']) expect(statSync(join(folder, path)).mode & 0o777).toBe(0o700);
    expect(() => {
      ensureRawFolder(join(file, 'below'));
    }).toThrow(/ENOTDIR/);
  });

  it('are removed only when they are empty', () => {
    mkdirSync(join(folder, 'full', 'empty'), { recursive: true });
    expect(removeRawFolder(join(folder, 'full'))).toBe(false);
    expect(removeRawFolder(join(folder, 'full', 'empty'))).toBe(true);
    expect(removeRawFolder(join(folder, 'full', 'empty'))).toBe(false);
    expect(removeRawFolder(file)).toBe(false);
    expect(removeRawFolder(join(folder, 'full'))).toBe(true);
  });
});

describe('chmodRaw and touchRaw', () => {
  it('set mode and time', () => {
    chmodRaw(file, 0o741);
    expect(lstatSync(file).mode & 0o7777).toBe(0o741);
    expect(touchRaw(file, 1_600_000_000_500)).toBe(true);
    expect(lstatSync(file).mtimeMs).toBe(1_600_000_000_500);
    expect(touchRaw(join(folder, 'nothing'), 0)).toBe(false);
  });
});
