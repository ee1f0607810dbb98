import { createHmac } from 'node:crypto';

/**
 * What a secret was. The set is closed, so that text which only looks like a marker cannot carry a secret in its name.
 * `random` is a string that no name and no known shape explains, but that is too random to be anything else.
 */
export const SECRET_KINDS = [
  'api_key',
  'authorization',
  'cookie',
  'credential',
  'known_secret',
  'password',
  'private_key',
  'random',
  'secret',
  'token',
] as const;

export type SecretKind = (typeof SECRET_KINDS)[number];

/** Stands for the characters of a marker while text is searched: in no name, no token and no number. */
const MASK = '\uE000';

const MARKER = new RegExp(
  `\\[redacted (?:${SECRET_KINDS.join('|')}) len=\\d{1,10}(?: #[0-9a-f]{8})?\\]`,
  'g',
);

/**
 * Writes the marker that replaces a secret, such as `[redacted api_key len=51 #1a2b3c4d]`: kind, length in UTF-16
 * code units and, when there is a key, the first 8 hex digits of HMAC-SHA-256 over the secret. White space and
 * backslash escapes do not count for the hash, so a PEM block has the same one in a file and inside JSON.
 */
export function createMarker(key: Uint8Array | undefined): (kind: SecretKind, secret: string) => string {
  if (key === undefined) return (kind, secret) => `[redacted ${kind} len=${secret.length}]`;
  return (kind, secret) => {
    const bare = secret.replace(/\\{1,8}[nrt]|[\s\\]{1,64}/g, '');
    const digest = createHmac('sha256', key).update(bare).digest('hex');
    return `[redacted ${kind} len=${secret.length} #${digest.slice(0, 8)}]`;
  };
}

/** The text with every marker in it overwritten, character for character, so that offsets stay the same. */
export function maskMarkers(text: string): string {
  if (!text.includes('[redacted ')) return text;
  return text.replace(MARKER, (marker) => MASK.repeat(marker.length));
}

/** The text with every marker taken out. */
export function withoutMarkers(text: string): string {
  return text.replace(MARKER, '');
}

/** Whether nothing but markers stands in `[start, end)` of a masked text. */
export function isMasked(masked: string, start: number, end: number): boolean {
  for (let index = start; index < end; index += 1) {
    if (masked[index] !== MASK) return false;
  }
  return true;
}

/** Longer than any marker. */
const MAX_MARKER_CHARS = 64;

/** `offset`, or the start of the marker that `offset` lies within. */
export function outsideMarker(text: string, offset: number): number {
  const from = Math.max(0, offset - MAX_MARKER_CHARS);
  const start = from + text.slice(from, offset + 9).lastIndexOf('[redacted ');
  if (start < from) return offset;
  const masked = maskMarkers(text.slice(start, start + MAX_MARKER_CHARS));
  return masked.startsWith(MASK) && masked[offset - start] === MASK && text[offset - 1] !== ']'
    ? start
    : offset;
}
