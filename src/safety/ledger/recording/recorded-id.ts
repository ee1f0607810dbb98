import type { Redactor } from '../../../kernel/redact/index.ts';
import type { Seal } from '../store/seal.ts';

const STAND_IN_CHARS = 24;

/**
 * A name as the journal keeps it: itself, or where it holds a secret a stand-in that is the same for the same name of this installation, so
 * that it can still be looked for.
 */
export function recordedId(id: string, redactor: Redactor, seal: Seal): string {
  const text = id.toWellFormed();
  return redactor.text(text) === text ? text : `redacted-${seal.text(text).slice(0, STAND_IN_CHARS)}`;
}
