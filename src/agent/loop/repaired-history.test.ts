import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Message, repairMessages } from '../sessions/index.ts';
import { RepairedHistory } from './repaired-history.ts';

const options = { effectOf: (tool: string) => (tool === 'read' ? 'none' : 'execute') } as const;

const callId = fc.constantFrom('', 'a', 'a_2', 'a_3', 'b', 'call', 'call_2', 'c', 'd', 'e');
const tool = fc.constantFrom('read', 'run');

const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), text: fc.constantFrom('', 'hi') }),
  fc.record({
    role: fc.constant('assistant' as const),
    text: fc.constantFrom('', 'well'),
    calls: fc.array(fc.record({ callId, tool, args: fc.constant({}) }), { maxLength: 3 }),
  }),
  fc.record({
    role: fc.constant('tool' as const),
    callId,
    tool,
    text: fc.constantFrom('x', 'y'),
    status: fc.constantFrom('ok' as const, 'unknown' as const),
  }),
);

const call = (id: string): Message => ({
  role: 'assistant',
  text: '',
  calls: [{ callId: id, tool: 'read', args: {} }],
});
const result = (id: string): Message => ({ role: 'tool', callId: id, tool: 'read', text: id, status: 'ok' });

describe('RepairedHistory', () => {
  it('is what repairing the whole list gives, in whatever steps the list grew', () => {
    fc.assert(
      fc.property(fc.array(fc.array(message, { maxLength: 4 }), { maxLength: 6 }), (steps) => {
        const history = new RepairedHistory();
        const list: Message[] = [];
        for (const step of steps) {
          list.push(...step);
          expect(history.of(list, options)).toEqual(repairMessages(list, options));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('looks only at what was added to a sound list', () => {
    const history = new RepairedHistory();
    const list: Message[] = [{ role: 'user', text: 'go' }, call('c0'), result('c0')];
    history.of(list, options);
    let reads = 0;
    const counted = list.map(
      (each) =>
        new Proxy(each, {
          get: (target, key): unknown => {
            reads += 1;
            return Reflect.get(target, key);
          },
        }),
    );
    for (let index = 1; index < 20; index += 1) {
      counted.push(call(`c${String(index)}`), result(`c${String(index)}`));
      expect(history.of(counted, options).length).toBe(counted.length);
    }
    expect(reads).toBeLessThan(20);
  });

  it('hands out lists that do not change afterwards', () => {
    const history = new RepairedHistory();
    const list: Message[] = [{ role: 'user', text: 'go' }];
    const first = history.of(list, options);
    list.push(call('c'), result('c'));
    history.of(list, options);
    expect(first).toEqual([{ role: 'user', text: 'go' }]);
  });
});
