export { createRedactor, type Redactor, type RedactorOptions } from './create-redactor.ts';
export { SECRET_KINDS, type SecretKind } from './marker.ts';
export { redact, redactAndCut } from './redact.ts';
export type { CutOptions } from './redact-and-cut.ts';
