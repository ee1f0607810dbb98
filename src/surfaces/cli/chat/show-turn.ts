import type { TurnEvent } from '../../../agent/loop/index.ts';
import type { CallLine, ChatScreen, StreamedAnswer } from './chat-screen.ts';

export interface TurnPresenter {
  readonly show: (event: TurnEvent) => void;
  /** The turn is over: an answer that is not complete stays as it is. */
  readonly end: () => void;
}

/** Shows the events of one turn on a screen. */
export function turnPresenter(screen: ChatScreen): TurnPresenter {
  const lines = new Map<string, CallLine>();
  let answer: StreamedAnswer | undefined;
  const end = (): void => {
    answer?.breakOff();
    answer = undefined;
  };
  const show = (event: TurnEvent): void => {
    switch (event.type) {
      case 'request-started':
        screen.busy('thinking');
        break;
      case 'text-delta':
        answer ??= screen.answer();
        answer.append(event.text);
        break;
      case 'restarted':
        answer?.restart();
        break;
      case 'message-completed':
        if (answer === undefined && event.text !== '') answer = screen.answer();
        answer?.complete(event.text);
        answer = undefined;
        if (event.final) screen.busy(undefined);
        break;
      case 'call-started':
        screen.busy('working');
        lines.set(event.call.callId, screen.call(event.call));
        break;
      case 'call-progress':
        lines.get(event.callId)?.progress(event.text);
        break;
      case 'call-finished': {
        const { report } = event;
        const line =
          lines.get(report.callId) ?? (report.call === undefined ? undefined : screen.call(report.call));
        if (line === undefined) screen.notice('warning', `${report.tool}: ${report.message}`);
        else line.finish(report);
        break;
      }
      case 'retrying':
        screen.notice(
          'warning',
          `${event.failure.message} Trying again in ${(event.delayMs / 1000).toFixed(1)} s (attempt ${String(event.attempt)}).`,
        );
        break;
      case 'compressed':
        screen.notice(
          'info',
          `History condensed: ${String(event.before)} messages became ${String(event.after)}.`,
        );
        break;
      case 'verifying':
        screen.busy(`verifying: ${event.command}`);
        break;
      case 'verified':
        screen.notice(event.passed ? 'info' : 'warning', `${event.passed ? '✓' : '✗'} ${event.command}`);
        break;
      case 'warning':
        screen.notice('warning', event.text);
        break;
    }
  };
  return { show, end };
}
