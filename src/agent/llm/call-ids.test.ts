import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CallIds } from './call-ids.ts';

const STRICT = /^[\w-]{1,64}$/;

describe('ids of calls as they are sent', () => {
  it('are accepted and used once each, whatever they were', () => {
    const some = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', 'a', 'a_2', 'ä', 'ö', 'x'.repeat(70)),
    );
    fc.assert(
      fc.property(fc.array(fc.uniqueArray(some, { maxLength: 4 }), { maxLength: 12 }), (messages) => {
        const ids = new CallIds(STRICT);
        const sent = messages.flatMap((callIds) => {
          ids.open(callIds);
          return callIds.map((callId) => ids.of(callId));
        });
        expect(new Set(sent).size).toBe(sent.length);
        for (const id of sent) expect(id).toMatch(STRICT);
      }),
    );
  });

  it('are valid Unicode also where everything is accepted', () => {
    const ids = new CallIds(/^.{1,256}$/s);
    ids.open(['a\uD800', 'b\u00e4']);
    expect([ids.of('a\uD800'), ids.of('b\u00e4')]).toEqual(['a_', 'b\u00e4']);
  });

  it('are found at once, however many were alike', () => {
    const ids = new CallIds(STRICT);
    const sent = new Set<string>();
    for (let index = 0; index < 100_000; index += 1) {
      const callId = `${'\u20ac'.repeat(70)}${String(index)}`;
      ids.open([callId]);
      sent.add(ids.of(callId));
    }
    expect(sent.size).toBe(100_000);
  });
});
