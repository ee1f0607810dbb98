import type { Tool, ToolOutcome } from '../../gate/index.ts';
import { getOwn, getString, isJsonObject, type JsonObject } from '../../kernel/json/index.ts';
import type { ToolCall } from '../../kernel/tool-call/index.ts';

/** Whether a child may delegate in its turn. */
export type ChildRole = 'leaf' | 'orchestrator';

/** One task for one child. */
export interface ChildTask {
  readonly goal: string;
  readonly context?: string;
  readonly role: ChildRole;
}

/** What came of a child. */
export interface ChildReport {
  readonly sessionId: string;
  readonly status: 'completed' | 'failed' | 'interrupted' | 'error';
  /** The child's own words: all that the parent sees of its work. */
  readonly summary: string;
  readonly toolCalls: number;
}

export interface DelegationPorts {
  /** Runs one child to its end. Never rejects for what the child does. */
  readonly runChild: (task: ChildTask, parent: ToolCall, signal: AbortSignal) => Promise<ChildReport>;
  /** Children one call may start; they run side by side. */
  readonly maxChildren: number;
}

/** `delegate_task`: hands one task, or several at once, to children with sessions of their own. */
export function createDelegateTaskTool({ runChild, maxChildren }: DelegationPorts): Tool {
  return {
    name: 'delegate_task',
    description: `Give a task to a child agent with its own session and a smaller set of tools, or up to ${String(maxChildren)} tasks at once. You get back each child's report, nothing else: state in goal and context all it needs to know. A child of role "orchestrator" may delegate further.`,
    parameters: {
      type: 'object',
      properties: {
        goal: { type: 'string', minLength: 1, description: 'What the child is to do.' },
        context: { type: 'string', description: 'What it needs to know.' },
        role: { type: 'string', enum: ['leaf', 'orchestrator'] },
        tasks: {
          type: 'array',
          minItems: 1,
          maxItems: maxChildren,
          description: 'Several tasks at once, instead of goal.',
          items: {
            type: 'object',
            properties: {
              goal: { type: 'string', minLength: 1 },
              context: { type: 'string' },
              role: { type: 'string', enum: ['leaf', 'orchestrator'] },
            },
            required: ['goal'],
            additionalProperties: false,
          },
        },
      },
      additionalProperties: false,
    },
    effect: 'external',
    idempotent: false,
    pathArguments: [],
    execute: async ({ call }, { signal, onProgress }) => {
      const tasks = tasksOf(call.args);
      if (tasks.length === 0) return misused('delegate_task needs "goal" or "tasks".');
      if (getOwn(call.args, 'tasks') !== undefined && getOwn(call.args, 'goal') !== undefined) {
        return misused('delegate_task takes "goal" or "tasks", not both.');
      }
      onProgress(`${String(tasks.length)} ${tasks.length === 1 ? 'child' : 'children'} at work`);
      const reports = await Promise.all(tasks.map(async (task) => runChild(task, call, signal)));
      return outcomeOf(tasks, reports, signal.aborted);
    },
  };
}

function tasksOf(args: JsonObject): readonly ChildTask[] {
  const listed = getOwn(args, 'tasks');
  if (Array.isArray(listed))
    return listed.flatMap((task: unknown) => (isJsonObject(task) ? taskOf(task) : []));
  return taskOf(args);
}

function taskOf(task: JsonObject): readonly ChildTask[] {
  const goal = getString(task, 'goal');
  if (goal === undefined) return [];
  const context = getString(task, 'context');
  const role = getString(task, 'role') === 'orchestrator' ? 'orchestrator' : 'leaf';
  return [context === undefined ? { goal, role } : { goal, context, role }];
}

function outcomeOf(
  tasks: readonly ChildTask[],
  reports: readonly ChildReport[],
  interrupted: boolean,
): ToolOutcome {
  const results = reports.map((report, index) => ({
    goal: tasks[index]?.goal ?? '',
    status: report.status,
    summary: report.summary,
    session_id: report.sessionId,
    tool_calls: report.toolCalls,
  }));
  const result = JSON.stringify({ results });
  if (interrupted)
    return {
      status: 'cancelled',
      message: 'The children were interrupted; what they did so far stands.',
      result,
    };
  const failed = reports.filter(({ status }) => status !== 'completed').length;
  if (failed === reports.length) {
    return { status: 'error', errorType: 'DelegationError', message: 'No child completed its task.', result };
  }
  return { status: 'ok', result };
}

function misused(message: string): ToolOutcome {
  return { status: 'error', errorType: 'bad_arguments', message };
}
