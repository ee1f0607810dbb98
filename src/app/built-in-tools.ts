import {
  createClarifyTool,
  createPatchTool,
  createProcessTool,
  createReadFileTool,
  createSearchFilesTool,
  createTerminalTool,
  createTodoTool,
  createToolBox,
  createWriteFileTool,
  ProcessTable,
  protectHome,
  type TodoItem,
  type ToolBox,
} from '../agent/tools/index.ts';
import type { Tool } from '../gate/index.ts';
import { valueOrThrow } from '../kernel/errors/index.ts';
import type { Redactor } from '../kernel/redact/index.ts';
import { userHome } from '../platform/paths/index.ts';
import { randomId } from '../platform/random/index.ts';
import type { CallbackRegistry } from '../safety/hooks/index.ts';
import { commandEnvironment } from './command-environment.ts';
import type { LedgerKeeper } from './ledger-keeper.ts';
import type { RuntimeOptions } from './runtime-options.ts';

export interface BuiltInToolsParts {
  readonly options: RuntimeOptions;
  readonly callbacks: CallbackRegistry;
  readonly redactor: Redactor;
  readonly ledger: Pick<LedgerKeeper, 'exitFileOf'>;
}

/** The tools that come with Herma, and what they start and keep. */
export class BuiltInTools {
  readonly #processes: ProcessTable;
  readonly #todos = new Map<string, readonly TodoItem[]>();
  readonly #toolBox: ToolBox;

  constructor(parts: BuiltInToolsParts) {
    const { clock, config } = parts.options;
    this.#processes = new ProcessTable({ clock, newId: () => randomId('proc') });
    this.#toolBox = valueOrThrow(createToolBox(this.#tools(parts))).without(config.tools.disabled);
  }

  toolBox(): ToolBox {
    return this.#toolBox;
  }

  /** Ends the commands that still run in the background. */
  async close(): Promise<void> {
    await this.#processes.close();
  }

  #tools({ options, callbacks, redactor, ledger }: BuiltInToolsParts): readonly Tool[] {
    const { clock, environment, paths, config } = options;
    const home = userHome(environment);
    const writing = { home, isProtected: protectHome(paths.home) };
    const output = {
      redact: (text: string) => redactor.text(text),
      transformOutput: outputTransform(callbacks, options.onWarning),
    };
    return [
      createReadFileTool({ home }),
      createSearchFilesTool({ home, clock }),
      createWriteFileTool(writing),
      createPatchTool(writing),
      createTerminalTool({
        ...output,
        clock,
        home,
        environment: (sessionId) => ({
          ...commandEnvironment(options, config.terminal.env),
          HERMA_SESSION: sessionId,
        }),
        processes: this.#processes,
        exitFile: (call) => ledger.exitFileOf(call),
        defaultTimeoutMs: config.terminal.timeoutMs,
      }),
      createProcessTool({ ...output, clock, processes: this.#processes }),
      createTodoTool({
        load: async (sessionId) => Promise.resolve(this.#todos.get(sessionId) ?? []),
        save: async (sessionId, list) => {
          await Promise.resolve(this.#todos.set(sessionId, list));
        },
      }),
      createClarifyTool({ ask: askPort(options) }),
    ];
  }
}

function outputTransform(
  callbacks: CallbackRegistry,
  onWarning: (text: string) => void,
): (command: string, output: string, returncode: number | null) => Promise<string> {
  return async (command, output, returncode) => {
    const { text, warnings } = await callbacks.transform(
      'transform_terminal_output',
      (current) => ({
        command,
        output: current,
        envType: 'local',
        ...(returncode === null ? {} : { returncode }),
      }),
      output,
      new AbortController().signal,
    );
    for (const warning of warnings) onWarning(warning);
    return text;
  };
}

function askPort({ ask }: RuntimeOptions): Parameters<typeof createClarifyTool>[0]['ask'] {
  return async (question, choices, signal) => {
    if (ask === undefined) return { answered: false, reason: 'nobody is here to ask' };
    const answer = await ask(question, choices, signal);
    return answer === undefined
      ? { answered: false, reason: 'the person gave no answer' }
      : { answered: true, answer };
  };
}
