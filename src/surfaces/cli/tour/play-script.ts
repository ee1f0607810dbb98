import type { TurnResult } from '../../../agent/loop/index.ts';
import { createRuntime, type Runtime } from '../../../app/index.ts';
import { valueOrThrow } from '../../../kernel/errors/index.ts';
import { type Config, defaultConfig } from '../../../platform/config/index.ts';
import { writeFileAtomic } from '../../../platform/files/index.ts';
import { homePaths, resolvePath } from '../../../platform/paths/index.ts';
import type { Stage } from './act.ts';

/** A step of a scripted model: a text, or a text with calls. */
export type ScriptStep =
  | string
  | {
      readonly text?: string;
      readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly args: object }[];
    };

/** Writes the script of an act and gives back what `--model` takes. */
export async function writeScript(stage: Stage, name: string, steps: readonly ScriptStep[]): Promise<string> {
  const path = resolvePath(stage.home, `${name}.json`);
  valueOrThrow(await writeFileAtomic(path, JSON.stringify(steps)));
  return `scripted:${path}`;
}

/** Plays a script as one turn of a new session, in this process, through the whole runtime. */
export async function playScript(
  stage: Stage,
  {
    name,
    steps,
    config = defaultConfig,
    prepare,
    conclude,
    isQuiet = false,
  }: {
    readonly name: string;
    readonly steps: readonly ScriptStep[];
    readonly config?: Config;
    readonly prepare?: (runtime: Runtime) => Promise<void> | void;
    /** Whether warnings are what the act is about, and shown by it. */
    readonly isQuiet?: boolean;
    /** Runs when the turn has ended, before the runtime is closed. */
    readonly conclude?: (runtime: Runtime) => Promise<void>;
  },
): Promise<TurnResult> {
  const { context, home, project } = stage;
  const runtime = createRuntime({
    paths: homePaths(home),
    config,
    environment: context.environment,
    cwd: project,
    surface: 'tour',
    clock: context.clock,
    model: { name: await writeScript(stage, name, steps) },
    onWarning: (line) => {
      if (!isQuiet) context.note(line);
    },
  });
  try {
    await prepare?.(runtime);
    const session = valueOrThrow(await runtime.openSession({ type: 'new' }));
    const text = 'play the act';
    const { conversation } = session;
    const turn = valueOrThrow(
      await runtime.runTurn({ conversation, text, signal: context.signal, onEvent: () => undefined }),
    );
    await conclude?.(runtime);
    return turn;
  } finally {
    await runtime.close();
  }
}
