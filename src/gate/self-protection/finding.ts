import { displayPath } from '../../platform/paths/index.ts';

export type TamperChange = 'content' | 'mode' | 'link' | 'created' | 'deleted' | 'replaced' | 'unreadable';

/** One protected path that changed while a call ran. */
export interface TamperFinding {
  /** Absolute. */
  readonly path: string;
  readonly change: TamperChange;
  /** More about the change, such as `mode 0600 became 0777`; empty when there is nothing to add. */
  readonly detail: string;
  /** Where that is kept which was found there: absolute; empty when there was nothing to keep, or it could not be kept. */
  readonly aside: string;
  /** Whether all is as it was before the call. */
  readonly isPutBack: boolean;
  /** What went wrong in putting it back; empty when nothing did. */
  readonly problem: string;
}

const CHANGES: Record<TamperChange, string> = {
  content: 'was changed',
  mode: 'had its mode changed',
  link: 'was made to lead elsewhere',
  created: 'was added',
  deleted: 'was deleted',
  replaced: 'was replaced by something else',
  unreadable: 'cannot be looked at any more',
};

/** One line for the person. */
export function describeFinding({ path, change, detail, aside, isPutBack, problem }: TamperFinding): string {
  const what = `${displayPath(path)} ${CHANGES[change]}${detail === '' ? '' : ` (${detail})`}`;
  const kept = aside === '' ? '' : `; what was found is kept as ${displayPath(aside)}`;
  const outcome = isPutBack
    ? change === 'created'
      ? 'it was taken away'
      : 'it was put back'
    : `IT COULD NOT BE PUT BACK${problem === '' ? '' : `: ${problem}`}`;
  const trouble = isPutBack && problem !== '' ? `; ${problem}` : '';
  return `${what} while a call of the agent ran: ${outcome}${kept}${trouble}`;
}
