import { createHash } from 'node:crypto';
import type { JsonValue } from './json-value.ts';
import { isJsonObject } from './json-value.ts';

/**
 * One text per value, and another one for another value: object keys sorted by UTF-16 code unit (RFC 8785, section
 * 3.2.3), no white space. Lone surrogates are written as escapes, so the text is valid UTF-8 and still tells them apart:
 * they are how file names that are no UTF-8 are carried.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (!isJsonObject(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .sort(byCodeUnit)
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${members.join(',')}}`;
}

/** SHA-256, in hex, over the canonical text of `value`. */
export function fingerprint(value: JsonValue): string {
  return createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex');
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
