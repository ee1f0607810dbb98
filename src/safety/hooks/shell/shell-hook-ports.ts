import type { Environment } from '../../../platform/environment/index.ts';
import type { CommandWords } from './command-words.ts';
import type { ShellHook } from './shell-hook.ts';

/** What is about to be started, with `~` expanded. */
export interface HookInvocation extends CommandWords {
  /** Where it starts: what a relative path among the words is relative to. */
  readonly cwd: string;
  /** The `PATH` in which a program without a slash is looked up; undefined as in execvp(3). */
  readonly searchPath: string | undefined;
}

export type HookPermission = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** What shell hooks need of their surroundings. */
export interface ShellHookPorts {
  /**
   * Asked immediately before every start: has a person approved this very script? A throw counts as a no. The reason
   * continues "the hook …" and may be shown to the model: `is not approved`.
   */
  permit(hook: ShellHook, invocation: HookInvocation, signal: AbortSignal): Promise<HookPermission>;
  /** The environment of all hooks, with the variables of these names besides. */
  environment(names: readonly string[]): Environment;
  /** Herma's own home, absolute: `HERMA_HOME` and `HERMES_HOME` of the script. */
  readonly home: string;
  /** What `~` stands for. */
  readonly userHome: string;
  /** The working directory of a session, for events that do not name one; undefined when it is not known. */
  cwdOf(sessionId: string): string | undefined;
  /** `default` when absent. */
  readonly profile?: string;
}
