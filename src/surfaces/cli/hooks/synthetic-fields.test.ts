import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EVENT_NAMES, wireSchema } from '../../../kernel/events/index.ts';
import { validateJson } from '../../../kernel/json/index.ts';
import { syntheticFields, TOOL_EXAMPLES, toolToTry } from './synthetic-fields.ts';

describe('the fields a hook is tried with', () => {
  it.each(EVENT_NAMES)('are valid fields of %s', (event) => {
    expect(validateJson(wireSchema(event), syntheticFields(event), event)).toEqual([]);
  });

  it('are those of Hermes Agent for a call', () => {
    expect(syntheticFields('pre_tool_call')).toMatchObject({
      tool_name: 'terminal',
      args: { command: 'echo hello' },
      session_id: 'test-session',
      task_id: 'test-task',
      tool_call_id: 'test-call',
    });
    expect(syntheticFields('pre_tool_call')).not.toHaveProperty('recheck');
    expect(syntheticFields('subagent_stop')['parent_session_id']).toBe('parent-sess');
  });

  it('know every tool of the pages', () => {
    const page = readFileSync(new URL('../../../../docs/chat.md', import.meta.url), 'utf8');
    const table = page.slice(page.indexOf('| `read_file`'), page.indexOf('| `mcp__…`'));
    const tools = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name);
    expect([...TOOL_EXAMPLES.keys()].toSorted()).toEqual(tools.toSorted());
  });

  it.each([
    [undefined, 'terminal'],
    ['terminal|patch', 'terminal'],
    ['patch', 'patch'],
    ['mcp__git__.*', 'mcp__git__example'],
    ['(', 'terminal'],
    ['[a-b]x', 'terminal'],
  ])('are of a tool that the matcher %j matches: %s', async (matcher, tool) => {
    expect(await toolToTry(matcher)).toBe(tool);
  });
});
