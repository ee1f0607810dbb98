import { spawnSync } from 'node:child_process';
import type { ProcessEntry, ProcessTable } from './process-entry.ts';

const COLUMNS = 'pid=,ppid=,pgid=,stat=,lstart=,ucomm=';
const LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]+\s+\d{4})\s+(.*)$/;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Parses one line of `ps -o pid=,ppid=,pgid=,stat=,lstart=,ucomm=`; undefined for anything else. */
export function parsePsLine(line: string): ProcessEntry | undefined {
  const [, pid, ppid, pgid, state, startTime, name] = LINE.exec(line) ?? [];
  if (state === undefined || startTime === undefined || name === undefined) return undefined;
  return {
    pid: Number(pid),
    ppid: Number(ppid),
    pgid: Number(pgid),
    isZombie: state.startsWith('Z'),
    startTime: startTime.replaceAll(/\s+/g, ' '),
    name: name.trim(),
  };
}

/**
 * The start date is printed in the time zone and language of the environment, hence the fixed ones. `ps` exits 1 when none of
 * the processes asked for exists; its output is then empty.
 */
function runPs(args: readonly string[]): string {
  const { stdout } = spawnSync('ps', args, {
    encoding: 'utf8',
    env: { PATH: `/bin:/usr/bin:${process.env['PATH'] ?? ''}`, LC_ALL: 'C', TZ: 'UTC0' },
    maxBuffer: MAX_OUTPUT_BYTES,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return typeof stdout === 'string' ? stdout : '';
}

function parseLines(text: string): ProcessEntry[] {
  return text
    .split('\n')
    .map(parsePsLine)
    .filter((entry) => entry !== undefined);
}

/**
 * The process table of systems without `/proc`. Start times have a resolution of one second, and a command line is split at
 * white space, because `ps` does not say where its arguments end.
 */
export const psProcessTable: ProcessTable = {
  read: (pids) => (pids.length === 0 ? [] : parseLines(runPs(['-o', COLUMNS, '-p', pids.join(',')]))),
  list: () => parseLines(runPs(['-A', '-o', COLUMNS])),
  argumentsOf: (pid) =>
    runPs(['-ww', '-o', 'args=', '-p', String(pid)])
      .trim()
      .split(/\s+/)
      .filter((word) => word !== ''),
  withArgument: (argument) =>
    runPs(['-A', '-ww', '-o', 'pid=,args='])
      .split('\n')
      .filter((line) => line.trimEnd().endsWith(` ${argument}`))
      .map((line) => Number.parseInt(line, 10)),
};
