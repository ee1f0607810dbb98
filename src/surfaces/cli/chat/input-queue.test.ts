import { describe, expect, it } from 'vitest';
import { InputQueue } from './input-queue.ts';

const text = (written: string) => ({ type: 'text', text: written }) as const;
const never = new AbortController().signal;

describe('the input queue', () => {
  it('gives messages in the order they were typed, also those typed ahead', async () => {
    const queue = new InputQueue();
    queue.push(text('one'));
    queue.push(text('two'));
    expect([await queue.next(), await queue.next()]).toEqual([text('one'), text('two')]);
    const later = queue.next();
    queue.push(text('three'));
    expect(await later).toEqual(text('three'));
  });

  it('answers a question only with what is typed after it was asked', async () => {
    const queue = new InputQueue();
    queue.push(text('yes'));
    const answer = queue.answer(never);
    queue.push(text('no'));
    expect(await answer).toEqual(text('no'));
    expect(await queue.next()).toEqual(text('yes'));
  });

  it('gives what is typed to the question, not to the reader who waited before', async () => {
    const queue = new InputQueue();
    const message = queue.next();
    const answer = queue.answer(never);
    queue.push(text('to the question'));
    queue.push(text('to the reader'));
    expect([await answer, await message]).toEqual([text('to the question'), text('to the reader')]);
  });

  it('withdraws a question that is aborted; what is typed then is a message', async () => {
    const queue = new InputQueue();
    const controller = new AbortController();
    const answer = queue.answer(controller.signal);
    controller.abort(new Error('too late'));
    await expect(answer).rejects.toThrow('too late');
    queue.push(text('hello'));
    expect(await queue.next()).toEqual(text('hello'));
    await expect(queue.answer(controller.signal)).rejects.toThrow('too late');
  });

  it('tells everybody who waits that the input has ended, once what was typed is read', async () => {
    const queue = new InputQueue();
    queue.push(text('last words'));
    const answer = queue.answer(never);
    queue.end();
    queue.push(text('too late'));
    expect(await answer).toEqual({ type: 'leave' });
    expect(await queue.next()).toEqual(text('last words'));
    expect([await queue.next(), await queue.answer(never)]).toEqual([{ type: 'leave' }, { type: 'leave' }]);
  });

  it('gives back what was typed ahead', async () => {
    const queue = new InputQueue();
    queue.push(text('one'));
    queue.push({ type: 'leave' });
    queue.push(text('two'));
    expect(queue.withdraw()).toEqual(['one', 'two']);
    expect(queue.withdraw()).toEqual([]);
  });
});
