export { createLogger, type LoggerOptions } from './create-logger.ts';
export type { LogFields, Logger, LogLevel, LogStatus } from './logger.ts';
