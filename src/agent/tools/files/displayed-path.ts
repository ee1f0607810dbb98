import { displayPath } from '../../../platform/paths/index.ts';

const ESCAPE = /\\(?:[nrt\\]|x[0-9a-f]{2}|u[0-9a-f]{4}|u\{[0-9a-f]{5,6}\})/g;

const NAMED: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['\\', '\\'],
]);

/** The path as a tool lists it: {@link displayPath} in full length. */
export function toDisplayed(path: string): string {
  return displayPath(path, { maxLength: Number.POSITIVE_INFINITY });
}

/**
 * The path that {@link toDisplayed} lists as `displayed`; undefined when it lists none like that. So only what cannot be
 * written plainly can be meant by an escape: no `\x2e` for a dot, by which a path could be disguised.
 */
export function fromDisplayed(displayed: string): string | undefined {
  const path = displayed.replace(ESCAPE, unescape);
  return toDisplayed(path) === displayed ? path : undefined;
}

function unescape(escape: string): string {
  const named = NAMED.get(escape.slice(1));
  if (named !== undefined) return named;
  const code = Number.parseInt(escape.replaceAll(/[^0-9a-f]/g, ''), 16);
  if (escape.startsWith('\\x')) return characterOfByte(code);
  return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : '';
}

const LAST_CODE_POINT = 0x10ffff;

/** A byte from 0x80 is one that is no UTF-8, which paths hold as a lone surrogate. */
function characterOfByte(byte: number): string {
  return String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte);
}
