export interface ProcessEntry {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  /** Ended, and not yet collected by its parent. */
  readonly isZombie: boolean;
  /** Tells two users of one pid apart. Linux: clock ticks since boot. macOS: the start date, in UTC. */
  readonly startTime: string;
  /** The short name the kernel keeps: on Linux at most 15 bytes, and the process can change it. */
  readonly name: string;
}

/** Reads the operating system's process table. Everything is a snapshot; a process that ended meanwhile is left out. */
export interface ProcessTable {
  read(pids: readonly number[]): ProcessEntry[];
  list(): ProcessEntry[];
  /** The command line of a process, `argv[0]` first; empty when it is gone or hidden from us. */
  argumentsOf(pid: number): string[];
  /** The processes that have `argument` among their arguments, zombies left out; on systems without `/proc` at the end of them. */
  withArgument(argument: string): number[];
}
