import type { JsonValue } from '../json/index.ts';
import { spellings } from './known-secrets.ts';
import { createMarker } from './marker.ts';
import { type CutOptions, redactAndCutWith } from './redact-and-cut.ts';
import type { RedactionRules } from './redact-text.ts';
import { redactText } from './redact-text.ts';
import { redactValue } from './redact-value.ts';

export interface RedactorOptions {
  /**
   * The key of this installation for HMAC-SHA-256. With it, markers carry eight hex digits by which equal secrets can be
   * recognised; without it they carry none, because a plain hash of a short secret gives the secret away.
   */
  readonly key?: Uint8Array;
  /** Literal secrets, such as provider keys from the environment. Those of fewer than 8 characters are ignored. */
  readonly extraSecrets?: readonly string[];
}

/**
 * Replaces secrets by markers such as `[redacted api_key len=51 #1a2b3c4d]`: kind, length in UTF-16 code units, and the hash.
 * Redacting twice changes nothing. The cost is linear in the length of what is given.
 *
 * It fails towards redaction: what may be a secret is taken as one, unless it stands where source code, prose, digests and
 * paths ordinarily stand. Results are for records and messages; never run what went through a redactor.
 */
export interface Redactor {
  /** The text without secrets. */
  text(text: string): string;
  /**
   * A copy of the value without secrets. Objects keep their keys and order, arrays their length; only strings, and whole
   * numbers of four digits or more under the name of a password, are replaced. The value must not contain itself.
   */
  value(value: JsonValue): JsonValue;
  /**
   * The text without secrets, cut to at most `maxChars` UTF-16 code units, never within a marker, a surrogate pair or an escape
   * sequence. Reads no more of a long text than it needs.
   *
   * @throws RangeError when `maxChars` is no whole number of at least 0.
   */
  redactAndCut(text: string, maxChars: number, options?: CutOptions): string;
}

/** A redactor for one installation. It holds no state besides its options. */
export function createRedactor({ key, extraSecrets = [] }: RedactorOptions = {}): Redactor {
  const rules: RedactionRules = { mark: createMarker(key), literals: spellings(extraSecrets) };
  return {
    text: (text) => redactText(text, rules).text,
    value: (value) => redactValue(value, rules),
    redactAndCut: (text, maxChars, options) => redactAndCutWith(rules, text, maxChars, options),
  };
}
