import type { TurnEvent, TurnResult } from '../../../agent/loop/index.ts';
import type { OpenSession, Runtime } from '../../../app/index.ts';
import type { Result } from '../../../kernel/errors/index.ts';
import { describeCall, printable } from '../../../kernel/tool-call/index.ts';

export interface OneShotOptions {
  readonly runtime: Runtime;
  readonly session: OpenSession;
  readonly text: string;
  readonly signal: AbortSignal;
  /** For everything but the answer: one line each. */
  readonly note: (line: string) => void;
}

/** Runs one turn for a pipe or a script: notes what happens, and leaves the answer to the caller. */
export async function runOneShot({
  runtime,
  session,
  text,
  signal,
  note,
}: OneShotOptions): Promise<Result<TurnResult>> {
  const { conversation } = session;
  return await runtime.runTurn({ conversation, text, signal, onEvent: (event) => noteEvent(event, note) });
}

/** The document of `chat -q --json`. */
export function oneShotDocument(result: TurnResult, sessionId: string): object {
  return {
    session_id: sessionId,
    final: result.final,
    end: result.end,
    turns: result.requests,
    capped: result.capped,
    tool_calls: result.calls.map(({ callId, tool, status }) => ({ call_id: callId, tool, status })),
    usage: { input_tokens: result.usage.inputTokens, output_tokens: result.usage.outputTokens },
    ...(result.failure === undefined
      ? {}
      : { error: { code: result.failure.code, message: result.failure.message } }),
  };
}

function noteEvent(event: TurnEvent, note: (line: string) => void): void {
  switch (event.type) {
    case 'message-completed':
      if (!event.final && event.text !== '') note(event.text);
      break;
    case 'call-finished': {
      const { report } = event;
      const what = report.call === undefined ? report.tool : describeCall(report.call);
      const why =
        report.status === 'ok' ? '' : ` (${report.status}: ${printable(report.message).slice(0, 200)})`;
      note(`${report.status === 'ok' ? '✓' : '✗'} ${what}${why}`);
      break;
    }
    case 'retrying':
      note(`${event.failure.message} Trying again in ${(event.delayMs / 1000).toFixed(1)} s.`);
      break;
    case 'compressed':
      note(`History condensed: ${String(event.before)} messages became ${String(event.after)}.`);
      break;
    case 'verified':
      note(`${event.passed ? '✓' : '✗'} ${event.command}`);
      break;
    case 'warning':
      note(event.text);
      break;
    case 'request-started':
    case 'text-delta':
    case 'restarted':
    case 'call-started':
    case 'call-progress':
    case 'verifying':
      break;
  }
}
