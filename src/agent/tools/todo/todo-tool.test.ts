import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CallReport } from '../../../gate/index.ts';
import type { JsonObject } from '../../../kernel/json/index.ts';
import { callTool } from '../tool-bench.ts';
import { mergeTodos, newTodoList, TODO_STATUSES, type TodoItem } from './todo-list.ts';
import { createTodoTool } from './todo-tool.ts';

let lists: Map<string, readonly TodoItem[]>;

beforeEach(() => {
  lists = new Map();
});

function todo(args: JsonObject): Promise<CallReport> {
  const tool = createTodoTool({
    load: (sessionId) => Promise.resolve(lists.get(sessionId) ?? []),
    save: (sessionId, list) => {
      lists.set(sessionId, list);
      return Promise.resolve();
    },
  });
  return callTool(tool, args, { cwd: '/' });
}

const step = (id: string, status = 'pending', content = `do ${id}`): JsonObject => ({ id, content, status });

describe('todo', () => {
  it('keeps the list with the session and shows it', async () => {
    expect(JSON.parse((await todo({})).text)).toEqual({
      todos: [],
      summary: { total: 0, pending: 0, in_progress: 0, completed: 0, cancelled: 0 },
    });
    await todo({ todos: [step('1', 'completed'), step('2', 'in_progress'), step('3')] });
    expect(lists.get('session-1')?.map(({ id }) => id)).toEqual(['1', '2', '3']);
    expect(JSON.parse((await todo({})).text)).toMatchObject({
      todos: [{ id: '1', content: 'do 1', status: 'completed' }, { id: '2' }, { id: '3' }],
      summary: { total: 3, pending: 1, in_progress: 1, completed: 1, cancelled: 0 },
    });
  });

  it('replaces the list, or changes it by id', async () => {
    await todo({ todos: [step('a'), step('b')] });
    await todo({ todos: [{ id: 'a', status: 'completed' }, step('c')], merge: true });
    expect(lists.get('session-1')).toEqual([
      { id: 'a', content: 'do a', status: 'completed' },
      { id: 'b', content: 'do b', status: 'pending' },
      { id: 'c', content: 'do c', status: 'pending' },
    ]);
    await todo({ todos: [step('z')] });
    expect(lists.get('session-1')).toEqual([{ id: 'z', content: 'do z', status: 'pending' }]);
    await todo({ todos: [] });
    expect(lists.get('session-1')).toEqual([]);
  });

  it.each([
    [
      { todos: [step('1', 'in_progress'), step('2', 'in_progress')] },
      'Steps "1" and "2" are in progress at once.',
    ],
    [{ todos: [step('1'), step('1')] }, 'Two steps have the id "1".'],
    [{ todos: [step(' ')] }, 'A step has an empty id.'],
    [{ todos: [{ id: '1', status: 'pending' }] }, 'Step "1" has no content.'],
    [{ todos: [{ id: '1', content: 'x' }] }, 'Step "1" has no status.'],
    [{ todos: [{ id: '9', status: 'completed' }], merge: true }, 'Step "9" has no content.'],
    [
      { todos: Array.from({ length: 201 }, (_, index) => step(String(index))) },
      'The list has 201 steps; it holds 200.',
    ],
    [{ todos: [step('1', 'done')] }, 'status'],
    [{ todos: 'x' }, 'args.todos must be array'],
  ])('refuses a list that makes no sense and keeps the old one', async (args, message) => {
    await todo({ todos: [step('old')] });
    expect(await todo(args)).toMatchObject({ status: 'error', text: expect.stringContaining(message) });
    expect(lists.get('session-1')?.map(({ id }) => id)).toEqual(['old']);
  });

  it('loses none of the changes that are made side by side', async () => {
    const tool = createTodoTool({
      load: async () => {
        await Promise.resolve();
        return lists.get('x') ?? [];
      },
      save: async (_, list) => {
        await Promise.resolve();
        lists.set('x', list);
      },
    });
    const ids = Array.from({ length: 10 }, (_, index) => String(index));
    await Promise.all(ids.map((id) => callTool(tool, { todos: [step(id)], merge: true }, { cwd: '/' })));
    expect(lists.get('x')?.map(({ id }) => id)).toEqual(ids);
  });
});

describe('mergeTodos', () => {
  const item = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', '__proto__', 'constructor'),
    content: fc.constantFrom('x', 'y'),
    status: fc.constantFrom(...TODO_STATUSES),
  });
  const list = fc.uniqueArray(item, { selector: ({ id }) => id, maxLength: 5 });

  it('keeps ids unique, at most one step in progress, and known steps in their place', () => {
    fc.assert(
      fc.property(list, list, (before, changes) => {
        const start = newTodoList(before);
        fc.pre(start.ok);
        const merged = mergeTodos(start.value, changes);
        if (!merged.ok) {
          expect(merged.message).toContain('in progress at once');
          return;
        }
        const ids = merged.value.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.slice(0, before.length)).toEqual(before.map(({ id }) => id));
        expect(merged.value.filter(({ status }) => status === 'in_progress').length).toBeLessThan(2);
        for (const change of changes) expect(merged.value).toContainEqual(change);
      }),
    );
  });
});
