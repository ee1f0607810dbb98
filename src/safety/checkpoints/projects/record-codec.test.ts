import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, parseJson } from '../../../kernel/json/index.ts';
import { decodeFileName } from '../../../platform/paths/index.ts';
import type { PathState } from '../model/path-state.ts';
import type { CheckpointRecord, CloseRecord, OpenRecord } from '../model/record.ts';
import { decodeJournalFile, encodeChanges, encodeRecord, encodeReservation } from './record-codec.ts';

const oid = fc.stringMatching(/^[0-9a-f]{40}$/);
const count = fc.nat();
const text = fc.string({ unit: 'binary' });
const part = fc
  .uint8Array({ minLength: 1, maxLength: 12 })
  .map((bytes) => decodeFileName(bytes.filter((byte) => byte !== 0 && byte !== 0x2f)))
  .filter((name) => name !== '' && name !== '.' && name !== '..');
const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const mode = fc.integer({ min: 0, max: 0o7777 });
const at = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }).map((ms) => ms + 0);

const state: fc.Arbitrary<PathState> = fc.oneof(
  fc.constant({ kind: 'absent' } as const),
  fc.record({ kind: fc.constant('file' as const), mode, oid, size: count }),
  fc.record({ kind: fc.constant('link' as const), oid }),
  fc.record({ kind: fc.constant('directory' as const), mode }),
  fc.record({
    kind: fc.constant('hole' as const),
    reason: fc.constantFrom(
      'ignored' as const,
      'too_large' as const,
      'special' as const,
      'unreadable' as const,
      'budget' as const,
      'unstable' as const,
    ),
  }),
);
const entries = fc.array(fc.record({ path, state }), { maxLength: 4 });
const snapshot = fc.record({
  root: oid,
  coverage: fc.constantFrom('whole' as const, 'tracked' as const),
  files: count,
  holes: count,
});
const process = fc.record({ pid: count, startTime: text, bootId: text, pidNamespace: text });

const open: fc.Arbitrary<OpenRecord> = fc.record(
  {
    type: fc.constant('open' as const),
    seq: fc.integer({ min: 1, max: 1e12 }),
    id: oid,
    at,
    kind: fc.constantFrom('call' as const, 'manual' as const, 'rollback' as const),
    reason: text,
    owner: fc.record({ sessionId: text, rootSessionId: text, turnId: text, callId: text }),
    process,
    named: entries,
    isPrivate: fc.array(path, { maxLength: 3 }),
    before: snapshot,
    footprint: fc.record({
      words: fc.array(text),
      isComplete: fc.boolean(),
      isDetached: fc.boolean(),
      cwd: text,
    }),
    tentativeRoot: text,
    bytes: count,
  },
  {
    requiredKeys: ['type', 'seq', 'id', 'at', 'kind', 'reason', 'process', 'named', 'isPrivate', 'bytes'],
  },
);

const close: fc.Arbitrary<CloseRecord> = fc.record(
  {
    type: fc.constant('close' as const),
    seq: fc.integer({ min: 1, max: 1e12 }),
    opens: fc.integer({ min: 1, max: 1e12 }),
    at,
    named: entries,
    after: snapshot,
    changes: fc.array(fc.record({ path, before: state, after: state }), { maxLength: 4 }),
    isLate: fc.boolean(),
    bytes: count,
  },
  { requiredKeys: ['type', 'seq', 'opens', 'at', 'named', 'changes', 'isLate', 'bytes'] },
);

function objectIn(json: string): JsonObject {
  const parsed = parseJson(json);
  if (!parsed.ok || !isJsonObject(parsed.value)) throw new Error(json);
  return parsed.value;
}

const noBlob = (): undefined => undefined;

