import type { OwnProgram } from '../../../platform/process/index.ts';
import type { VerbContext } from '../verb.ts';

/** The scratch world an act plays in. */
export interface Stage {
  readonly context: VerbContext;
  /** A home of its own: the person's is not touched. */
  readonly home: string;
  /** An empty project of its own. */
  readonly project: string;
  readonly program: OwnProgram;
}

/** What an act did and what could be seen afterwards. */
export interface ActReport {
  /** Lines for the person: what really happened. */
  readonly lines: readonly string[];
  /** Whether what the act promises was seen to hold. */
  readonly held: boolean;
}

export interface Act {
  readonly title: string;
  readonly play: (stage: Stage) => Promise<ActReport>;
}
