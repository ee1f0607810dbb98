/** The ways to say yes to hooks nobody has approved, without a terminal. */
export interface FirstUseHatches {
  /** `--accept-hooks`. */
  readonly acceptHooks?: boolean;
  /** The values of `HERMA_ACCEPT_HOOKS` and `HERMES_ACCEPT_HOOKS`. */
  readonly environment?: readonly (string | undefined)[];
  /** `hooks_auto_accept`, as it is in the configuration. */
  readonly autoAccept?: unknown;
}

const YES: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'on']);

/** The name of the first hatch that is open. Of a value that is neither a boolean nor one of the words for yes none is. */
export function openHatch({
  acceptHooks,
  environment = [],
  autoAccept,
}: FirstUseHatches): string | undefined {
  if (acceptHooks === true) return '--accept-hooks';
  if (environment.some(isYes)) return 'HERMA_ACCEPT_HOOKS';
  return autoAccept === true || isYes(autoAccept) ? 'hooks_auto_accept' : undefined;
}

function isYes(value: unknown): boolean {
  return typeof value === 'string' && YES.has(value.trim().toLowerCase());
}

/** What a person is asked about a hook that is to run for the first time. */
export interface ConsentQuestion {
  readonly event: string;
  readonly command: string;
  /** Absolute, every link followed; undefined when the command runs a program of the system without a script. */
  readonly scriptPath?: string;
  /** As it is in the file: make control characters visible before it is shown. Undefined when it is no text. */
  readonly scriptText?: string;
  /** One line each. */
  readonly warnings: readonly string[];
}

/** Asks a person; true for yes. Rejects when `signal` is aborted. */
export type ConsentPrompt = (question: ConsentQuestion, signal?: AbortSignal) => Promise<boolean>;
