import { type CallReport, performCall } from '../../gate/index.ts';
import type { RequestedCall } from '../sessions/index.ts';
import { runAtMost } from './run-at-most.ts';
import type { TurnContext } from './turn-context.ts';

/** Characters of unreadable arguments that the model is shown. */
const MAX_SHOWN_ARGUMENTS = 200;
/** Calls of one message that run at the same time, however many a model asks for. */
const MAX_AT_ONCE = 16;

/** The tool calls of one turn: each takes the gate, and its result is stored as soon as it is there. */
export class TurnCalls {
  readonly #context: TurnContext;
  readonly #onReport: (report: CallReport) => void;
  readonly #callIds = new Set<string>(['']);
  readonly #reports = new Map<number, CallReport>();
  #ordinal = 0;

  /** @param onReport told of every call the model asked for, when it has ended and is stored. */
  constructor(context: TurnContext, onReport: (report: CallReport) => void) {
    this.#context = context;
    this.#onReport = onReport;
  }

  /** How the calls of the model went, in the order it asked for them. */
  reports(): readonly CallReport[] {
    return [...this.#reports].sort(([a], [b]) => a - b).map(([, report]) => report);
  }

  /**
   * Stores the assistant's message, then runs its calls side by side, at most 16 at once. Resolves when all of them have
   * ended.
   *
   * Rejects with a `HermaError` when something could not be stored: without having started any call when it was the
   * message, after those that ran have ended when it was a result.
   */
  async run(text: string, requested: readonly RequestedCall[]): Promise<void> {
    const { conversation } = this.#context.options;
    const calls = requested.map((call) => ({ ...call, callId: this.#claimId(call.callId) }));
    const firstOrdinal = this.#ordinal;
    this.#ordinal += calls.length;
    conversation.append({ role: 'assistant', text, calls }, this.#context.turnId);
    this.#context.emit({ type: 'message-completed', text, final: false });
    await runAtMost(
      MAX_AT_ONCE,
      calls.map((call, index) => async () => this.#runAndStore(call, firstOrdinal + index)),
    );
  }

  /** A command of the runtime's own, taken through the gate like any other; it is no part of the conversation. */
  async runCommand(name: string, command: string): Promise<CallReport> {
    const ordinal = this.#ordinal;
    this.#ordinal += 1;
    const call = { callId: this.#claimId(name), tool: 'terminal', args: { command } };
    const report = await this.#perform(call, ordinal, false);
    this.#context.warn(report.warnings);
    return report;
  }

  async #runAndStore(call: RequestedCall, ordinal: number): Promise<void> {
    const report = await this.#perform(call, ordinal, true);
    const { callId, tool } = call;
    const { text, status } = report;
    this.#context.options.conversation.append(
      { role: 'tool', callId, tool, text, status },
      this.#context.turnId,
    );
    this.#reports.set(ordinal, report);
    this.#onReport(report);
    this.#context.emit({ type: 'call-finished', report });
    this.#context.warn(report.warnings);
  }

  async #perform(call: RequestedCall, ordinal: number, isShown: boolean): Promise<CallReport> {
    const context = this.#context;
    const { gate, toolBox, clock, cwd, surface } = context.parts;
    const { callId, tool, args } = call;
    if (args === null) return unreadableCall(call);
    if (context.isInterrupted) return interruptedCall(call);
    return performCall(
      { ...context.callIds(callId, ordinal), tool, args, cwd, origin: { kind: 'herma', surface } },
      {
        gate,
        clock,
        signal: context.options.signal,
        toolOf: (name) => toolBox.lookup(name),
        ...(isShown && {
          onStart: (started) => context.emit({ type: 'call-started', call: started }),
          onProgress: (progress) => context.emit({ type: 'call-progress', callId, text: progress }),
        }),
      },
    );
  }

  /** The id the provider gave, or a new one where it gave none or the turn has it already. */
  #claimId(wanted: string): string {
    const callId = this.#callIds.has(wanted) ? this.#context.parts.newId('call') : wanted;
    this.#callIds.add(callId);
    return callId;
  }
}

/** A call whose arguments are no JSON object: it cannot run, and the model is shown what arrived. */
function unreadableCall(call: RequestedCall): CallReport {
  const { tool, rawArgs = '' } = call;
  const shown = JSON.stringify(rawArgs.slice(0, MAX_SHOWN_ARGUMENTS).toWellFormed());
  const message = `The arguments of ${tool} are not a JSON object: ${shown}. Call it again with valid JSON.`;
  return { ...notRun(call, 'error', message), errorType: 'bad_arguments' };
}

function interruptedCall(call: RequestedCall): CallReport {
  return notRun(call, 'cancelled', 'The turn was interrupted before this call ran.');
}

function notRun(
  { callId, tool, args }: RequestedCall,
  status: 'error' | 'cancelled',
  message: string,
): CallReport {
  return { callId, tool, args, status, executed: false, text: message, message, durationMs: 0, warnings: [] };
}
