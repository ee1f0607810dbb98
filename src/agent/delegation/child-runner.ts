import type { Tool } from '../../gate/index.ts';
import { HermaError, messageOf, valueOrThrow } from '../../kernel/errors/index.ts';
import type { EventPayload } from '../../kernel/events/index.ts';
import { describeCall, type ToolCall } from '../../kernel/tool-call/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import type { CallbackRegistry } from '../../safety/hooks/index.ts';
import { type AgentParts, Conversation, runTurn, type TurnEvent, type TurnResult } from '../loop/index.ts';
import type { AcquiredSession, SessionStore } from '../sessions/index.ts';
import { createToolBox, type ToolBox } from '../tools/index.ts';
import { type ChildReport, STATUS_OF_END, summaryOf } from './child-report.ts';
import type { ChildRole, ChildTask } from './child-task.ts';
import type { DelegateTaskPorts, DelegatingRun } from './delegate-task-tool.ts';
import { observeUntilOver } from './observe-until-over.ts';
import { toolCallHistory } from './tool-call-history.ts';

/** A child that is about to run. */
export interface Child {
  readonly task: ChildTask;
  /** What it may do: a child that asked to be an orchestrator where nobody may delegate is a leaf. */
  readonly role: ChildRole;
  /** 1 for a child of the person's own agent. */
  readonly depth: number;
  readonly conversation: Conversation;
  /** The call that delegates. */
  readonly parentCall: ToolCall;
}

export interface ChildRunnerParts {
  readonly store: SessionStore;
  readonly callbacks: CallbackRegistry;
  readonly clock: Clock;
  /** The model that sessions of children are listed with. */
  readonly model?: string;
  /**
   * Makes this process the only writer of a child's session while the child runs, see `acquireSession`; a child whose
   * session is held does not run. When absent, nobody is kept out.
   */
  readonly hold?: (sessionId: string) => Promise<AcquiredSession>;
  /**
   * What a child runs with. Of the tools it gets all but those that are not for children, and its gate is restricted to
   * them; where it begins is up to the call that delegates.
   */
  readonly agentFor: (child: Child) => AgentParts | Promise<AgentParts>;
}

export interface ChildRunnerOptions extends ChildRunnerParts {
  /** Depth of the children. */
  readonly depth: number;
  /** The `delegate_task` of children that are orchestrators; undefined where they may not delegate. */
  readonly delegateTask: () => Tool | undefined;
}

/** Tools that no child has: nobody answers its questions, and delegating is given to it or not. */
const NOT_FOR_CHILDREN = ['clarify', 'delegate_task'];
const MAX_TITLE_CHARS = 80;

/**
 * Runs children: each in a session of its own, for one turn, with its task as the person's message.
 *
 * `subagent_start` is fired before a child runs, `subagent_stop` after it has ended; the latter for one child at a time,
 * in the order in which they end, and before the report is given back.
 */
export function createChildRunner(options: ChildRunnerOptions): DelegateTaskPorts['runChild'] {
  const { store, clock, model, depth } = options;
  let stops: Promise<unknown> = Promise.resolve();
  return async (task, run) => {
    const delegateTask = task.role === 'orchestrator' ? options.delegateTask() : undefined;
    const started = Conversation.start(store, {
      source: 'subagent',
      cwd: run.call.cwd,
      title: task.goal.slice(0, MAX_TITLE_CHARS).toWellFormed(),
      parentSessionId: run.call.sessionId,
      ...(model === undefined ? {} : { model }),
    });
    if (!started.ok) return notRun('', new HermaError(started));
    const role = delegateTask === undefined ? 'leaf' : 'orchestrator';
    const child: Child = { task, role, depth, conversation: started.value, parentCall: run.call };
    const sessionId = child.conversation.sessionId;
    const startedMs = clock.monotonicMs();
    await tellStart(child, run, options);
    const ended = await runToEnd(child, { run, delegateTask, options });
    const report = ended instanceof Error ? brokenOff(child, ended) : reportOf(sessionId, ended);
    const durationMs = Math.round(clock.monotonicMs() - startedMs);
    const told = stops.then(async () =>
      tellStop(child, { run, options, report, durationMs, calls: ended instanceof Error ? [] : ended.calls }),
    );
    stops = told.catch(() => undefined);
    await told;
    return report;
  };
}

interface RunParts {
  readonly run: DelegatingRun;
  readonly delegateTask: Tool | undefined;
  readonly options: ChildRunnerOptions;
}

