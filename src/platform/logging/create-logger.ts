import { systemClock } from '../clock/index.ts';
import { describeFileError, isFileError } from '../paths/index.ts';
import { formatLine } from './format-line.ts';
import { LogFile } from './log-file.ts';
import type { LogFields, Logger, LogLevel, LogStatus } from './logger.ts';

export interface LoggerOptions {
  /** The file; it and its folders are created with the first line. */
  readonly path: string;
  /** The least important level that is written; `silent` writes nothing. */
  readonly level: LogLevel | 'silent';
  /** Takes secrets out of a text. Every line passes through it. */
  readonly redact: (text: string) => string;
  /** How long the file may become, in bytes, before another is begun; by default 5 MiB. */
  readonly maxBytes?: number;
  /** How many full files are kept; by default 3. */
  readonly keep?: number;
  /** Told when lines begin to be lost, once until they are not any more. */
  readonly onProblem?: (message: string) => void;
  /** By default the machine's time. */
  readonly now?: () => number;
}

const ORDER: Readonly<Record<LogLevel | 'silent', number>> = {
  debug: 0,
  info: 1,
  warn: 2,
  error: 3,
  silent: 4,
};
const DEFAULT_MAX_BYTES = 5 * 1024 * 1024;
const DEFAULT_KEEP = 3;

/**
 * A logger to a file of JSON lines, 0600: `{"time", "level", "pid", "message", …fields}`. It writes synchronously, so nothing
 * is lost when the process ends. What cannot be written is counted, and reported in the log itself as soon as it can be
 * written again; logging never fails the caller.
 */
export function createLogger(options: LoggerOptions): Logger {
  return new LineWriter(options).loggerWith({});
}

/** What a logger and its children share. */
class LineWriter {
  readonly #options: LoggerOptions;
  readonly #file: LogFile;
  readonly #now: () => number;
  #status: LogStatus = { written: 0, dropped: 0, problem: undefined };
  #droppedInARow = 0;

  constructor(options: LoggerOptions) {
    const {
      path,
      maxBytes = DEFAULT_MAX_BYTES,
      keep = DEFAULT_KEEP,
      now = () => systemClock.now(),
    } = options;
    this.#options = options;
    this.#now = now;
    this.#file = new LogFile({ path, now, maxBytes, keep });
  }

  loggerWith(bound: LogFields): Logger {
    const at =
      (level: LogLevel) =>
      (message: string, fields: LogFields = {}): void => {
        if (ORDER[level] >= ORDER[this.#options.level]) this.#write(level, message, { ...bound, ...fields });
      };
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: (fields) => this.loggerWith({ ...bound, ...fields }),
      status: () => this.#status,
      close: () => this.#file.close(),
    };
  }

  #write(level: LogLevel, message: string, fields: LogFields): void {
    try {
      if (this.#droppedInARow > 0)
        this.#append('warn', `${this.#droppedInARow} lines before this one were lost`, {});
      this.#droppedInARow = 0;
      this.#append(level, message, fields);
      this.#status = { ...this.#status, written: this.#status.written + 1, problem: undefined };
    } catch (error) {
      if (!isFileError(error)) throw error;
      this.#drop(describeFileError(error, this.#options.path, 'write the log').message);
    }
  }

  #append(level: LogLevel, message: string, fields: LogFields): void {
    const time = new Date(this.#now()).toISOString();
    this.#file.append(formatLine({ time, level, pid: process.pid, message, fields }, this.#options.redact));
  }

  #drop(problem: string): void {
    const isNews = this.#droppedInARow === 0;
    this.#droppedInARow += 1;
    this.#status = { ...this.#status, dropped: this.#status.dropped + 1, problem };
    if (isNews) this.#options.onProblem?.(problem);
  }
}
