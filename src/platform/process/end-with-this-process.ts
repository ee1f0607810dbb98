import { sendSignal } from './send-signal.ts';

const groups = new Set<number>();

function killAll(): void {
  for (const pid of groups) sendSignal(-pid, 'SIGKILL');
}

/**
 * Kills the process group of `pid` when this process exits, also by `process.exit` or an uncaught exception. Call what is
 * returned once the group needs no killing any more.
 *
 * Limit: a process that is killed by a signal it does not handle (SIGKILL, by default also SIGTERM) runs no such code, and
 * its children survive it.
 */
export function endWithThisProcess(pid: number): () => void {
  if (groups.size === 0) process.once('exit', killAll);
  groups.add(pid);
  return () => {
    groups.delete(pid);
    if (groups.size === 0) process.off('exit', killAll);
  };
}
