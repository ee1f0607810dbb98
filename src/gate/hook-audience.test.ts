import { describe, expect, it } from 'vitest';
import { systemClock } from '../platform/clock/index.ts';
import { CallbackRegistry } from '../safety/hooks/index.ts';
import { hookAudience } from './hook-audience.ts';
import type { EndedCall } from './observers.ts';

const signal = new AbortController().signal;

/** Fails the test when a payload is made of it. */
const untouchable: EndedCall = {
  get call(): never {
    throw new Error('a payload was built');
  },
  status: 'ok',
  result: 'done',
  durationMs: 1,
};

describe('hookAudience', () => {
  it('builds no payload when nobody listens', async () => {
    const audience = hookAudience(new CallbackRegistry(systemClock));
    expect(await audience.observe(untouchable, signal)).toEqual([]);
    expect(await audience.transform(untouchable, signal)).toEqual({ text: 'done', warnings: [] });
  });

  it('builds it for those who listen', async () => {
    const callbacks = new CallbackRegistry(systemClock);
    callbacks.register('post_tool_call', { name: 'a' }, () => undefined);
    await expect(hookAudience(callbacks).observe(untouchable, signal)).rejects.toThrow('a payload was built');
  });
});