describe('the codec of records', () => {
  it('gives every record back unchanged', () => {
    fc.assert(
      fc.property(fc.oneof(open, close), (record: CheckpointRecord) => {
        expect(decodeJournalFile(objectIn(encodeRecord(record)), record.seq, noBlob)).toEqual({
          ok: true,
          value: { type: 'record', record },
        });
      }),
      { numRuns: 300 },
    );
  });

  it('gives changes back that are kept in a blob', () => {
    fc.assert(
      fc.property(close, oid, (record, blob) => {
        const json = encodeRecord(record, blob);
        const bytes = encodeChanges(record.changes);
        expect(
          decodeJournalFile(objectIn(json), record.seq, (asked) => (asked === blob ? bytes : undefined)),
        ).toEqual({ ok: true, value: { type: 'record', record, changesBlob: blob } });
        expect(decodeJournalFile(objectIn(json), record.seq, noBlob)).toMatchObject({ ok: false });
        expect(decodeJournalFile(objectIn(json), record.seq, () => Buffer.from('[]'))).toMatchObject({
          ok: false,
        });
      }),
      { numRuns: 50 },
    );
  });

  it('reads a reservation by the number of its file', () => {
    const reservation = {
      seq: 0,
      process: { pid: 7, startTime: '1', bootId: 'b', pidNamespace: 'n' },
      at: 5,
    };
    expect(decodeJournalFile(objectIn(encodeReservation(reservation)), 12, noBlob)).toEqual({
      ok: true,
      value: { type: 'reservation', reservation: { ...reservation, seq: 12 } },
    });
  });

  it('never throws, whatever a member becomes', () => {
    const [record] = fc.sample(fc.oneof(open, close), { numRuns: 1, seed: 1 });
    if (record === undefined) throw new Error('no sample');
    fc.assert(
      fc.property(fc.oneof(open, close), fc.jsonValue(), fc.nat(), (sample, value, index) => {
        const document = objectIn(encodeRecord(sample));
        const keys = Object.keys(document);
        const key = keys[index % keys.length] ?? '';
        const changed = objectIn(JSON.stringify({ ...document, [key]: value }));
        const decoded = decodeJournalFile(changed, sample.seq, noBlob);
        expect(typeof decoded.ok).toBe('boolean');
      }),
      { numRuns: 300 },
    );
  });

  const sound = (): JsonObject =>
    objectIn(
      encodeRecord({
        type: 'open',
        seq: 3,
        id: 'a'.repeat(40),
        at: 1,
        kind: 'call',
        reason: 'r',
        process: { pid: 1, startTime: '', bootId: '', pidNamespace: '' },
        named: [{ path: 'a', state: { kind: 'absent' } }],
        isPrivate: [],
        bytes: 0,
      }),
    );

  it.each([
    ['another version', { version: 2 }],
    ['another type', { type: 'other' }],
    ['another number', { seq: 4 }],
    ['a short id', { id: 'abc' }],
    ['a time that is none', { at: 'now' }],
    ['an unknown kind', { kind: 'constructor' }],
    ['a path above the project', { named: [{ path: '../x', state: { kind: 'absent' } }] }],
    ['a path with .. in it', { named: [{ path: 'a/../../x', state: { kind: 'absent' } }] }],
    ['an absolute path', { named: [{ path: '/etc/passwd', state: { kind: 'absent' } }] }],
    ['an empty path', { named: [{ path: '', state: { kind: 'absent' } }] }],
    ['a path with a NUL', { named: [{ path: 'a\0', state: { kind: 'absent' } }] }],
    ['too many mode bits', { named: [{ path: 'a', state: { kind: 'directory', mode: 0o10000 } }] }],
    ['an unknown state', { named: [{ path: 'a', state: { kind: '__proto__' } }] }],
    ['a negative size', { bytes: -1 }],
    ['a private path outside', { private: ['/x'] }],
    ['an owner that is a text', { owner: 'me' }],
  ])('refuses %s', (_, change) => {
    const value = objectIn(JSON.stringify({ ...sound(), ...change }));
    expect(decodeJournalFile(value, 3, noBlob)).toMatchObject({ ok: false });
    expect(decodeJournalFile(sound(), 3, noBlob)).toMatchObject({ ok: true });
  });
});
