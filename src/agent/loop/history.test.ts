import { describe, expect, it } from 'vitest';
import type { Message } from '../sessions/index.ts';
import { historyOf } from './history.ts';

describe('historyOf', () => {
  const messages: readonly Message[] = [
    { role: 'user', text: 'go', context: 'from a hook' },
    {
      role: 'assistant',
      text: '',
      calls: [{ callId: 'c1', tool: 'terminal', args: { command: 'ls', env: { A: '1' } } }],
    },
    { role: 'tool', callId: 'c1', tool: 'terminal', text: 'done', status: 'ok' },
  ];

  it('has the names that hooks know, and the words of the person alone', () => {
    expect(historyOf(messages)).toEqual([
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c1', name: 'terminal', args: { command: 'ls', env: { A: '1' } } }],
      },
      { role: 'tool', tool_call_id: 'c1', name: 'terminal', content: 'done' },
    ]);
  });

  it('is a copy: what is done to it does not reach the conversation', () => {
    const [, second] = historyOf(messages) as unknown as [
      unknown,
      { tool_calls: { args: { env: { A: string } } }[] },
    ];
    const [call] = second.tool_calls;
    if (call !== undefined) call.args.env.A = 'changed';
    expect(messages[1]).toMatchObject({ calls: [{ args: { env: { A: '1' } } }] });
  });
});
