import type { RestoreTarget } from '../../../safety/checkpoints/index.ts';

/** What a person asks of the checkpoints of a directory, in the shell or in the chat. */
export type RollbackCommand =
  | { readonly type: 'list'; readonly allCalls: boolean }
  | {
      readonly type: 'diff';
      readonly ref: string;
      readonly files: readonly string[];
      readonly allCalls?: true;
      /** Secrets are shown. */
      readonly isRaw?: true;
    }
  | RestoreCommand
  | { readonly type: 'undo'; readonly mode: 'agent' | 'all'; readonly isDryRun: boolean };

export interface RestoreCommand {
  readonly type: 'restore';
  readonly target: RestoreTarget;
  /** Empty for the whole tree. */
  readonly files: readonly string[];
  readonly mode: 'agent' | 'all' | 'exact';
  readonly includeAmbiguous: boolean;
  readonly isDryRun: boolean;
  /** A number is one of the list with one line for each call. */
  readonly allCalls?: true;
}

/** The options as they were given. */
export interface RollbackFlags {
  readonly all: boolean;
  readonly exact: boolean;
  readonly includeAmbiguous: boolean;
  readonly dryRun: boolean;
  readonly allCalls: boolean;
  readonly raw: boolean;
  readonly call: string | undefined;
}

export const NO_FLAGS: RollbackFlags = {
  all: false,
  exact: false,
  includeAmbiguous: false,
  dryRun: false,
  allCalls: false,
  raw: false,
  call: undefined,
};
