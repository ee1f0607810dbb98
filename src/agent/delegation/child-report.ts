import type { TurnResult } from '../loop/index.ts';

/** `failed`: it began and did not finish its task. `error`: it could not be run. */
export type ChildStatus = 'completed' | 'failed' | 'interrupted' | 'error';

/** What came of a child. */
export interface ChildReport {
  /** The child's session; empty when there is none. */
  readonly sessionId: string;
  readonly status: ChildStatus;
  /** The child's own words: all that the parent sees of its work. */
  readonly summary: string;
  readonly toolCalls: number;
}

/** Characters of a child's report that its parent reads. */
const MAX_SUMMARY_CHARS = 8_000;

export const STATUS_OF_END = {
  completed: 'completed',
  failed: 'failed',
  iteration_limit: 'failed',
  interrupted: 'interrupted',
} as const satisfies Readonly<Record<TurnResult['end'], ChildStatus>>;

/** What a parent is told of the turn of its child: the last words of the child, and what they do not say themselves. */
export function summaryOf(result: TurnResult): string {
  const note = noteOf(result);
  const final = result.final.trim();
  const maxChars = MAX_SUMMARY_CHARS - note.length;
  const words = final.length > maxChars ? shortened(final, maxChars) : final;
  return [note, words].filter((part) => part !== '').join('\n\n');
}

function noteOf({ end, final, capped, failure, requests, calls }: TurnResult): string {
  switch (end) {
    case 'completed':
      if (capped) return '[The checks of agent.verify still failed when the child ended.]';
      return final.trim() === ''
        ? `[The child ended without a report, after ${String(calls.length)} tool calls.]`
        : '';
    case 'failed': {
      const reason = [failure?.message ?? 'for an unknown reason', failure?.remedy ?? ''].join(' ').trim();
      return `[The child failed: ${reason.slice(0, 1000).toWellFormed()}]`;
    }
    case 'iteration_limit':
      return `[The child was stopped after ${String(requests)} model requests (agent.max_iterations); its work is not finished.]`;
    case 'interrupted':
      return '[The child was interrupted; what it did so far stands.]';
  }
}

function shortened(text: string, maxChars: number): string {
  const note = '\n[… the rest of the report is left out …]';
  return `${text.slice(0, maxChars - note.length).toWellFormed()}${note}`;
}
