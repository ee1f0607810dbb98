import { describe, expect, it } from 'vitest';
import type { EventPayload } from '../../kernel/events/index.ts';
import { FakeClock } from '../../platform/clock/index.ts';
import { CallbackRegistry } from '../../safety/hooks/index.ts';
import { observeUntilOver } from './observe-until-over.ts';

const signal = new AbortController().signal;
const payload: EventPayload<'subagent_start'> = {
  parentSessionId: 'p',
  parentTurnId: 't',
  childSessionId: 'c',
  childRole: 'leaf',
  childGoal: 'look around',
};

describe('observeUntilOver', () => {
  it('makes the payload only for those who listen', async () => {
    const clock = new FakeClock();
    const callbacks = new CallbackRegistry(clock);
    let made = 0;
    const make = (): typeof payload => {
      made += 1;
      return payload;
    };
    await observeUntilOver({ callbacks, clock, signal }, 'subagent_start', make);
    expect(made).toBe(0);
    const seen: unknown[] = [];
    callbacks.register('subagent_start', { name: 'a' }, (told) => seen.push(told));
    await observeUntilOver({ callbacks, clock, signal }, 'subagent_start', make);
    expect([made, seen]).toEqual([1, [payload]]);
  });
});
