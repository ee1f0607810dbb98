import {
  createRuntime,
  defaultConfig,
  ensureHome,
  homePaths,
  readEnvironment,
  systemClock,
} from '../../src/app/index.ts';

interface TurnToRun {
  readonly home: string;
  /** Absolute. */
  readonly cwd: string;
  readonly model: string;
  readonly text: string;
  readonly log: (line: string) => void;
}

/** Runs one turn with a guard that lets no command remove files; gives back what the calls said, and the answer. */
export async function guardedTurn({ home, cwd, model, text, log }: TurnToRun): Promise<readonly string[]> {
  const ready = ensureHome(home);
  if (!ready.ok) throw new Error(ready.message);
  const runtime = createRuntime({
    paths: homePaths(home),
    config: defaultConfig,
    environment: readEnvironment(),
    cwd,
    surface: 'example',
    clock: systemClock,
    model: { name: model },
    onWarning: log,
  });
  runtime.callbacks.register(
    'pre_tool_call',
    { name: 'no-rm', timeLimitMs: 1000 },
    ({ args: { command } }) =>
      typeof command === 'string' && /\brm\b/.test(command)
        ? { action: 'block', message: 'files are not removed here' }
        : undefined,
  );
  try {
    const session = await runtime.openSession({ type: 'new' });
    if (!session.ok) throw new Error(session.message);
    const { conversation } = session.value;
    const signal = AbortSignal.timeout(600_000);
    const turn = await runtime.runTurn({ conversation, text, signal, onEvent: () => undefined });
    if (!turn.ok) throw new Error(turn.message);
    return [...turn.value.calls.map(({ tool, text: told }) => `${tool}: ${told}`), turn.value.final];
  } finally {
    await runtime.close();
  }
}
