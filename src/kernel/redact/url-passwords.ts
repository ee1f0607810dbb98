import type { Span } from './span.ts';
import { isStandIn } from './stand-in.ts';

const STOPS = new Set(['/', '?', '#', ' ', '\t', '\n', '\r', '"', "'", '`', '<', '>', '\\', '|']);
/** A user name this long that mixes letters and digits is a token used in place of one. */
const MIN_TOKEN_USER_CHARS = 16;

/**
 * The password in the user information of a URL (RFC 3986, section 3.2.1); scheme, user and host stay. A token that is
 * used as the user name is found too. An `@` within the password is taken as part of it.
 */
export function findUrlPasswords(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) {
    const start = at + 3;
    const end = userInfoEnd(text, start);
    if (end === undefined || !/[a-z0-9]/i.test(text[at - 1] ?? '')) continue;
    const colon = text.slice(start, end).indexOf(':');
    const secretStart = colon === -1 ? start : start + colon + 1;
    const secret = text.slice(secretStart, end);
    if (isStandIn(secret) || (colon === -1 && !isTokenUser(secret))) continue;
    spans.push({ start: secretStart, end, kind: colon === -1 ? 'token' : 'password' });
  }
  return spans;
}

/**
 * The last `@` of the authority. Each search stops at the slash that the next scheme needs, so all together are linear.
 * A password with a slash in it, which nobody may write but people do, is told from a port by not being a number.
 */
function userInfoEnd(text: string, start: number): number | undefined {
  let stop = start;
  while (stop < text.length && !STOPS.has(text[stop] ?? '')) stop += 1;
  const authority = text.slice(start, stop);
  const at = authority.lastIndexOf('@');
  if (at !== -1) return start + at;
  if (stop === text.length || !/^[^:[\]]{0,128}:(?!\d{1,5}$)./.test(authority.slice(0, 256)))
    return undefined;
  const wider = text.slice(stop, stop + 256).split(/[\s"'`<>\\|]/)[0] ?? '';
  const widerAt = wider.lastIndexOf('@');
  return widerAt === -1 ? undefined : stop + widerAt;
}

function isTokenUser(user: string): boolean {
  return user.length >= MIN_TOKEN_USER_CHARS && /\d/.test(user) && /[A-Za-z]/.test(user);
}
