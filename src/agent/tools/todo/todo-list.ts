import { fail, type Result } from '../../../kernel/errors/index.ts';

/** What can be said of a step. */
export const TODO_STATUSES = ['pending', 'in_progress', 'completed', 'cancelled'] as const;

/** See {@link TODO_STATUSES}. */
export type TodoStatus = (typeof TODO_STATUSES)[number];

/** One step of the agent's plan. */
export interface TodoItem {
  readonly id: string;
  readonly content: string;
  readonly status: TodoStatus;
}

/** What the model gave for a step; when merged, what it leaves out stays as it was. */
export interface TodoChange {
  readonly id: string;
  readonly content?: string;
  readonly status?: TodoStatus;
}

const MAX_TODOS = 200;

/** The list that takes the place of another. Every step needs content and status. */
export function newTodoList(changes: readonly TodoChange[]): Result<readonly TodoItem[], 'bad_todos'> {
  return mergeTodos([], changes);
}

/**
 * The list after changes: steps are found by id and keep their place, new ones come after them. Fails, and names the
 * step, when an id comes twice, a new step lacks content or status, more than one step is in progress, or there are
 * more than {@link MAX_TODOS}.
 */
export function mergeTodos(
  list: readonly TodoItem[],
  changes: readonly TodoChange[],
): Result<readonly TodoItem[], 'bad_todos'> {
  const items = new Map(list.map((item) => [item.id, item]));
  const changed = new Set<string>();
  for (const change of changes) {
    const id = change.id.trim();
    if (id === '') return fail('bad_todos', 'A step has an empty id.', 'Give every step an id of its own.');
    if (changed.has(id))
      return fail('bad_todos', `Two steps have the id "${id}".`, 'Give every step an id of its own.');
    changed.add(id);
    const item = merged(id, items.get(id), change);
    if (!item.ok) return item;
    items.set(id, item.value);
  }
  return checked([...items.values()]);
}

function merged(id: string, known: TodoItem | undefined, change: TodoChange): Result<TodoItem, 'bad_todos'> {
  const content = (change.content ?? known?.content ?? '').trim();
  const status = change.status ?? known?.status;
  if (content === '')
    return fail('bad_todos', `Step "${id}" has no content.`, 'Say in content what is to be done.');
  if (status === undefined) {
    return fail('bad_todos', `Step "${id}" has no status.`, `Give it one of ${TODO_STATUSES.join(', ')}.`);
  }
  return { ok: true, value: { id, content, status } };
}

function checked(items: readonly TodoItem[]): Result<readonly TodoItem[], 'bad_todos'> {
  if (items.length > MAX_TODOS) {
    return fail(
      'bad_todos',
      `The list has ${String(items.length)} steps; it holds ${String(MAX_TODOS)}.`,
      'Use fewer, larger steps.',
    );
  }
  const current = items.filter(({ status }) => status === 'in_progress').map(({ id }) => `"${id}"`);
  if (current.length > 1) {
    return fail(
      'bad_todos',
      `Steps ${current.join(' and ')} are in progress at once.`,
      'Leave one of them in progress.',
    );
  }
  return { ok: true, value: items };
}

export function isTodoStatus(value: unknown): value is TodoStatus {
  return TODO_STATUSES.some((status) => status === value);
}
