import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, toJsonValue } from '../../kernel/json/index.ts';
import { EFFECTS } from '../../kernel/tool-call/index.ts';
import { decodeOpenCall, encodeOpenCall, type OpenCall } from './open-call.ts';

const owner = { pid: 7, startTime: '12', bootId: 'b', pidNamespace: 'pid:[1]' };
const text = fc.string({ unit: 'binary' });
const openCalls: fc.Arbitrary<OpenCall> = fc
  .record({
    ticket: text,
    call: fc.record({
      callId: text,
      sessionId: text,
      rootSessionId: text,
      turnId: text,
      ordinal: fc.nat(),
      tool: text,
      args: fc.dictionary(text, fc.jsonValue()).map((args) => {
        const value = toJsonValue(args);
        return isJsonObject(value) ? value : {};
      }),
      effect: fc.constantFrom(...EFFECTS),
      paths: fc.array(text),
      fingerprint: text,
      cwd: text,
      origin: fc.record({ kind: fc.constant('foreign' as const), agent: text }),
    }),
    state: fc.constantFrom('running' as const, 'awaiting_approval' as const),
    openedAt: fc.nat(),
    checkpoint: text,
    entry: text,
    hasOwner: fc.boolean(),
  })
  .map(({ hasOwner, ...call }) => (hasOwner ? { ...call, owner } : call));

describe('the record of an open call', () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(openCalls, (call) => {
        const stored: JsonObject = JSON.parse(JSON.stringify(encodeOpenCall(call)));
        expect(decodeOpenCall(stored)).toEqual(JSON.parse(JSON.stringify(call)));
      }),
    );
  });

  it('is refused when anything is missing from it', () => {
    const [sample] = fc.sample(openCalls, { numRuns: 1, seed: 1 });
    if (sample === undefined) throw new Error('no sample');
    const record = encodeOpenCall({ ...sample, owner });
    expect(decodeOpenCall(record)).toBeDefined();
    for (const path of pathsOf(record))
      expect([path, decodeOpenCall(without(record, path))]).toEqual([path, undefined]);
  });

  it.each([null, [], 'text', {}, { version: 1 }, { version: '1' }])('is not %j', (value) => {
    expect(decodeOpenCall(value)).toBeUndefined();
  });
});

function pathsOf(record: JsonObject): (readonly string[])[] {
  return Object.entries(record).flatMap(([key, value]) => [
    [key],
    ...(isJsonObject(value) && key !== 'tool_input' ? pathsOf(value).map((rest) => [key, ...rest]) : []),
  ]);
}

function without(record: JsonObject, [first = '', ...rest]: readonly string[]): JsonObject {
  const { [first]: value, ...others } = record;
  if (rest.length === 0) return others;
  return { ...others, [first]: isJsonObject(value) ? without(value, rest) : (value ?? null) };
}
