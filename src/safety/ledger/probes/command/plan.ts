import type { ForeseenRepository } from '../../model/foreseen.ts';
import type { PlannedFiles } from './planned-files.ts';

/** What a command would have done, up to one of its programs. */
export interface Plan {
  readonly files: PlannedFiles;
  readonly repositories: ForeseenRepository[];
  /** Absolute; undefined once it is not known. */
  cwd: string | undefined;
}

/** What a program does, with its arguments, in that directory. Returns whether all of it is foreseen now. */
export type Effect = (args: readonly string[], plan: Plan, cwd: string) => Promise<boolean>;
