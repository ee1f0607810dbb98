import { readdirSync, readFileSync } from 'node:fs';
import type { ProcessEntry, ProcessTable } from './process-entry.ts';

/** Positions of proc_pid_stat(5) fields, counted from the field after the command name. */
const STATE = 0;
const PPID = 1;
const PGRP = 2;
const START_TIME = 19;

/**
 * Parses `/proc/<pid>/stat`, proc_pid_stat(5). The command name stands in parentheses and may itself hold spaces, line breaks
 * and parentheses, so the fields are counted from the last closing one. Undefined for anything that is not such a line.
 */
export function parseProcStat(text: string): ProcessEntry | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 0 || close < open) return undefined;
  const fields = text
    .slice(close + 1)
    .trim()
    .split(' ');
  const pid = Number(text.slice(0, open).trim());
  const state = fields[STATE];
  const ppid = Number(fields[PPID]);
  const pgid = Number(fields[PGRP]);
  const startTime = fields[START_TIME];
  if (state === undefined || startTime === undefined || !/^\d+$/.test(startTime)) return undefined;
  if (!Number.isInteger(pid) || !Number.isInteger(ppid) || !Number.isInteger(pgid)) return undefined;
  return { pid, ppid, pgid, isZombie: /[ZXx]/.test(state), startTime, name: text.slice(open + 1, close) };
}

/** Undefined when the process is gone, and also when `/proc` is missing or hides it. */
function readProcFile(pid: number, file: 'stat' | 'cmdline'): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}

function readEntry(pid: number): ProcessEntry | undefined {
  const text = readProcFile(pid, 'stat');
  return text === undefined ? undefined : parseProcStat(text);
}

function listPids(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function readEntries(pids: readonly number[]): ProcessEntry[] {
  return pids.map(readEntry).filter((entry) => entry !== undefined);
}

/** The command line of a zombie is empty. */
function readArguments(pid: number): string[] {
  const text = readProcFile(pid, 'cmdline');
  if (text === undefined || text === '') return [];
  return (text.endsWith('\0') ? text.slice(0, -1) : text).split('\0');
}

/** The process table of Linux. */
export const procProcessTable: ProcessTable = {
  read: readEntries,
  list: () => readEntries(listPids()),
  argumentsOf: readArguments,
  withArgument: (argument) => listPids().filter((pid) => readArguments(pid).slice(1).includes(argument)),
};
