import { fail, succeed } from '../../kernel/errors/index.ts';
import { systemClock } from '../../platform/clock/index.ts';
import { freezeVariables, readEnvironment } from '../../platform/environment/index.ts';
import { endWhenPipeCloses } from '../../platform/process/index.ts';
import { describeFailure, describeStack, toFailure } from './describe-failure.ts';
import { EXIT } from './exit-code.ts';
import { ENDING_SIGNALS, type Host } from './host.ts';

/**
 * Names the descriptor of the pipe that the launcher holds, which is none of the three standard ones. Not for the programs
 * that are started from here.
 */
const LAUNCHER_FD = 'HERMA_LAUNCHER_FD';

/** The process this program runs in. Also makes sure that what nobody catches ends it with a message and not a stack. */
export function createProcessHost({ isVerbose }: { readonly isVerbose: boolean }): Host {
  const variables = readEnvironment();
  const environment = freezeVariables(Object.entries(variables).filter(([name]) => name !== LAUNCHER_FD));
  const exit = (code: number): void => process.exit(code);
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${describeFailure(toFailure(error))}\n`);
    if (isVerbose) process.stderr.write(`${describeStack(error)}\n`);
    exit(EXIT.couldNot);
  });
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: () => process.stdin,
    environment,
    clock: systemClock,
    workingDirectory,
    onSignal: (listener) => {
      for (const signal of ENDING_SIGNALS) process.on(signal, listener);
      return () => {
        for (const signal of ENDING_SIGNALS) process.off(signal, listener);
      };
    },
    onLauncherGone: (listener) => {
      const fd = variables[LAUNCHER_FD];
      if (fd === undefined || !/^([3-9]|[1-9]\d+)$/.test(fd)) return () => undefined;
      const watch = endWhenPipeCloses(Number(fd), listener);
      if (watch.ok) return watch.close;
      process.stderr.write(`${describeFailure(watch)}\n`);
      return () => undefined;
    },
    exit,
  };
}

function workingDirectory(): ReturnType<Host['workingDirectory']> {
  try {
    return succeed(process.cwd());
  } catch {
    return fail('no_working_directory', 'the current folder no longer exists', 'change to another folder');
  }
}
