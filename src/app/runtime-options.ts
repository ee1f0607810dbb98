import type { ApprovalPrompt } from '../gate/index.ts';
import type { Clock } from '../platform/clock/index.ts';
import type { Config, ModelConfig } from '../platform/config/index.ts';
import type { Environment } from '../platform/environment/index.ts';
import type { HomePaths } from '../platform/paths/index.ts';
import type { ConsentPrompt } from '../safety/hooks/index.ts';

/** Puts a question of the model's to the person; undefined when there is no answer. */
export type AskPerson = (
  question: string,
  choices: readonly string[],
  signal: AbortSignal,
) => Promise<string | undefined>;

/** What a runtime is built from. Nothing else is read from the process. */
export interface RuntimeOptions {
  /** An existing home; see `ensureHome`. */
  readonly paths: HomePaths;
  readonly config: Config;
  readonly environment: Environment;
  /** Absolute; where sessions begin and relative paths of calls start. */
  readonly cwd: string;
  /** What the person uses: `cli`, `call`, `gate`. */
  readonly surface: string;
  readonly clock: Clock;
  /** In the place of the configured model. */
  readonly model?: ModelConfig;
  /** Absent when nobody can be asked: then a question is a no. */
  readonly approve?: ApprovalPrompt;
  readonly ask?: AskPerson;
  /** Shows a hook script that is new and asks whether it may run. Absent when nobody can be asked. */
  readonly approveHook?: ConsentPrompt;
  /** Approves hook scripts that are new, without a question. */
  readonly acceptHooks?: boolean;
  /** Answers every approval with once. Lifts no block. */
  readonly yolo?: boolean;
  /** Lines worth showing that belong to no turn. */
  readonly onWarning: (text: string) => void;
}
