export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What is said about an event beside its message. Anything can be given; errors are written with name, code and stack. */
export type LogFields = Readonly<Record<string, unknown>>;

/** How the logger itself is doing. */
export interface LogStatus {
  readonly written: number;
  /** Lines that could not be written. */
  readonly dropped: number;
  /** Why the last one could not; undefined when all is well again. */
  readonly problem: string | undefined;
}

/** Writes events to the log. No method throws, and none waits: the line is in the file when it returns. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger to the same file that adds `fields` to every line. */
  child(fields: LogFields): Logger;
  status(): LogStatus;
  /** Lets go of the file, for all children too; a later line opens it again. Can be repeated. */
  close(): void;
}
