import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../platform/clock/index.ts';
import { CollectingStream } from '../fake-host.ts';
import { createOutput } from '../output/output.ts';
import { ProgressNotes } from './progress-notes.ts';

function notesOn(isTty: boolean): {
  notes: ProgressNotes;
  stream: CollectingStream;
  clock: FakeClock;
} {
  const stream = new CollectingStream(isTty);
  const clock = new FakeClock();
  return {
    notes: new ProgressNotes(
      createOutput(stream, () => undefined),
      clock,
    ),
    stream,
    clock,
  };
}

describe('notes with progress', () => {
  it('are only the notes where no person looks', async () => {
    const { notes, stream, clock } = notesOn(false);
    notes.busy('thinking');
    await clock.advance(1000);
    notes.note('a line');
    notes.close();
    expect(stream.text).toBe('a line\n');
  });

  it('move below the notes, and are gone in the end', async () => {
    const { notes, stream, clock } = notesOn(true);
    notes.busy('thinking');
    await clock.advance(100);
    expect(stream.text).toMatch(/thinking$/);
    notes.note('a line');
    expect(stream.text).toMatch(/\r\u001b\[Ka line\n$/);
    await clock.advance(100);
    notes.close();
    expect(stream.text).toMatch(/\r\u001b\[K$/);
    const { length } = stream.text;
    await clock.advance(1000);
    notes.close();
    expect(stream.text).toHaveLength(length);
  });

  it('stand still while a question waits, whatever comes meanwhile', async () => {
    const { notes, stream, clock } = notesOn(true);
    notes.busy('thinking');
    const question = Promise.withResolvers<string>();
    const answered = notes.quietly(async () => question.promise);
    await clock.advance(1000);
    notes.busy('working');
    await clock.advance(1000);
    expect(stream.text).toBe('');
    question.resolve('yes');
    expect(await answered).toBe('yes');
    await clock.advance(100);
    expect(stream.text).toContain('working');
    notes.close();
  });

  it('move again after a question that was withdrawn', async () => {
    const { notes, stream, clock } = notesOn(true);
    notes.busy('thinking');
    await expect(notes.quietly(() => Promise.reject(new Error('withdrawn')))).rejects.toThrow('withdrawn');
    await clock.advance(100);
    expect(stream.text).toContain('thinking');
    notes.close();
  });
});
