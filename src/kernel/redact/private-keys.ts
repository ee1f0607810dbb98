import { alphanumericAnd, runEnd } from './alphabet.ts';
import type { Span } from './span.ts';

const BEGIN = /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
const END = /-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/y;
/** What may stand between the first line and the key: line ends, also escaped, and the joints of string literals. */
const JOINT = /(?:\s|\\{1,15}[nrt]|\\{0,15}["'`]|[+,]){0,64}/y;
const BODY = alphanumericAnd('+/=');
/** RFC 1421, section 4.6 and RFC 4880, section 6.2: `Proc-Type: 4,ENCRYPTED`, `Version: 1`. */
const HEADER = /(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID):[^\n\\"'`]{0,200}/y;

const MAX_BLOCK_CHARS = 65_536;

/**
 * Private keys in PEM, OpenPGP and SSH2 armour, from the first line to the last. A block that is cut off before its last
 * line ends where its text does. A first line with no key after it, as in the code that looks for one, is no secret.
 */
export function findPrivateKeys(text: string): readonly Span[] {
  const spans: Span[] = [];
  const nextEnd = endFinder(text);
  BEGIN.lastIndex = 0;
  for (let match = BEGIN.exec(text); match !== null; match = BEGIN.exec(text)) {
    const bodyStart = BEGIN.lastIndex;
    const firstToken = skip(JOINT, text, bodyStart);
    if (!hasBody(text, firstToken)) continue;
    const closing = nextEnd(bodyStart);
    const nextBegin = BEGIN.exec(text)?.index ?? text.length;
    const isWhole =
      closing !== undefined && closing.start < nextBegin && closing.start - bodyStart <= MAX_BLOCK_CHARS;
    const end = isWhole ? closing.end : cutOffEnd(text, firstToken);
    spans.push({ start: match.index, end, kind: 'private_key' });
    BEGIN.lastIndex = end;
  }
  return spans;
}

function hasBody(text: string, at: number): boolean {
  return runEnd(text, at, BODY) > at || skip(HEADER, text, at) > at;
}

function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

interface LastLine {
  readonly start: number;
  readonly end: number;
}

/** Finds the next last line at or after an offset that only grows; the text is walked once in all. */
function endFinder(text: string): (from: number) => LastLine | undefined {
  let start = 0;
  let end = 0;
  return (from) => {
    while (start !== -1 && (end === 0 || start < from)) {
      start = text.indexOf('----', Math.max(from, end));
      if (start === -1) break;
      const after = skip(END, text, start);
      end = after > start ? after : start + 1;
      if (after > start) return { start, end };
    }
    return start === -1 ? undefined : { start, end };
  };
}

/** Shorter runs of letters continue a key that is cut off only on a line of their own. */
const MIN_LINE_CHARS = 24;
const LINE_BREAK = /\n|\\{1,15}[nr]/;

function cutOffEnd(text: string, firstToken: number): number {
  let end = tokenEnd(text, firstToken);
  for (;;) {
    const next = skip(JOINT, text, end);
    const nextEnd = tokenEnd(text, next);
    const isOnOwnLine = LINE_BREAK.test(text.slice(end, next));
    if (nextEnd === next || (nextEnd - next < MIN_LINE_CHARS && !isOnOwnLine)) return end;
    end = nextEnd;
  }
}

function tokenEnd(text: string, from: number): number {
  const headerEnd = skip(HEADER, text, from);
  return headerEnd > from ? headerEnd : runEnd(text, from, BODY);
}
