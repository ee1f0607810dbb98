import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { currentProcessIdentity, isAlive } from '../../../platform/process/index.ts';
import type { StoredObject } from '../objects/object-store.ts';
import { encodeChanges } from './record-codec.ts';
import { type CloseDraft, type OpenDraft, RecordStore } from './record-store.ts';

const H16 = '0123456789abcdef';
const self = currentProcessIdentity();
let folder: string;
let blobs: Map<string, StoredObject>;

const storeOf = (): RecordStore =>
  new RecordStore({
    folder,
    h16: H16,
    processes: { self, isAlive },
    objects: { read: (oid) => blobs.get(oid) },
  });

function draft(reason = 'before write_file'): OpenDraft {
  return {
    type: 'open',
    id: 'a'.repeat(40),
    at: 1,
    kind: 'call',
    reason,
    process: self,
    named: [{ path: 'caf\udce9/x', state: { kind: 'absent' } }],
    isPrivate: [],
    bytes: 3,
  };
}

const closing = (opens: number): CloseDraft => ({
  type: 'close',
  opens,
  at: 2,
  named: [],
  changes: [],
  isLate: false,
  bytes: 0,
});

const pathOf = (seq: number): string =>
  join(folder, 'journals', H16, `${String(seq).padStart(10, '0')}.json`);

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'journal-')));
  blobs = new Map();
});