/** Runs the turn of a child and ends its session. What keeps it from running, or going on, is returned as an error. */
async function runToEnd(child: Child, parts: RunParts): Promise<TurnResult | Error> {
  const { sessionId } = child.conversation;
  try {
    const lock = await parts.options.hold?.(sessionId);
    if (lock?.ok === false) return new HermaError(lock);
    try {
      return await runHeld(child, parts);
    } finally {
      await lock?.value.release();
    }
  } catch (error) {
    return error instanceof Error ? error : new Error(messageOf(error));
  }
}

async function runHeld(child: Child, { run, delegateTask, options }: RunParts): Promise<TurnResult> {
  const { conversation, task } = child;
  const agent = await options.agentFor(child);
  const toolBox = childToolBox(agent.toolBox, delegateTask);
  const result = await runTurn(
    { ...agent, toolBox, gate: agent.gate.restrictedTo(toolBox), cwd: run.call.cwd },
    {
      conversation,
      text: task.context === undefined ? task.goal : `${task.goal}\n\n${task.context}`,
      signal: run.signal,
      onEvent: (event) => showProgress(event, run),
    },
  );
  const ended = options.store.end(conversation.sessionId, STATUS_OF_END[result.end]);
  if (!ended.ok) run.onProgress(ended.message);
  return result;
}

function childToolBox(all: ToolBox, delegateTask: Tool | undefined): ToolBox {
  const allowed = all.without(NOT_FOR_CHILDREN);
  if (delegateTask === undefined) return allowed;
  const tools = allowed.names().flatMap((name) => allowed.lookup(name) ?? []);
  return valueOrThrow(createToolBox([...tools, delegateTask]));
}

function showProgress(event: TurnEvent, { onProgress }: DelegatingRun): void {
  if (event.type === 'call-started') onProgress(describeCall(event.call));
  if (event.type === 'warning') onProgress(event.text);
}

function reportOf(sessionId: string, result: TurnResult): ChildReport {
  return {
    sessionId,
    status: STATUS_OF_END[result.end],
    summary: summaryOf(result),
    toolCalls: result.calls.length,
  };
}

/** A child that could not be run, or whose work could not be stored any more: that one must not pass for the other. */
function brokenOff({ conversation }: Child, error: Error): ChildReport {
  const { rootSessionId: sessionId, messages } = conversation;
  if (messages.length === 0) return notRun(sessionId, error);
  const summary = `[The child broke off: ${reasonOf(error)} What it did so far stands.]`;
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
  return { sessionId, status: 'failed', summary, toolCalls: calls.length };
}

function notRun(sessionId: string, error: Error): ChildReport {
  const summary = `[The child could not be run: ${reasonOf(error)}]`;
  return { sessionId, status: 'error', summary, toolCalls: 0 };
}

function reasonOf(error: Error): string {
  const remedy = HermaError.isInstance(error) ? error.remedy : undefined;
  return [error.message, remedy ?? ''].join(' ').trim();
}

/** The fields both events of a child have in common. */
function fieldsOf({ role, conversation, parentCall }: Child): {
  readonly parentSessionId: string;
  readonly parentTurnId: string;
  readonly childSessionId: string;
  readonly childRole: ChildRole;
} {
  return {
    parentSessionId: parentCall.sessionId,
    parentTurnId: parentCall.turnId,
    childSessionId: conversation.rootSessionId,
    childRole: role,
  };
}

async function tellStart(child: Child, run: DelegatingRun, parts: ChildRunnerParts): Promise<void> {
  const payload = (): EventPayload<'subagent_start'> => ({
    ...fieldsOf(child),
    childGoal: child.task.goal,
  });
  const warnings = await observeUntilOver({ ...parts, signal: run.signal }, 'subagent_start', payload);
  for (const warning of warnings) run.onProgress(warning);
}

interface Stop {
  readonly run: DelegatingRun;
  readonly options: ChildRunnerParts;
  readonly report: ChildReport;
  readonly durationMs: number;
  readonly calls: TurnResult['calls'];
}

async function tellStop(child: Child, { run, options, report, durationMs, calls }: Stop): Promise<void> {
  const payload = (): EventPayload<'subagent_stop'> => ({
    ...fieldsOf(child),
    childSummary: report.summary,
    childStatus: report.status,
    toolCallHistory: toolCallHistory(calls),
    durationMs,
  });
  const warnings = await observeUntilOver({ ...options, signal: run.signal }, 'subagent_stop', payload);
  for (const warning of warnings) run.onProgress(warning);
}
