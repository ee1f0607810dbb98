import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type FakeReply, type ReceivedRequest, textOf } from '../support/fake-openai.ts';
import { eventually } from '../support/herma.ts';
import { Scene } from '../support/scene.ts';

const WINDOW = 8000;
const isSummary = ({ tools }: Pick<ReceivedRequest, 'tools'>): boolean => tools.length === 0;

/** Big enough to push a conversation over half of the window by itself. */
const BIG = 'for i in $(seq 2000); do echo "line $i of the output"; done';
const SLOW = 'touch slow-runs; until [ -e go ]; do sleep 0.02; done; echo finally';

describe.concurrent('a turn whose outputs outgrow the context', () => {
  it('is condensed only when the last of its calls has ended, and no call is parted from its result', async () => {
    const calls = [
      { id: 'big', name: 'terminal', args: { command: BIG } },
      { id: 'slow', name: 'terminal', args: { command: SLOW } },
    ];
    const reply = (request: ReceivedRequest): FakeReply => {
      if (isSummary(request)) return { text: 'Earlier they spoke of stones.' };
      const last = request.messages.at(-1);
      if (last?.role === 'user' && textOf(last).includes('run both')) return { calls };
      return { text: last?.role === 'tool' ? 'Both are done.' : 'Stones, yes.' };
    };
    await using scene = await Scene.create({
      config: (baseUrl) =>
        [
          `model: {name: "openai-compatible:gpt-test", base_url: "${baseUrl}", context_window: ${String(WINDOW)}}`,
          'compression: {keep_first: 0, keep_last_turns: 1}',
        ].join('\n'),
      replies: reply,
    });
    await scene.run(['chat', '-q', `tell me of ${'stones '.repeat(800)}`]);
    const herma = scene.start(['chat', '-q', 'run both', '--continue', '--json']);
    await eventually(() => {
      if (scene.read('slow-runs') === undefined || !herma.stderr.includes('✓ terminal: for i in')) {
        throw new Error('the big call has not ended beside the slow one');
      }
    });
    expect(scene.server.requests.filter(isSummary)).toEqual([]);
    writeFileSync(scene.path('go'), '');
    const { code, stdout, stderr } = await herma.exited;
    expect([code, stderr]).toEqual([0, expect.stringContaining('History condensed')]);
    expect(JSON.parse(stdout)).toMatchObject({
      final: 'Both are done.',
      tool_calls: [
        { call_id: 'big', status: 'ok' },
        { call_id: 'slow', status: 'ok' },
      ],
    });
    const summaries = scene.server.requests.filter(isSummary);
    expect(summaries).toHaveLength(1);
    const after = scene.server.requests.at(-1)?.messages ?? [];
    expect(after.map(textOf).join('\n')).toContain('Earlier they spoke of stones.');
    const asked = after.flatMap(({ tool_calls: requested = [] }) => requested.map(({ id }) => id));
    const answered = after.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]));
    expect([asked, answered]).toEqual([
      ['big', 'slow'],
      ['big', 'slow'],
    ]);
    expect(after.map(textOf).join('\n')).toContain('finally');
  });
});
