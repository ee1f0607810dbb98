import { messageOf } from '../kernel/errors/index.ts';
import type { JsonValue } from '../kernel/json/index.ts';
import type { ToolCall, ToolDeclaration } from '../kernel/tool-call/index.ts';
import type { Clock } from '../platform/clock/index.ts';
import type { CallRequest } from './call-request.ts';
import { capResult, capText } from './cap-result.ts';
import { despiteInterrupt } from './despite-interrupt.ts';
import type { Admission, Gate } from './gate.ts';
import { endedCall } from './observers.ts';
import { tamperWarnings } from './self-protection/self-protection.ts';
import type { Ticket } from './ticket.ts';
import { isOutcome, type ToolOutcome } from './tool-outcome.ts';

/** What a running tool has at hand besides the call on its ticket. */
export interface ToolRun {
  readonly signal: AbortSignal;
  /** For lines worth showing while the tool runs. */
  readonly onProgress: (text: string) => void;
}

/** A tool: what it says of itself, and what it does. It can read its arguments from nowhere but its ticket. */
export interface Tool extends ToolDeclaration {
  /** Expected failures are returned; a throw is a bug and ends the call as an error of type `InternalError`. */
  execute(ticket: Ticket, run: ToolRun): Promise<ToolOutcome>;
}

/** How one call went, from the request to what the model reads. */
export interface CallReport {
  readonly callId: string;
  readonly tool: string;
  /** The arguments the call ran with, or would have. */
  readonly args: JsonValue;
  readonly status: 'ok' | 'error' | 'blocked' | 'cancelled';
  /** Whether the tool was started. */
  readonly executed: boolean;
  /** What the model reads. */
  readonly text: string;
  /** Why it failed or was blocked; empty when it did not. */
  readonly message: string;
  readonly errorType?: string;
  /** Who blocked it. */
  readonly by?: string;
  /** The call, once it was normalised. */
  readonly call?: ToolCall;
  readonly durationMs: number;
  readonly warnings: readonly string[];
}

export interface PerformOptions {
  readonly gate: Gate;
  /** Finds the tool of a call that was admitted. */
  readonly toolOf: (name: string) => Tool | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onProgress?: (text: string) => void;
  /** Told once the call has its ticket, immediately before the tool starts. */
  readonly onStart?: (call: ToolCall) => void;
}

/**
 * Takes one call through the gate, the tool, and the gate again. The only place where a tool runs.
 *
 * Never rejects for what a call, a guard or a tool does; an abort ends as `cancelled`.
 */
export async function performCall(request: CallRequest, options: PerformOptions): Promise<CallReport> {
  const admission = await admit(request, options);
  if (admission === 'cancelled') return notRun(request, 'cancelled', 'The call was cancelled before it ran.');
  switch (admission.type) {
    case 'invalid': {
      const { code, message, remedy } = admission.failure;
      return { ...notRun(request, 'error', [message, remedy].filter(Boolean).join(' ')), errorType: code };
    }
    case 'refused': {
      const { call, by, message, warnings } = admission;
      return {
        ...notRun(request, 'blocked', message),
        args: call.args,
        text: `BLOCKED by ${by}: ${message}`,
        by,
        call,
        warnings,
      };
    }
    case 'asked': {
      const { ticket, by, message, warnings } = admission;
      const reason = `${message}, and the question went to another agent`;
      const ended = await options.gate.withdraw(ticket, { by, message: reason });
      return {
        ...notRun(request, 'blocked', reason),
        args: ticket.call.args,
        text: `BLOCKED by ${by}: ${reason}`,
        by,
        call: ticket.call,
        warnings: [...warnings, ...ended],
      };
    }
    case 'admitted':
      return run(admission.ticket, admission.warnings, options);
  }
}

async function admit(
  request: CallRequest,
  { gate, signal }: PerformOptions,
): Promise<Admission | 'cancelled'> {
  try {
    return await gate.before(request, signal);
  } catch (error) {
    if (signal.aborted) return 'cancelled';
    throw error;
  }
}

async function run(
  ticket: Ticket,
  warnings: readonly string[],
  options: PerformOptions,
): Promise<CallReport> {
  const { gate, clock, toolOf } = options;
  const { call } = ticket;
  const tool = toolOf(call.tool);
  const startedAt = clock.monotonicMs();
  const told: string[] = [...warnings];
  const outcome = tool === undefined ? noTool(call) : await executeTool(tool, ticket, { ...options, told });
  const durationMs = Math.round(clock.monotonicMs() - startedAt);
  const ended = {
    ...endedCall(call, capResult(outcome), durationMs),
    checkpoint: ticket.checkpoint,
    entry: ticket.entry,
  };
  const settlement = await despiteInterrupt(clock, options.signal, async (signal) =>
    gate.after(ended, signal),
  );
  return {
    callId: call.callId,
    tool: call.tool,
    args: call.args,
    status: outcome.status,
    executed: tool !== undefined,
    text: capText(settlement.text),
    message: settlement.errorMessage,
    ...(outcome.status === 'error' ? { errorType: outcome.errorType } : {}),
    call,
    durationMs,
    warnings: [...told, ...settlement.warnings],
  };
}

/** @param told gets what a person should know of the run. */
async function executeTool(
  tool: Tool,
  ticket: Ticket,
  { gate, signal, onStart, onProgress = () => undefined, told }: PerformOptions & { readonly told: string[] },
): Promise<ToolOutcome> {
  onStart?.(ticket.call);
  ticket.redeem();
  try {
    const outcome = await watched(gate, ticket, told, async () =>
      tool.execute(ticket, { signal, onProgress }),
    );
    if (isOutcome(outcome)) return outcome;
    throw new Error('it ended without an outcome; its effect is unknown');
  } catch (error) {
    if (signal.aborted)
      return { status: 'cancelled', message: 'The call was cancelled while it ran; its effect is unknown.' };
    return {
      status: 'error',
      errorType: 'InternalError',
      message: `${tool.name} failed: ${messageOf(error)}`,
    };
  }
}

/** Runs the work while somebody looks after the files that guard the person. What cannot be looked after does not run. */
async function watched<Value>(
  { protection }: Gate,
  { call }: Ticket,
  told: string[],
  work: () => Promise<Value>,
): Promise<Value> {
  const window = protection?.before(call);
  try {
    return await work();
  } finally {
    if (protection !== undefined && window !== undefined)
      told.push(...window.warnings, ...tamperWarnings(await protection.after(window)));
  }
}

function noTool({ tool }: ToolCall): ToolOutcome {
  return { status: 'error', errorType: 'unknown_tool', message: `There is no tool "${tool}".` };
}

function notRun(
  request: CallRequest,
  status: 'error' | 'blocked' | 'cancelled',
  message: string,
): CallReport {
  const { callId, tool, args } = request;
  return { callId, tool, args, status, executed: false, text: message, message, durationMs: 0, warnings: [] };
}
