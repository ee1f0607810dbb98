/** How a command ended, as bash counts it. */
export interface ExitStatus {
  /** 0 to 255; 128 + n for signal n. */
  readonly code: number;
  /** What the code stands for, where it has a name. */
  readonly meaning?: string;
}

/** The numbers signals have on Linux and macOS alike, with their names. */
const SIGNALS: ReadonlyMap<number, NodeJS.Signals> = new Map([
  [1, 'SIGHUP'],
  [2, 'SIGINT'],
  [3, 'SIGQUIT'],
  [4, 'SIGILL'],
  [5, 'SIGTRAP'],
  [6, 'SIGABRT'],
  [8, 'SIGFPE'],
  [9, 'SIGKILL'],
  [11, 'SIGSEGV'],
  [13, 'SIGPIPE'],
  [14, 'SIGALRM'],
  [15, 'SIGTERM'],
  [24, 'SIGXCPU'],
  [25, 'SIGXFSZ'],
]);

/** Status of a command that ended; a signal takes the place of an exit code. */
export function exitStatus(exitCode: number | null, signal: NodeJS.Signals | null): ExitStatus {
  if (exitCode !== null) return withMeaning(exitCode);
  const number = [...SIGNALS].find(([, name]) => name === signal)?.[0];
  return number === undefined
    ? { code: 128, meaning: `ended by ${signal ?? 'an unknown signal'}` }
    : withMeaning(128 + number);
}

function withMeaning(code: number): ExitStatus {
  const signal = SIGNALS.get(code - 128);
  if (signal !== undefined) return { code, meaning: `ended by ${signal}` };
  if (code === 126) return { code, meaning: 'the command is not executable' };
  if (code === 127) return { code, meaning: 'the command was not found' };
  return { code };
}
