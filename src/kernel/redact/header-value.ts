import { unquotedEnd } from './value-scan.ts';

/** Authorization schemes (RFC 9110, section 11.4) whose credentials are one word. */
const ONE_WORD =
  'bearer|basic|token|bot|apikey|api-key|negotiate|ntlm|dpop|jwt|splunk|genie-?key|sso-key|ssws|key';
/** Authorization schemes whose credentials are a list of parameters up to the end of the header. */
const PARAMETERS =
  'digest|hawk|oauth|aws4-[a-z0-9-]{1,24}|signature|googlelogin|mac|scram-[a-z0-9-]{1,16}|sharedkey';

const SCHEME = new RegExp(`\\s{0,4}(?:(${ONE_WORD})|(${PARAMETERS}))(?:[ \\t]{1,4}|\\\\ |%20|\\+)`, 'iy');

export interface HeaderCredentials {
  readonly start: number;
  /** Whether the credentials reach to the end of the header instead of the end of the word. */
  readonly isList: boolean;
}

/** What follows the authorization scheme at `from`; all of it when there is no known scheme. */
export function afterScheme(text: string, from: number): HeaderCredentials {
  SCHEME.lastIndex = from;
  const match = SCHEME.exec(text);
  if (match === null) return { start: from, isList: false };
  return { start: SCHEME.lastIndex, isList: match[2] !== undefined };
}

const HEADER_END = /\r|\n|\\{1,15}[nr]/y;

/**
 * Where an unquoted header value ends: at the end of its line, also an escaped one, or at one of `quotes`, with the
 * backslashes before it.
 */
export function headerEnd(text: string, from: number, quotes: string): number {
  for (let index = from; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (quotes.includes(character)) return beforeSlashes(text, index, from);
    if (character !== '\r' && character !== '\n' && character !== '\\') continue;
    HEADER_END.lastIndex = index;
    if (HEADER_END.test(text)) return index;
  }
  return text.length;
}

function beforeSlashes(text: string, end: number, from: number): number {
  let index = end;
  while (index > from && text[index - 1] === '\\') index -= 1;
  return index;
}

/** Whether `name=value` starts at `from`, as in a `Cookie` header. */
export function isCookiePair(text: string, from: number): boolean {
  const start = text.slice(from, from + 128);
  return start.slice(0, unquotedEnd(start, 0)).includes('=');
}
