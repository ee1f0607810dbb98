import type { Failure } from '../../kernel/errors/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import type { Environment } from '../../platform/environment/index.ts';
import type { HomePaths } from '../../platform/paths/index.ts';
import type { ExitCode } from './exit-code.ts';
import type { Argument, Input, Option } from './inputs.ts';
import type { Colours } from './output/colours.ts';
import type { Output } from './output/output.ts';

/** One command, or a noun with subcommands. */
export interface Verb {
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** More than the summary says, for `--help`. */
  readonly details?: string;
  /** A command line that works, for `--help`. */
  readonly example: string;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  readonly subcommands?: readonly Verb[];
  /** A subcommand that is not shown in help, and not completed. */
  readonly isHidden?: boolean;
  /** Absent for a noun that does nothing without a subcommand. */
  readonly run?: (context: VerbContext) => Promise<ExitCode>;
}

/** A command before its module is loaded. */
export interface VerbEntry {
  readonly name: string;
  /** The same as that of the verb. */
  readonly summary: string;
  /** Not shown in help, and not completed. */
  readonly isHidden?: boolean;
  readonly load: () => Promise<{ readonly verb: Verb }>;
}

/** What a verb is given. Nothing in it is global, so a verb runs in a test without a process. */
export interface VerbContext {
  /** The value of an option or argument that the verb declares. */
  get<Value>(input: Input<Value>): Value;

  readonly stdout: Output;
  /** For logs, progress and failures. */
  readonly stderr: Output;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  /** Whether a person can be asked: standard input and standard error are terminals. */
  readonly isInteractive: boolean;
  /** For what is written to standard output. */
  readonly colours: Colours;

  readonly json: boolean;
  readonly verbose: boolean;
  readonly acceptHooks: boolean;
  /** `--yes` or `--force`. */
  readonly yes: boolean;

  /** All commands of the program. */
  readonly commands: readonly VerbEntry[];
  readonly environment: Environment;
  readonly paths: HomePaths;
  readonly clock: Clock;
  /** Aborted by Ctrl-C, by SIGTERM, when nobody reads standard output any more, and when the launcher is gone. */
  readonly signal: AbortSignal;
  /** The folder the person is in. Throws a HermaError when it no longer exists. */
  workingDirectory(): string;

  /** One line on standard output. Not to be used with `--json`. */
  print(line?: string): void;
  /** The one document of `--json`. Throws when there already was one. */
  printJson(value: unknown): void;
  /** One line on standard error. */
  note(line: string): void;
  /** Says what failed and what to do, on standard error; with `--json` also as the document, when there was none. */
  fail(failure: Omit<Failure, 'ok'>): ExitCode;
  /**
   * Takes Ctrl-C over from {@link signal} until the returned function is called: an interactive verb ends its turn and not
   * the program. The handler is called for each Ctrl-C.
   */
  onInterrupt(handler: () => void): () => void;
}