describe('RecordStore', () => {
  it('is empty where there is no store', () => {
    const store = storeOf();
    expect([store.records(), store.reservations(), store.damaged(), store.record(1)]).toEqual([
      [],
      [],
      [],
      undefined,
    ]);
  });

  it('numbers records from 1, in order, for every reader', () => {
    const [one, other] = [storeOf(), storeOf()];
    expect([one.append(draft('a')), other.append(draft('b')), one.append(closing(1))]).toEqual([1, 2, 3]);
    expect(storeOf().records()).toEqual([
      { ...draft('a'), seq: 1 },
      { ...draft('b'), seq: 2 },
      { ...closing(1), seq: 3 },
    ]);
    expect(other.records()).toEqual(one.records());
    expect(one.record(2)).toEqual({ ...draft('b'), seq: 2 });
    expect(one.isClosed(1)).toBe(true);
    expect(one.isClosed(2)).toBe(false);
  });

  it('shows a reservation until it is completed, to everyone', () => {
    const [one, other] = [storeOf(), storeOf()];
    const seq = one.reserve(7);
    expect(other.reservations()).toEqual([{ seq, process: self, at: 7 }]);
    expect(other.records()).toEqual([]);
    expect(other.append(draft())).toBe(2);
    one.complete(seq, draft('late'));
    expect(other.records().map((record) => record.seq)).toEqual([1, 2]);
    expect(other.reservations()).toEqual([]);
  });

  it('gives no number out again that was cancelled or removed', () => {
    const store = storeOf();
    store.cancel(store.reserve(1));
    expect(storeOf().append(draft())).toBe(2);
    store.remove([2]);
    expect(storeOf().append(draft())).toBe(3);
    store.remove([99]);
    expect(store.append(draft())).toBe(4);
    expect(store.records().map((record) => record.seq)).toEqual([3, 4]);
  });

  it('keeps order when others have written and removed a great deal meanwhile', () => {
    const [one, other] = [storeOf(), storeOf()];
    one.append(draft());
    for (let count = 0; count < 30; count += 1) other.append(draft());
    other.remove([1, 2, 3, 20, 21]);
    expect(one.append(draft())).toBe(32);
  });

  it('makes files that nobody else can read, and leaves no drafts', () => {
    storeOf().append(draft());
    expect(readdirSync(join(folder, 'journals', H16)).toSorted()).toEqual(['0000000001.json', 'numbers']);
    expect(statSync(pathOf(1)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['is empty', ''],
    ['is cut short', '{"version":1,'],
    ['is a list', '[]'],
    ['has another number', undefined],
  ])('leaves out a file that %s, and says so', (_, text) => {
    const store = storeOf();
    store.append(draft());
    store.append(draft());
    const sound = readFileSync(pathOf(1), 'utf8');
    writeFileSync(pathOf(1), text ?? sound.replace('"seq":1', '"seq":8'));
    const reader = storeOf();
    expect(reader.records().map((record) => record.seq)).toEqual([2]);
    expect(reader.record(1)).toBeUndefined();
    expect(reader.damaged()).toMatchObject([{ path: pathOf(1) }]);
    expect(existsSync(pathOf(1))).toBe(true);
    expect(reader.append(draft())).toBe(3);
    reader.remove([1]);
    expect(reader.damaged()).toEqual([]);
  });

  it('takes a byte-order mark', () => {
    storeOf().append(draft());
    writeFileSync(pathOf(1), `\uFEFF${readFileSync(pathOf(1), 'utf8')}`);
    expect(storeOf().records()).toHaveLength(1);
  });

  it('reads changes from the blob they are kept in, and is damaged without it', () => {
    const oid = 'b'.repeat(40);
    const changes = [
      { path: 'a', before: { kind: 'absent' }, after: { kind: 'directory', mode: 0o755 } },
    ] as const;
    storeOf().append({ ...closing(1), changes, changesBlob: oid });
    expect(readFileSync(pathOf(1), 'utf8')).not.toContain('directory');
    expect(storeOf().damaged()).toHaveLength(1);
    blobs.set(oid, { kind: 'blob', bytes: encodeChanges(changes) });
    const reader = storeOf();
    expect(reader.records()).toMatchObject([{ changes }]);
    expect(reader.changesBlobs()).toEqual(new Map([[1, oid]]));
  });

  it('begins anew after the journal was destroyed, also for who has read it', () => {
    const [one, other] = [storeOf(), storeOf()];
    for (let count = 0; count < 12; count += 1) one.append(draft('old'));
    expect(other.records()).toHaveLength(12);
    one.destroy();
    expect(existsSync(join(folder, 'journals', H16))).toBe(false);
    expect(storeOf().append(draft('new'))).toBe(1);
    expect(other.append(draft('new'))).toBe(2);
    expect(one.append(draft('new'))).toBe(3);
    expect(other.records().map((record) => record.type === 'open' && record.reason)).toEqual([
      'new',
      'new',
      'new',
    ]);
  });

  it('goes on when the whole store vanishes between two records', () => {
    const store = storeOf();
    store.append(draft());
    rmSync(join(folder, 'journals'), { recursive: true });
    expect(store.append(draft())).toBe(1);
    expect(store.records()).toHaveLength(1);
  });

  it('throws when the store is a file', () => {
    writeFileSync(join(folder, 'journals'), '');
    expect(() => storeOf().append(draft())).toThrow(/ENOTDIR|EEXIST/);
  });

  it('gives each number once, in order, whatever several writers do', () => {
    const action = fc.record({
      writer: fc.integer({ min: 0, max: 2 }),
      what: fc.constantFrom<'append' | 'reserve' | 'complete' | 'cancel' | 'remove' | 'renew'>(
        'append',
        'reserve',
        'complete',
        'cancel',
        'remove',
        'renew',
      ),
      pick: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        folder = realpathSync(mkdtempSync(join(tmpdir(), 'journal-')));
        const stores = [storeOf(), storeOf(), storeOf()];
        const given: number[] = [];
        const reserved: number[] = [];
        const complete = new Set<number>();
        for (const { writer, what, pick } of actions) {
          const store = stores[writer] ?? storeOf();
          if (what === 'renew') stores[writer] = storeOf();
          if (what === 'append') {
            const seq = store.append(draft());
            given.push(seq);
            complete.add(seq);
          }
          if (what === 'reserve') {
            const seq = store.reserve(1);
            given.push(seq);
            reserved.push(seq);
          }
          const [seq] = reserved.length === 0 ? [] : reserved.splice(pick % reserved.length, 1);
          if (seq !== undefined && what === 'complete') {
            store.complete(seq, draft());
            complete.add(seq);
          } else if (seq !== undefined && what === 'cancel') store.cancel(seq);
          else if (seq !== undefined) reserved.push(seq);
          if (what === 'remove') {
            const victims = [...complete].filter((each) => (each * 7 + pick) % 3 === 0);
            store.remove(victims);
            for (const victim of victims) complete.delete(victim);
          }
          const sorted = [...complete].toSorted((one, other) => one - other);
          expect(store.records().map((record) => record.seq)).toEqual(sorted);
        }
        expect(given).toEqual([...new Set(given)].toSorted((one, other) => one - other));
      }),
      { numRuns: 60 },
    );
  });

  it('gives each number once to processes that write and remove at once', async () => {
    const program = `
      const [storeUrl, processUrl, folder, h16] = process.argv.slice(1);
      const { RecordStore } = await import(storeUrl);
      const { currentProcessIdentity, isAlive } = await import(processUrl);
      const self = currentProcessIdentity();
      const store = new RecordStore({ folder, h16, processes: { self, isAlive }, objects: { read: () => undefined } });
      const draft = { type: 'open', id: 'a'.repeat(40), at: 1, kind: 'call', reason: String(process.pid), process: self, named: [], isPrivate: [], bytes: 0 };
      const seqs = [];
      for (let count = 0; count < 150; count += 1) {
        seqs.push(store.append(draft));
        if (count % 10 === 9) store.remove(seqs.slice(-5, -2));
        if (count % 10 === 5) store.cancel(store.reserve(1));
      }
      console.log(JSON.stringify(seqs));
    `;
    const urls = ['./record-store.ts', '../../../platform/process/index.ts'].map(
      (path) => new URL(path, import.meta.url).href,
    );
    const outputs = await Promise.all(
      [1, 2, 3].map(async () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', program, ...urls, folder, H16], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        let output = '';
        child.stdout.on('data', (chunk: Buffer) => {
          output += chunk.toString();
        });
        await once(child, 'close');
        return (JSON.parse(output) as number[]).map(Number);
      }),
    );
    for (const seqs of outputs) expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
    const all = outputs.flat();
    expect(new Set(all).size).toBe(450);
    const store = storeOf();
    expect(store.records()).toHaveLength(450 - 3 * 45);
    expect(store.damaged()).toEqual([]);
    expect(store.reservations()).toEqual([]);
    expect(store.append(draft())).toBeGreaterThan(Math.max(...all));
  });
});
