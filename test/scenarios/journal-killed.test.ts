import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type FakeCall, type FakeReply, type ReceivedRequest, textOf } from '../support/fake-openai.ts';
import {
  type Death,
  disablePlugins,
  enablePlugin,
  journalRows,
  KILLER,
  reportsIn,
  verdictOf,
} from '../support/journal.ts';
import { Scene } from '../support/scene.ts';

const CALLS: Readonly<Record<Death['tool'], FakeCall>> = {
  write_file: { id: 'w', name: 'write_file', args: { path: 'made', content: 'once\n' } },
  terminal: { id: 't', name: 'terminal', args: { command: 'mkdir made' } },
  delegate_task: { id: 'd', name: 'delegate_task', args: { goal: 'GOAL: think of what was made' } },
};

/** The model makes the call when it is told to, and only talks otherwise; a child has nothing to do. */
function replyWith(call: FakeCall): (request: ReceivedRequest) => FakeReply {
  return (request) => {
    const last = request.messages.at(-1);
    if (last?.role !== 'user') return { text: 'Done.' };
    if (!isOfParent(request)) return { text: 'The child has thought.' };
    return textOf(last).includes('make it') ? { calls: [call] } : { text: 'I have read it.' };
  };
}

function isOfParent({ messages }: ReceivedRequest): boolean {
  return messages.some((message) => textOf(message).includes('make it'));
}

describe.concurrent('an agent that is killed beside a call', () => {
  it.each<[Death['tool'], Death['at'], string, RegExp]>([
    ['write_file', 'before the effect', 'NOT_LANDED', /made/],
    ['write_file', 'before it is settled', 'LANDED', /made/],
    ['terminal', 'before the effect', 'NOT_LANDED', /made/],
    ['terminal', 'before it is settled', 'LANDED', /exit code 0/],
    ['delegate_task', 'before the effect', 'NOT_LANDED', /no child was started/],
    ['delegate_task', 'before it is settled', 'LANDED', /the child has finished/],
  ])('of %s, %s, tells its model %s, once, and repeats nothing', async (tool, at, verdict, evidence) => {
    await using scene = await Scene.create({ replies: replyWith(CALLS[tool]) });
    enablePlugin(scene, { name: 'killer', module: KILLER, config: { tool, at } });
    expect((await scene.ask('make it')).signal).toBe('SIGKILL');
    expect(journalRows(scene)).toMatchObject([{ tool_name: tool, status: 'PENDING', effect: 'unknown' }]);
    const madeBefore = existsSync(scene.path('made'));
    expect(madeBefore).toBe(tool !== 'delegate_task' && at !== 'before the effect');

    disablePlugins(scene);
    const resumed = await scene.ask('go on', ['--continue']);
    expect([resumed.code, resumed.stdout]).toEqual([0, 'I have read it.\n']);
    const [row, ...others] = journalRows(scene);
    expect([row?.status, row?.report_count, others]).toEqual(['GHOST_REPORTED', 1, []]);
    if (row === undefined) return;
    expect(verdictOf(row)).toEqual([verdict, expect.stringMatching(evidence)]);
    expect(row.effect).toBe(verdict === 'LANDED' ? 'applied' : 'not_applied');
    const told = scene.server.requests.filter(isOfParent).at(-1);
    expect(told?.messages.at(-1)?.role).toBe('user');
    const [report = '', ...more] = told === undefined ? [] : reportsIn(told);
    expect(more).toEqual([]);
    expect(report).toContain(`call #${String(row.id)} \``);
    expect(report).toMatch(new RegExp(`\\(${verdict}: `));
    expect(report).toContain('do not simply repeat');
    expect(existsSync(scene.path('made'))).toBe(madeBefore);

    // It stands in the history from now on, and is not told again.
    await scene.ask('and?', ['--continue']);
    const last = scene.server.requests.at(-1);
    expect(last === undefined ? [] : reportsIn(last)).toEqual([report]);
    expect(journalRows(scene)).toHaveLength(1);
    expect(leftOvers(scene)).toEqual([]);
  });

  it('of a child tells the model of its parent what the child was doing, and how far it got', async () => {
    await using scene = await Scene.create({
      replies: (request) => {
        const last = request.messages.at(-1);
        if (isOfParent(request)) return replyWith(CALLS.delegate_task)(request);
        return last?.role === 'user' ? { calls: [CALLS.terminal] } : { text: 'Made.' };
      },
    });
    const death: Death = { tool: 'terminal', at: 'before it is settled' };
    enablePlugin(scene, { name: 'killer', module: KILLER, config: death });
    expect((await scene.ask('make it')).signal).toBe('SIGKILL');
    disablePlugins(scene);
    await scene.ask('go on', ['--continue']);
    const [delegated, made, ...others] = journalRows(scene);
    expect(others).toEqual([]);
    expect(delegated === undefined ? [] : verdictOf(delegated)).toEqual([
      'PARTIAL',
      expect.stringContaining('did not finish'),
    ]);
    expect(made === undefined ? [] : verdictOf(made)).toEqual(['LANDED', 'it ended with exit code 0']);
    const last = scene.server.requests.at(-1);
    const [report = '', ...more] = last === undefined ? [] : reportsIn(last);
    expect(more).toEqual([]);
    expect(report).toContain('2 calls were issued');
    expect(report).toMatch(/mkdir made.*LANDED/);
    expect(report).toMatch(/delegate_task.*PARTIAL/);
  });

  it.each<[Death['tool']]>([['write_file'], ['terminal'], ['delegate_task']])(
    'of %s, after it was settled, has a row that says so, and nothing to tell',
    async (tool) => {
      await using scene = await Scene.create({ replies: replyWith(CALLS[tool]) });
      enablePlugin(scene, { name: 'killer', module: KILLER, config: { tool, at: 'after it was settled' } });
      expect((await scene.ask('make it')).signal).toBe('SIGKILL');
      disablePlugins(scene);
      const { code, stderr } = await scene.ask('go on', ['--continue']);
      expect(code).toBe(0);
      expect(stderr).not.toContain('herma ledger ghosts');
      expect(journalRows(scene)).toMatchObject([{ tool_name: tool, status: 'CONFIRMED', effect: 'applied' }]);
      const last = scene.server.requests.at(-1);
      expect(last === undefined ? [] : reportsIn(last)).toEqual([]);
    },
  );
});

/** What a write that was cut off leaves beside its target is a temporary file at most, which no other run takes for the file. */
function leftOvers(scene: Scene): readonly string[] {
  return readdirSync(scene.project).filter((name) => name !== 'made' && !/^\.herma-.*\.tmp$/.test(name));
}
