import type { CallReport } from '../../gate/index.ts';
import { getOwn, getString, isJsonObject, parseJson } from '../../kernel/json/index.ts';
import type { TurnEvent } from './turn-event.ts';

export interface VerificationOptions {
  /** Command lines that must exit with 0. */
  readonly commands: readonly string[];
  /** Times a turn may be sent on; counted over the whole turn, never reset. */
  readonly maxNudges: number;
}

export interface VerificationRun {
  /** No further command is run once it is aborted. */
  readonly signal: AbortSignal;
  /** Takes one command through the gate, as a `terminal` call. */
  readonly perform: (command: string, attempt: number) => Promise<CallReport>;
  readonly onEvent: (event: TurnEvent) => void;
}

/** Characters of a failing command's output that the model is handed. */
const MAX_OUTPUT_CHARS = 8_000;

/**
 * The stop gate of one turn: when files were edited since the last successful check, the commands of `agent.verify`
 * run before the answer is given.
 *
 * A command that could not be run counts as failed.
 */
export class Verification {
  readonly #options: VerificationOptions;
  readonly #changed = new Set<string>();
  #pending = false;
  #nudges = 0;
  #attempts = 0;

  constructor(options: VerificationOptions) {
    this.#options = options;
  }

  /** Takes note of a call: one that wrote files makes a check due. */
  note({ call, status }: CallReport): void {
    if (status !== 'ok' || call?.effect !== 'write') return;
    this.#pending = true;
    for (const path of call.paths) this.#changed.add(path);
  }

  /** The files that tools have written in this turn, as the calls named them, sorted. */
  changedPaths(): readonly string[] {
    return [...this.#changed].toSorted();
  }

  /** How often the turn was sent on. */
  get nudges(): number {
    return this.#nudges;
  }

  get isExhausted(): boolean {
    return this.#nudges >= this.#options.maxNudges;
  }

  /**
   * Runs what is due.
   *
   * @returns what the model is to be told of the failures; undefined when nothing was due or all succeeded.
   */
  async run({ perform, signal, onEvent }: VerificationRun): Promise<string | undefined> {
    if (!this.#pending) return undefined;
    const failures: string[] = [];
    for (const command of this.#options.commands) {
      if (signal.aborted) break;
      onEvent({ type: 'verifying', command });
      this.#attempts += 1;
      const report = await perform(command, this.#attempts);
      const passed = hasPassed(report);
      onEvent({ type: 'verified', command, passed });
      if (!passed) failures.push(`$ ${command}\n${outputOf(report)}`);
    }
    if (failures.length === 0) {
      this.#pending = signal.aborted;
      return undefined;
    }
    return `You edited files, and these checks fail now. Fix the cause, then finish.\n\n${failures.join('\n\n')}`;
  }

  /** Whether the model may be sent on once more; counts it when so. */
  mayNudge(): boolean {
    if (this.isExhausted) return false;
    this.#nudges += 1;
    return true;
  }
}

function hasPassed({ status, text }: CallReport): boolean {
  return status === 'ok' && terminalResult(text)?.exitCode === 0;
}

/** What a failed command printed, or why it did not run. */
function outputOf({ text }: CallReport): string {
  const result = terminalResult(text);
  const shown = result === undefined ? text : `${result.output}\n(exit code ${result.exitCode})`;
  return shown.slice(-MAX_OUTPUT_CHARS).toWellFormed();
}

/** The result of `terminal` is JSON with the exit code of the command and its output. */
function terminalResult(text: string): { readonly exitCode: number; readonly output: string } | undefined {
  const parsed = parseJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const exitCode = getOwn(parsed.value, 'exit_code');
  if (typeof exitCode !== 'number') return undefined;
  const error = getString(parsed.value, 'error');
  const output = getString(parsed.value, 'output') ?? '';
  return { exitCode, output: error === undefined ? output : `${output}\n${error}` };
}
