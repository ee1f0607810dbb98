import type { Tool, ToolOutcome } from '../../gate/index.ts';
import { getOwn, getString, isJsonObject, type JsonObject } from '../../kernel/json/index.ts';
import type { ToolCall } from '../../kernel/tool-call/index.ts';
import type { ChildReport } from './child-report.ts';
import type { ChildTask } from './child-task.ts';

/** The call that starts a child, as far as the child is concerned. */
export interface DelegatingRun {
  readonly call: ToolCall;
  /** Interrupts the child. */
  readonly signal: AbortSignal;
  /** For lines about what the child does. */
  readonly onProgress: (text: string) => void;
}

export interface DelegateTaskPorts {
  /** Runs one child to its end. Never rejects for what the child does. */
  readonly runChild: (task: ChildTask, run: DelegatingRun) => Promise<ChildReport>;
  /** Children one call may start; they run side by side. */
  readonly maxChildren: number;
}

const ROLE = {
  type: 'string',
  enum: ['leaf', 'orchestrator'],
  description: 'leaf when absent; an orchestrator may delegate further, where that is allowed.',
} as const;

/** `delegate_task`: hands one task, or several at once, to children with sessions of their own. */
export function createDelegateTaskTool({ runChild, maxChildren }: DelegateTaskPorts): Tool {
  return {
    name: 'delegate_task',
    description: `Give a task to a child agent with its own session and a smaller set of tools, or up to ${String(maxChildren)} tasks at once. You get back each child's report, nothing else, and it sees nothing of this conversation: state in goal and context all it needs to know.`,
    parameters: {
      type: 'object',
      properties: {
        goal: { type: 'string', minLength: 1, description: 'What the child is to do.' },
        context: { type: 'string', description: 'What it needs to know; with tasks, what all of them do.' },
        role: ROLE,
        tasks: {
          type: 'array',
          minItems: 1,
          maxItems: maxChildren,
          description: 'Several tasks at once, instead of goal.',
          items: {
            type: 'object',
            properties: { goal: { type: 'string', minLength: 1 }, context: { type: 'string' }, role: ROLE },
            required: ['goal'],
            additionalProperties: false,
          },
        },
      },
      additionalProperties: false,
    },
    effect: 'external',
    actsThroughGate: true,
    idempotent: false,
    pathArguments: [],
    execute: async ({ call }, { signal, onProgress }) => {
      const tasks = tasksOf(call.args);
      if (typeof tasks === 'string') return { status: 'error', errorType: 'bad_arguments', message: tasks };
      const settled = await Promise.allSettled(
        tasks.map(async (task, index) => {
          const prefix = tasks.length === 1 ? '' : `child ${String(index + 1)}: `;
          return runChild(task, { call, signal, onProgress: (text) => onProgress(`${prefix}${text}`) });
        }),
      );
      const reports = settled.map((outcome) => {
        if (outcome.status === 'rejected') throw outcome.reason;
        return outcome.value;
      });
      return outcomeOf(tasks, reports, signal.aborted);
    },
  };
}

/** The tasks of a call, or what is wrong with it. */
function tasksOf(args: JsonObject): readonly ChildTask[] | string {
  const listed = getOwn(args, 'tasks');
  const hasGoal = getOwn(args, 'goal') !== undefined;
  if (listed === undefined && !hasGoal) return 'delegate_task needs "goal", or "tasks" with a goal each.';
  if (listed !== undefined && hasGoal) return 'delegate_task takes "goal" or "tasks", not both.';
  const given = Array.isArray(listed) ? listed.filter(isJsonObject) : [args];
  const tasks = given.map((task) => taskOf(task, args));
  const blank = tasks.findIndex(({ goal }) => goal === '');
  if (blank !== -1) return `The goal of task ${String(blank + 1)} is blank; say what the child is to do.`;
  return tasks;
}

/** What a task does not say itself holds for all tasks of the call. */
function taskOf(task: JsonObject, all: JsonObject): ChildTask {
  const goal = (getString(task, 'goal') ?? '').trim();
  const context = getString(task, 'context') ?? getString(all, 'context');
  const role = getString(task, 'role') ?? getString(all, 'role');
  return {
    goal,
    role: role === 'orchestrator' ? 'orchestrator' : 'leaf',
    ...(context === undefined ? {} : { context }),
  };
}

function outcomeOf(
  tasks: readonly ChildTask[],
  reports: readonly ChildReport[],
  isInterrupted: boolean,
): ToolOutcome {
  const results = reports.map((report, index) => ({
    goal: tasks[index]?.goal ?? '',
    status: report.status,
    summary: report.summary,
    session_id: report.sessionId,
    tool_calls: report.toolCalls,
  }));
  const result = JSON.stringify({ results });
  const count = (status: ChildReport['status']): number =>
    reports.filter((report) => report.status === status).length;
  if (isInterrupted && count('interrupted') > 0) {
    const message = 'The children were interrupted; what they did so far stands.';
    return { status: 'cancelled', message, result };
  }
  if (count('completed') > 0) return { status: 'ok', result };
  return { status: 'error', errorType: 'DelegationError', message: 'No child completed its task.', result };
}
