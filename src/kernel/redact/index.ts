export { createRedactor, type Redactor, type RedactorOptions } from './create-redactor.ts';
export { redact, redactAndCut } from './redact.ts';
export type { CutOptions } from './redact-and-cut.ts';
