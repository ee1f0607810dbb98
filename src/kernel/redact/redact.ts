import { createRedactor } from './create-redactor.ts';
import type { CutOptions } from './redact-and-cut.ts';

/** The redactor without a key and without known secrets: its markers carry no hash. */
export const redact = createRedactor();

/** {@link redact} and then cut; see `Redactor.redactAndCut`. */
export function redactAndCut(text: string, maxChars: number, options?: CutOptions): string {
  return redact.redactAndCut(text, maxChars, options);
}
