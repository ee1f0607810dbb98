import { createRuntime } from '../../src/app/index.ts';
import { systemClock } from '../../src/platform/clock/index.ts';
import { defaultConfig } from '../../src/platform/config/index.ts';
import { readEnvironment } from '../../src/platform/environment/index.ts';
import { ensureHome, homePaths } from '../../src/platform/paths/index.ts';

/** Runs one turn in `cwd` with a guard that lets nothing remove files; gives back how each call ended, and the answer. */
export async function guardedTurn(
  home: string,
  cwd: string,
  model: string,
  text: string,
): Promise<readonly string[]> {
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
    onWarning: (line) => process.stderr.write(`${line}\n`),
  });
  runtime.callbacks.register('pre_tool_call', { name: 'no-rm', timeLimitMs: 1000 }, ({ toolName, args }) => {
    const command = toolName === 'terminal' ? String(args['command']) : '';
    return /\brm\b/.test(command) ? { action: 'block', message: 'files are not removed here' } : undefined;
  });
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
