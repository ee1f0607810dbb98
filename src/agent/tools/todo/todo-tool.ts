import type { Tool } from '../../../gate/index.ts';
import { getOwn, getString, isJsonObject, type JsonObject } from '../../../kernel/json/index.ts';
import { flagArgument } from '../arguments.ts';
import { defineTool } from '../define-tool.ts';
import { failed, succeeded } from '../outcomes.ts';
import { SerialQueue } from '../serial-queue.ts';
import {
  isTodoStatus,
  mergeTodos,
  newTodoList,
  TODO_STATUSES,
  type TodoChange,
  type TodoItem,
  type TodoStatus,
} from './todo-list.ts';

/** Where the list of a session is kept. */
export interface TodoPorts {
  readonly load: (sessionId: string) => Promise<readonly TodoItem[]>;
  readonly save: (sessionId: string, list: readonly TodoItem[]) => Promise<void>;
}

/**
 * `todo`: the agent's plan, kept with its session. Without `todos` it is shown, with them replaced, with `merge` too changed by
 * id: then a known step may leave out what stays. One step is in progress at most. The result is JSON:
 * `{todos: [{id, content, status}], summary: {total, pending, in_progress, completed, cancelled}}`.
 */
export function createTodoTool(ports: TodoPorts): Tool {
  const queue = new SerialQueue();
  return defineTool(
    {
      name: 'todo',
      description:
        'Keep the plan of a longer task: a list of steps, one of them in progress at most. Without todos it shows the list; with merge it changes steps by id instead of replacing the list.',
      parameters: {
        type: 'object',
        properties: {
          todos: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                id: { type: 'string' },
                content: { type: 'string' },
                status: { type: 'string', enum: TODO_STATUSES },
              },
              required: ['id'],
            },
          },
          merge: { type: 'boolean', description: 'Change steps by id and add new ones; false when absent.' },
        },
      },
      effect: 'none',
      idempotent: true,
      pathArguments: [],
    },
    ({ call: { args, sessionId } }) =>
      queue.run(async () => {
        const current = await ports.load(sessionId);
        const changes = changesOf(args);
        if (changes === undefined) return succeeded(present(current));
        const list = flagArgument(args, 'merge') ? mergeTodos(current, changes) : newTodoList(changes);
        if (!list.ok) return failed(list);
        await ports.save(sessionId, list.value);
        return succeeded(present(list.value));
      }),
  );
}

function changesOf(args: JsonObject): readonly TodoChange[] | undefined {
  const todos = getOwn(args, 'todos');
  return Array.isArray(todos) ? todos.filter(isJsonObject).map(changeOf) : undefined;
}

function changeOf(todo: JsonObject): TodoChange {
  const content = getString(todo, 'content');
  const status = getOwn(todo, 'status');
  return {
    id: getString(todo, 'id') ?? '',
    ...(content === undefined ? {} : { content }),
    ...(isTodoStatus(status) ? { status } : {}),
  };
}

function present(todos: readonly TodoItem[]): string {
  const count = (status: TodoStatus): number => todos.filter((item) => item.status === status).length;
  const summary = {
    total: todos.length,
    pending: count('pending'),
    in_progress: count('in_progress'),
    completed: count('completed'),
    cancelled: count('cancelled'),
  };
  return JSON.stringify({ todos, summary });
}
