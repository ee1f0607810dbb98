import { Buffer } from 'node:buffer';
import { alphanumericAnd, runEnd } from './alphabet.ts';
import type { Span } from './span.ts';
import { isWordStart } from './word-boundary.ts';

const SCHEME = /(bearer|basic)(?:[ \t]{1,4}|%20|\\ )/gi;
/** RFC 7235, section 2.1: token68. */
const TOKEN68 = alphanumericAnd('-._~+/=');
const JUDGED_CHARS = 512;

/** The credentials after `Bearer` and `Basic`, wherever they stand; the scheme stays. */
export function findAuthorizationSchemes(text: string): readonly Span[] {
  const spans: Span[] = [];
  SCHEME.lastIndex = 0;
  for (let match = SCHEME.exec(text); match !== null; match = SCHEME.exec(text)) {
    const start = SCHEME.lastIndex;
    const judged = text.slice(start, start + JUDGED_CHARS);
    const credentials = judged.slice(0, runEnd(judged, 0, TOKEN68));
    const isSecret =
      match[1]?.toLowerCase() === 'basic' ? isBasicCredentials(credentials) : isBearer(credentials);
    if (!isSecret || !isWordStart(text, match.index)) continue;
    const end = runEnd(text, start, TOKEN68);
    spans.push({ start, end, kind: 'authorization' });
    SCHEME.lastIndex = end;
  }
  return spans;
}

/** `Bearer authentication` and the challenge `Bearer realm=…` carry no secret. */
function isBearer(credentials: string): boolean {
  if (/^(?:realm|error|scope|charset)=/i.test(credentials)) return false;
  return credentials.length >= 8 && (/\d/.test(credentials) || /[a-z][A-Z]/.test(credentials));
}

/** RFC 7617: user and password joined by a colon, in base64. */
export function isBasicCredentials(credentials: string): boolean {
  if (!/^[A-Za-z0-9+/_-]{4,512}={0,2}$/.test(credentials)) return false;
  return Buffer.from(credentials, 'base64').includes(':');
}
