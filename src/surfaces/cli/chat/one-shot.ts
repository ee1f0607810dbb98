import type { TurnEvent, TurnResult } from '../../../agent/loop/index.ts';
import type { OpenSession, Runtime } from '../../../app/index.ts';
import type { Result } from '../../../kernel/errors/index.ts';
import { describeCall, printable } from '../../../kernel/tool-call/index.ts';
import { screenText } from './screen-text.ts';

export interface OneShotOptions {
  readonly runtime: Runtime;
  readonly session: OpenSession;
  readonly text: string;
  readonly signal: AbortSignal;
  /** For everything but the answer: one line each, safe to show. */
  readonly note: (line: string) => void;
  /** What is being waited for. */
  readonly busy: (what: string) => void;
}

/** Runs one turn for a pipe or a script: notes what happens, and leaves the answer to the caller. */
export async function runOneShot({
  runtime,
  session,
  note,
  busy,
  ...turn
}: OneShotOptions): Promise<Result<TurnResult>> {
  const { conversation } = session;
  const onEvent = (event: TurnEvent): void => {
    const waitsFor = waitOf(event);
    if (waitsFor !== undefined) busy(waitsFor);
    const line = noteOf(event);
    if (line !== undefined) note(screenText(line));
  };
  return runtime.runTurn({ conversation, ...turn, onEvent });
}

/** The document of `chat -q --json`. */
export function oneShotDocument(result: TurnResult, sessionId: string): object {
  const { failure } = result;
  return {
    session_id: sessionId,
    final: result.final,
    end: result.end,
    turns: result.requests,
    capped: result.capped,
    tool_calls: result.calls.map(({ callId, tool, status }) => ({ call_id: callId, tool, status })),
    usage: { input_tokens: result.usage.inputTokens, output_tokens: result.usage.outputTokens },
    ...(failure === undefined
      ? {}
      : { error: { code: failure.code, message: failure.message, remedy: failure.remedy ?? null } }),
  };
}

function waitOf(event: TurnEvent): string | undefined {
  if (event.type === 'request-started') return 'thinking';
  if (event.type === 'call-started') return describeCall(event.call, 60);
  return event.type === 'verifying' ? `verifying: ${event.command}` : undefined;
}

function noteOf(event: TurnEvent): string | undefined {
  switch (event.type) {
    case 'message-completed':
      return event.final || event.text === '' ? undefined : event.text;
    case 'call-finished': {
      const { report } = event;
      const what = describeCall(report.call ?? { tool: report.tool, args: {} });
      const why =
        report.status === 'ok' ? '' : ` (${report.status}: ${printable(report.message).slice(0, 200)})`;
      return `${report.status === 'ok' ? '✓' : '✗'} ${what}${why}`;
    }
    case 'retrying':
      return `${event.failure.message} Trying again in ${(event.delayMs / 1000).toFixed(1)} s.`;
    case 'compressed':
      return `History condensed: ${String(event.before)} messages became ${String(event.after)}.`;
    case 'verified':
      return `${event.passed ? '✓' : '✗'} ${event.command}`;
    case 'warning':
      return event.text;
    case 'request-started':
    case 'text-delta':
    case 'restarted':
    case 'call-started':
    case 'call-progress':
    case 'verifying':
      return undefined;
  }
}
