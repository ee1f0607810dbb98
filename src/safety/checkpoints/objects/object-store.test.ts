import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CorruptObjectError } from './corrupt-object-error.ts';
import { hashObject } from './object-name.ts';
import { ObjectStore } from './object-store.ts';
import { RefStore } from './ref-store.ts';
import { decodeTree } from './tree-object.ts';

let folder: string;
let store: ObjectStore;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'store-')), 'store');
  store = ObjectStore.create(folder);
  return () => store.close();
});

function git(...args: string[]): string {
  return gitWith('', ...args);
}

function gitWith(input: string | Uint8Array, ...args: string[]): string {
  return execFileSync('git', ['-C', folder, ...args], {
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  }).trim();
}

function fsck(): string {
  return git('fsck', '--full', '--no-dangling');
}

/** Writes blobs and returns their names. */
function write(contents: readonly (string | Uint8Array)[], options = {}): string[] {
  const writer = store.writer({ mayReuse: false, ...options });
  const oids = contents.map((content) => writer.blob(Buffer.from(content)));
  writer.finish();
  return oids;
}

const many = (count: number, prefix = 'blob'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix} ${String(index)}\n`);
const loosePath = (oid: string): string => join(folder, 'objects', oid.slice(0, 2), oid.slice(2));
const packFolder = (): string => join(folder, 'objects', 'pack');

describe('what ObjectWriter writes', () => {
  it('is a commit that git shows, logs and finds nothing wrong with', () => {
    const writer = store.writer({ mayReuse: true });
    const file = writer.blob(Buffer.from('hello\n'));
    const link = writer.blob(Buffer.from('a.txt'));
    const inner = writer.tree([{ name: 'caf\udce9', mode: 0o100755, oid: file }]);
    const tree = writer.tree([
      { name: 'a.txt', mode: 0o100644, oid: file },
      { name: 'a', mode: 0o040000, oid: inner },
      { name: 'l', mode: 0o120000, oid: link },
    ]);
    const commit = writer.commit({
      tree,
      message: 'before write_file\n\nHerma-Record: x/1',
      at: 1_700_000_000_000,
    });
    expect(writer.finish()).toBe([...store.looseObjects()].reduce((sum, { bytes }) => sum + bytes, 0));
    new RefStore(folder).create('0123456789abcdef/0000000001', commit);

    expect(fsck()).toBe('');
    expect(git('cat-file', '-p', `${commit}:a.txt`)).toBe('hello');
    expect(git('log', '--format=%an %ae %at %s', 'refs/herma/0123456789abcdef/0000000001')).toBe(
      'Herma herma@localhost 1700000000 before write_file',
    );
    expect(git('show', '--stat', '--format=', commit)).toContain('3 files changed');
    expect(store.read(commit)?.kind).toBe('commit');
    expect(decodeTree(store.read(tree)?.bytes ?? Buffer.alloc(0)).map(({ name }) => name)).toEqual([
      'a.txt',
      'a',
      'l',
    ]);
  });

  it('is in files of its own up to fifty objects, and in one pack beyond', () => {
    write(many(50, 'few'));
    expect([...store.looseObjects()]).toHaveLength(50);
    expect(store.packs()).toEqual([]);
    const oids = write(many(51, 'lots'));
    expect([...store.looseObjects()]).toHaveLength(50);
    expect(store.packs()).toMatchObject([{ objects: 51 }]);
    expect([...store.oidsOfPack(store.packs()[0]?.name ?? '')]).toEqual(oids.toSorted());
    expect(git('count-objects', '-v')).toContain('in-pack: 51');
    expect(fsck()).toBe('');
  });

  it('is written once when it comes twice', () => {
    const [one, other] = write(['same', 'same']);
    expect(one).toBe(other);
    expect([...store.looseObjects()]).toHaveLength(1);
    write([...many(60), ...many(60)]);
    expect(store.packs()).toMatchObject([{ objects: 60 }]);
    expect(fsck()).toBe('');
  });

  it('has the bytes that were given, even when the caller uses the buffer again', () => {
    const writer = store.writer({ mayReuse: false });
    const buffer = Buffer.from('first');
    const first = writer.blob(buffer);
    buffer.write('other');
    writer.blob(buffer);
    writer.finish();
    expect(store.read(first)?.bytes.toString()).toBe('first');
  });

  it('is not written again when it may be reused, and is when not', () => {
    for (const contents of [many(3), many(80)]) {
      write(contents);
      const writer = store.writer({ mayReuse: true });
      for (const content of contents) writer.blob(Buffer.from(content));
      expect(writer.finish()).toBe(0);
      const again = store.writer({ mayReuse: false });
      for (const content of contents) again.blob(Buffer.from(content));
      expect(again.finish()).toBeGreaterThan(0);
    }
    expect(fsck()).toBe('');
  });

  it('is not written again when very much is asked for', () => {
    const contents = many(200);
    for (const content of contents) write([content]);
    const writer = store.writer({ mayReuse: true });
    for (const content of contents) writer.blob(Buffer.from(content));
    expect(writer.finish()).toBe(0);
    const [oid = ''] = write([contents[150] ?? ''], { mayReuse: true });
    truncateSync(loosePath(oid), 0);
    write(contents, { mayReuse: true });
    expect(ObjectStore.open(folder).read(oid)?.bytes.toString()).toBe(contents[150]);
  });

  it('is written again when what is there is empty, or its pack has gone', () => {
    const [oid = ''] = write(['x']);
    truncateSync(loosePath(oid), 0);
    write(['x'], { mayReuse: true });
    expect(store.read(oid)?.bytes.toString()).toBe('x');

    const other = ObjectStore.open(folder);
    write(many(60));
    const [pack] = other.packs();
    expect(store.has(hashObject('blob', Buffer.from('blob 3\n')))).toBe(true);
    expect(other.removePack(pack?.name ?? '')).toBe(true);
    const [again = ''] = write(['blob 3\n'], { mayReuse: true });
    expect(ObjectStore.open(folder).read(again)?.bytes.toString()).toBe('blob 3\n');
  });

  it('is compressed and packed when asked', () => {
    const text = 'the same line\n'.repeat(1000);
    const [plain = ''] = write([text]);
    expect(statSync(loosePath(plain)).size).toBeGreaterThan(text.length);
    write([text], { alwaysPack: true, compress: true, sync: true });
    const [pack] = store.packs();
    expect(pack).toMatchObject({ objects: 1 });
    expect(pack?.bytes).toBeLessThan(2000);
    unlinkSync(loosePath(plain));
    expect(store.read(plain)?.bytes.toString()).toBe(text);
    expect(store.sizeOf(plain)).toBe(text.length);
    expect(fsck()).toBe('');
  });

  it('makes no pack when there is nothing in it', () => {
    write([], { alwaysPack: true });
    expect(readdirSync(packFolder())).toEqual([]);
  });

  it('may be large: content of many blocks, in files and in packs', () => {
    const large = [0, 65_535, 65_536, 1_048_577, 5_000_000].map((size) => Buffer.alloc(size, 'abcdefg'));
    for (const options of [{}, { alwaysPack: true }, { alwaysPack: true, compress: true }]) {
      store = ObjectStore.create(join(mkdtempSync(join(tmpdir(), 'store-')), 'store'));
      folder = store.folder;
      const oids = write(large, options);
      for (const [index, oid] of oids.entries()) {
        expect(store.read(oid)?.bytes.equals(large[index] ?? Buffer.alloc(1))).toBe(true);
        expect(store.sizeOf(oid)).toBe(large[index]?.length);
      }
      expect(fsck()).toBe('');
    }
  });

  it('belongs to its owner alone', () => {
    write(['x']);
    write(many(60));
    const modes = new Map<string, number>();
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      modes.set(path, statSync(path).mode & 0o777);
    }
    expect(
      [...modes].filter(([path, mode]) => mode !== (statSync(path).isDirectory() ? 0o700 : 0o600)),
    ).toEqual([]);
  });

  it('leaves nothing in the store when it is abandoned', () => {
    const writer = store.writer({ mayReuse: false });
    for (const content of many(60)) writer.blob(Buffer.from(content));
    expect(readdirSync(packFolder())).toHaveLength(1);
    writer.abandon();
    writer.abandon();
    expect(readdirSync(packFolder())).toEqual([]);
    expect(() => writer.blob(Buffer.from('x'))).toThrow(/finished/);
    expect(() => writer.finish()).toThrow(/finished/);
  });

  it('stays when it is abandoned after it was finished', () => {
    const writer = store.writer({ mayReuse: false });
    const [oid = ''] = many(60).map((content) => writer.blob(Buffer.from(content)));
    writer.finish();
    writer.abandon();
    expect(store.read(oid)).toBeDefined();
  });

  it('throws and leaves no pack when its index cannot be written', () => {
    const writer = store.writer({ mayReuse: false });
    for (const content of many(60)) writer.blob(Buffer.from(content));
    const [temporary = ''] = readdirSync(packFolder());
    writeFileSync(join(packFolder(), temporary.replace('tmp_pack_', 'tmp_idx_')), 'in the way');
    expect(() => writer.finish()).toThrow(/EEXIST/);
    writer.abandon();
    expect(readdirSync(packFolder())).toEqual([]);
  });
});

describe('what git writes', () => {
  it('is read from its files', () => {
    const text = 'text '.repeat(5000);
    const blob = gitWith(text, 'hash-object', '-w', '--stdin');
    const tree = gitWith(`100644 blob ${blob}\tfile\n`, 'mktree');
    expect(store.read(blob)?.bytes.toString()).toBe(text);
    expect(store.sizeOf(blob)).toBe(text.length);
    expect(store.read(tree)).toMatchObject({ kind: 'tree' });
    expect(store.has(tree)).toBe(true);
  });

  it.each([
    [['repack', '-a', '-d', '-f', '-q', '--depth=50', '--window=50']],
    [['-c', 'repack.useDeltaBaseOffset=false', 'repack', '-a', '-d', '-f', '-q']],
    [['gc', '-q', '--prune=now', '--aggressive']],
  ])('is read from the pack that %j makes, deltas and all', (command) => {
    const lines = Array.from(
      { length: 400 },
      (_, index) => `line ${String(index)} of a file that changes little\n`,
    );
    const texts = Array.from({ length: 70 }, (_, index) =>
      lines.with(index * 5, `changed ${String(index)}\n`).join(''),
    );
    const writer = store.writer({ mayReuse: false });
    const blobs = texts.map((text) => writer.blob(Buffer.from(text)));
    const tree = writer.tree(blobs.map((oid, index) => ({ name: `f${String(index)}`, mode: 0o100644, oid })));
    const commit = writer.commit({ tree, message: 'm', at: 0 });
    writer.finish();
    new RefStore(folder).create('a/1', commit);
    git(...command);

    const reader = ObjectStore.open(folder);
    for (const each of [store, reader]) {
      for (const [index, oid] of blobs.entries()) {
        expect(each.read(oid)?.bytes.toString()).toBe(texts[index]);
        expect(each.sizeOf(oid)).toBe(texts[index]?.length);
      }
      expect(each.read(commit)?.kind).toBe('commit');
    }
    expect(git('verify-pack', '-v', reader.packs()[0]?.indexPath ?? '')).toMatch(/chain length/);
    expect(statSync(reader.packs()[0]?.path ?? '').size).toBeLessThan(60_000);
    expect([...reader.leftovers()]).toEqual([]);
    reader.close();
  });
});

describe('ObjectStore.read', () => {
  it('gives any objects back, from files and packs', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 70 }),
        fc.boolean(),
        fc.boolean(),
        (contents, alwaysPack, compress) => {
          const oids = write(contents, { alwaysPack, compress });
          for (const [index, oid] of oids.entries()) {
            expect(store.read(oid)?.bytes.equals(contents[index] ?? new Uint8Array(1))).toBe(true);
            expect(store.sizeOf(oid)).toBe(contents[index]?.length);
            expect(store.has(oid)).toBe(true);
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it('finds nothing where nothing is', () => {
    const missing = ObjectStore.open(join(folder, 'elsewhere'));
    for (const each of [store, missing]) {
      expect(each.read('ab'.repeat(20))).toBeUndefined();
      expect(each.sizeOf('ab'.repeat(20))).toBeUndefined();
      expect(each.has('ab'.repeat(20))).toBe(false);
      expect(each.packs()).toEqual([]);
      expect([...each.looseObjects()]).toEqual([]);
      expect([...each.leftovers()]).toEqual([]);
    }
    expect(existsSync(missing.folder)).toBe(false);
  });

  it('finds what another process has packed since, and what it has unpacked', () => {
    const [oid = ''] = write(many(60));
    expect(store.read(oid)).toBeDefined();
    const other = ObjectStore.open(folder);
    const [old] = other.packs();
    const writer = other.writer({ mayReuse: false, alwaysPack: true, compress: true });
    for (const id of other.oidsOfPack(old?.name ?? '')) writer.blob(other.read(id)?.bytes ?? Buffer.alloc(0));
    writer.finish();
    other.removePack(old?.name ?? '');
    store.close();
    expect(store.read(oid)?.bytes.toString()).toBe('blob 0\n');
    const [second] = other.packs();
    other.writer({ mayReuse: false }).abandon();
    const loose = other.writer({ mayReuse: false });
    loose.blob(Buffer.from('blob 0\n'));
    loose.finish();
    other.removePack(second?.name ?? '');
    store.close();
    expect(store.read(oid)?.bytes.toString()).toBe('blob 0\n');
    expect(store.has(hashObject('blob', Buffer.from('blob 1\n')))).toBe(false);
  });

  it.each([
    ['empty', () => Buffer.alloc(0)],
    ['cut short', (whole: Buffer) => whole.subarray(0, whole.length - 3)],
    ['no zlib stream', () => Buffer.from('not an object')],
    ['another object', () => deflateSync('blob 5\0other')],
    ['an object of a kind that is not known', () => deflateSync('tag 5\0other')],
    ['longer than it says', () => deflateSync('blob 4\0other')],
    ['shorter than it says', () => deflateSync('blob 6\0other')],
    ['without a size', () => deflateSync('blob \0other')],
    ['said to be huge', () => deflateSync('blob 99999999999999\0other')],
    ['said to hold more than it can', () => deflateSync('blob 2000000000\0other')],
  ])('says which file is damaged when it is %s', (_, damage) => {
    const [oid = ''] = write(['the content of a file']);
    writeFileSync(loosePath(oid), damage(readFileSync(loosePath(oid))));
    const error = (() => {
      try {
        return store.read(oid);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(CorruptObjectError);
    expect(error).toMatchObject({ oid, path: loosePath(oid), code: 'ERR_HERMA_CORRUPT_OBJECT' });
    write(['the content of a file']);
    expect(store.read(oid)?.bytes.toString()).toBe('the content of a file');
  });

  it('says that a pack is damaged wherever a byte of it is changed, or finds the content all the same', () => {
    const contents = many(60).map((text) => text.repeat(5));
    const oids = write(contents, { compress: true });
    const [pack] = store.packs();
    const whole = readFileSync(pack?.path ?? '');
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] ?? 0) ^ change;
        writeFileSync(pack?.path ?? '', changed);
        const reader = ObjectStore.open(folder);
        for (const [index, oid] of oids.entries()) {
          try {
            expect(reader.read(oid)?.bytes.toString()).toBe(contents[index]);
          } catch (error) {
            expect(error).toBeInstanceOf(CorruptObjectError);
            expect(error).toMatchObject({ path: pack?.path });
          }
        }
        reader.close();
      }),
      { numRuns: 100 },
    );
  });

  it('takes another copy when one is damaged', () => {
    const [oid = ''] = write(many(60));
    const [pack] = store.packs();
    truncateSync(pack?.path ?? '', 100);
    const reader = ObjectStore.open(folder);
    expect(() => reader.read(oid)).toThrow(CorruptObjectError);
    write(['blob 0\n']);
    expect(reader.read(oid)?.bytes.toString()).toBe('blob 0\n');
    truncateSync(loosePath(oid), 3);
    expect(() => reader.read(oid)).toThrow(CorruptObjectError);
  });

  it('does not say that an object is missing while the index of a pack is damaged', () => {
    const [oid = ''] = write(many(60));
    const [loose = ''] = write(['loose']);
    const [pack] = store.packs();
    truncateSync(pack?.indexPath ?? '', 1200);
    const reader = ObjectStore.open(folder);
    expect(() => reader.read(oid)).toThrow(pack?.indexPath);
    expect(reader.read(loose)?.bytes.toString()).toBe('loose');
    expect(reader.has(oid)).toBe(false);
    expect(reader.packs()).toMatchObject([{ name: pack?.name, objects: undefined }]);
    expect(() => reader.oidsOfPack(pack?.name ?? '')).toThrow(CorruptObjectError);
    expect(reader.removePack(pack?.name ?? '')).toBe(true);
    expect(reader.read(oid)).toBeUndefined();
  });

  it('does not follow deltas in a circle, nor out of the pack', () => {
    const [oid = ''] = write(['abcdefgh'], { alwaysPack: true });
    const [pack] = store.packs();
    const whole = readFileSync(pack?.path ?? '');
    // The entry becomes a delta that is made from the object itself, then one from before the pack.
    for (const [type, base] of [
      [7, Buffer.from(oid, 'hex')],
      [6, Buffer.of(0)],
      [6, Buffer.of(127)],
      [5, Buffer.alloc(0)],
    ] as const) {
      const changed = Buffer.from(whole);
      changed[12] = (type << 4) | 8;
      changed.set(base, 13);
      writeFileSync(pack?.path ?? '', changed);
      const reader = ObjectStore.open(folder);
      expect(() => reader.read(oid)).toThrow(CorruptObjectError);
      reader.close();
    }
  });

  it('holds no more files open than it says', () => {
    const oids = Array.from(
      { length: 40 },
      (_, index) => write([`pack ${String(index)}`], { alwaysPack: true })[0] ?? '',
    );
    for (const oid of [...oids, ...oids]) expect(store.read(oid)).toBeDefined();
    expect(store.packs()).toHaveLength(40);
    const open = readdirSync('/proc/self/fd').length;
    store.close();
    expect(open - readdirSync('/proc/self/fd').length).toBe(32);
    expect(store.read(oids[0] ?? '')).toBeDefined();
  });
});

describe('processes', () => {
  const moduleUrl = new URL('object-store.ts', import.meta.url).href;

  function run(code: string): ReturnType<typeof spawn> {
    const source = `import { ObjectStore } from ${JSON.stringify(moduleUrl)};\n${code}`;
    return spawn(process.execPath, ['--input-type=module', '-e', source, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  it('that are killed in the middle of a pack leave only temporary files, and are not in the way', async () => {
    const [oid = ''] = write(['before']);
    const child = run(`
      const writer = ObjectStore.open(process.argv[1]).writer({ mayReuse: true });
      for (let index = 0; ; index += 1) writer.blob(Buffer.from('endless ' + index.toString().repeat(5000)));
    `);
    await vi.waitUntil(
      () => readdirSync(packFolder()).some((name) => statSync(join(packFolder(), name)).size > 1_000_000),
      { timeout: 20_000 },
    );
    child.kill('SIGKILL');
    await once(child, 'exit');

    const [temporary = '', ...more] = readdirSync(packFolder());
    expect(temporary).toMatch(/^tmp_pack_/);
    expect(more).toEqual([]);
    expect([...store.leftovers()]).toMatchObject([{ path: join(packFolder(), temporary) }]);
    expect(store.packs()).toEqual([]);
    expect(store.read(oid)?.bytes.toString()).toBe('before');
    write(many(60));
    expect(store.packs()).toHaveLength(1);
    expect(fsck()).toBe('');
  });

  it.each([
    ['a pack', 70],
    ['a file', 3],
  ])('that cannot write %s leave nothing behind, and nothing damaged', (_, count) => {
    const code = `
      import { ObjectStore } from ${JSON.stringify(moduleUrl)};
      const writer = ObjectStore.open(process.argv[1]).writer({ mayReuse: true });
      try {
        for (let index = 0; index < ${String(count)}; index += 1) writer.blob(Buffer.alloc(200_000, index));
        writer.finish();
      } catch (error) {
        process.stdout.write(error.code);
        writer.abandon();
      }
    `;
    // No file may have more than 64 blocks; the signal that says so is ignored, so that write(2) fails.
    const script = 'trap "" XFSZ; ulimit -f 64; exec "$0" --input-type=module -e "$1" "$2"';
    const environment = { ...process.env, NODE_COMPILE_CACHE: undefined };
    const args = ['-c', script, process.execPath, code, folder];
    expect(execFileSync('bash', args, { encoding: 'utf8', env: environment })).toBe('EFBIG');
    expect([...store.leftovers()]).toEqual([]);
    expect(store.packs()).toEqual([]);
    for (const { oid } of store.looseObjects()) expect(store.read(oid)).toBeDefined();
  });

  it('find every object while another one packs them anew again and again', async () => {
    const oids = write(many(60));
    const child = run(`
      const store = ObjectStore.open(process.argv[1]);
      for (let round = 0; round < 100; round += 1) {
        const old = store.packs();
        const writer = store.writer({ mayReuse: false, alwaysPack: true, compress: true });
        for (const { name } of old) for (const oid of store.oidsOfPack(name)) writer.blob(store.read(oid).bytes);
        writer.finish();
        for (const { name } of old) store.removePack(name);
      }
    `);
    const gone = once(child, 'exit');
    let reads = 0;
    while (child.exitCode === null) {
      for (const oid of oids) {
        // Closed each time, so that nothing is read from a pack that has no name any more.
        store.close();
        expect(store.read(oid)).toBeDefined();
        expect(store.has(oid)).toBe(true);
        reads += 1;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await gone)[0]).toBe(0);
    expect(reads).toBeGreaterThan(0);
  });

  it('that make the store and write the same objects at once do not disturb each other', async () => {
    rmSync(folder, { recursive: true });
    const children = Array.from({ length: 4 }, () =>
      run(`
        const store = ObjectStore.create(process.argv[1]);
        for (let round = 0; round < 20; round += 1) {
          const few = store.writer({ mayReuse: true });
          for (let index = 0; index < 10; index += 1) few.blob(Buffer.from('few ' + round + ' ' + index));
          few.finish();
          const lots = store.writer({ mayReuse: false });
          for (let index = 0; index < 60; index += 1) lots.blob(Buffer.from('lots ' + round + ' ' + index));
          lots.finish();
        }
      `),
    );
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0] as unknown));
    expect(codes).toEqual([0, 0, 0, 0]);
    expect([...store.looseObjects()]).toHaveLength(200);
    expect(store.packs()).toHaveLength(80);
    expect([...store.leftovers()]).toEqual([]);
    for (let index = 0; index < 60; index += 1)
      expect(store.read(hashObject('blob', Buffer.from(`lots 19 ${String(index)}`)))).toBeDefined();
    expect(fsck()).toBe('');
  });
});

describe('ObjectStore.leftovers', () => {
  it('lists temporary files, halves of packs and locks, and nothing else', () => {
    write(['x']);
    write(many(60));
    const [pack] = store.packs();
    const half = join(packFolder(), `pack-${'ab'.repeat(20)}.pack`);
    writeFileSync(half, 'x');
    const [fanOut = ''] = readdirSync(join(folder, 'objects')).filter((name) => name.length === 2);
    const files = [
      join(packFolder(), 'tmp_idx_1'),
      join(packFolder(), '.tmp-12-pack-1.pack'),
      join(folder, 'objects', fanOut, 'tmp_obj_1'),
      join(folder, 'tmp_ref_1'),
      join(folder, 'packed-refs.lock'),
      join(folder, 'refs', 'herma', 'x.lock'),
    ];
    for (const file of files) writeFileSync(file, 'x');
    const found = [...store.leftovers()];
    expect(found.map(({ path }) => path).toSorted()).toEqual([...files, half].toSorted());
    expect(found.every(({ bytes, mtimeMs }) => bytes === 1 && mtimeMs > 0)).toBe(true);
    unlinkSync(half);
    writeFileSync(half.replace('.pack', '.idx'), 'x');
    expect([...store.leftovers()].map(({ path }) => path)).toContain(half.replace('.pack', '.idx'));
    expect(store.packs()).toHaveLength(1);
    expect(store.read('ab'.repeat(20))).toBeUndefined();
    renameSync(pack?.indexPath ?? '', join(packFolder(), 'gone'));
    expect([...store.leftovers()].map(({ path }) => path)).toContain(pack?.path);
  });
});
