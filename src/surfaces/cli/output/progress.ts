import type { Clock } from '../../../platform/clock/index.ts';
import { truncateToWidth } from './display-width.ts';
import type { Output } from './output.ts';
import { printableLine } from './printable.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 80;
const DEFAULT_COLUMNS = 80;
const CLEAR_LINE = '\r\u001b[K';

/** A line that moves while something takes long. */
export interface Progress {
  /** Changes the text, such as `12 of 40`. */
  update(text: string): void;
  /** Removes the line. May be called twice. */
  stop(): void;
}

/** Shows a spinner with `text` on a terminal, from the first 80 ms on; writes nothing anywhere else. */
export function startProgress(output: Output, clock: Clock, text: string): Progress {
  if (!output.isTty) return { update: () => undefined, stop: () => undefined };
  let current = text;
  let frame = 0;
  let cancel = clock.startTimer(FRAME_MS, draw, { background: true });
  let isVisible = false;
  function draw(): void {
    const line = `${FRAMES[frame % FRAMES.length] ?? ''} ${printableLine(current)}`;
    output.write(CLEAR_LINE + truncateToWidth(line, (output.columns ?? DEFAULT_COLUMNS) - 1));
    isVisible = true;
    frame += 1;
    cancel = clock.startTimer(FRAME_MS, draw, { background: true });
  }
  return {
    update: (changed) => {
      current = changed;
    },
    stop: () => {
      cancel();
      if (isVisible) output.write(CLEAR_LINE);
      isVisible = false;
    },
  };
}
