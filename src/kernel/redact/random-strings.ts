import { alphanumericAnd, runEnd } from './alphabet.ts';
import type { Span } from './span.ts';

const CANDIDATE = alphanumericAnd('+/_-');
const MIN_CHARS = 32;
/** Bits per character. Hexadecimal digits cannot exceed 4, so commit ids, digests and UUIDs never reach it. */
const MIN_ENTROPY = 4;

/** Digests that name what they belong to (`sha512-…`, `h1:…`, `SHA256:…`). */
const DIGEST_BEFORE = /(?:sha(?:1|224|256|384|512)["'\s=:-]{1,4}|md5["'\s=:-]{1,4}|h1:)$/i;
/** RFC 2397: a picture or a font that stands in the text itself. */
const DATA_URL_BEFORE = /data:(?:image|font|audio|video)\/[\w.+-]{1,40}(?:;[\w=-]{1,30})?;base64,$/;
/** UUIDs and digests as parts of a longer name. */
const IDENTIFIER =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<![A-Za-z0-9])(?:[0-9a-f]{32,128})(?![A-Za-z0-9])/g;
const DIGEST = /^(?:integrity-)?sha(?:1|224|256|384|512)-/i;
/** Identifiers that model providers give to messages and calls. */
const PROVIDER_ID =
  /^(?:toolu|srvtoolu|call|msg|chatcmpl|resp|req|run|fc|rs|item|thread|asst|file|batch)[_-]/;
/** RFC 4253, section 6.6: the name of the key type, in base64, starts a public key. */
const PUBLIC_SSH_KEY = /^AAAA(?:B3NzaC1|C3NzaC1|E2VjZHNh|G)/;
const HEX = /^(?:0x)?[0-9a-fA-F]{1,256}$/;

/**
 * Long strings of letters and digits that are too random to be words: base64 and the like. Digests, public keys,
 * identifiers, hexadecimal numbers, file paths and long names in source code are not.
 */
export function findRandomStrings(text: string): readonly Span[] {
  const spans: Span[] = [];
  let index = 0;
  while (index < text.length) {
    const end = runEnd(text, index, CANDIDATE);
    if (end - index >= MIN_CHARS) spans.push(...judge(text, index, end));
    index = end + 1;
  }
  return spans;
}

function judge(text: string, start: number, end: number): readonly Span[] {
  const head = text.slice(start, start + 16);
  const before = text.slice(Math.max(0, start - 96), start);
  if (DIGEST.test(head) || DIGEST_BEFORE.test(before) || DATA_URL_BEFORE.test(before)) return [];
  const isPath = head.startsWith('/') || /[.~:@]/.test(text[start - 1] ?? '');
  if (!isPath && isRandom(text, start, end)) return [{ start, end: paddingEnd(text, end), kind: 'random' }];
  return segments(text, start, end)
    .filter(
      (segment) => segment.end - segment.start >= MIN_CHARS && isRandom(text, segment.start, segment.end),
    )
    .map((segment) => ({ ...segment, kind: 'random' as const }));
}

function paddingEnd(text: string, end: number): number {
  if (text[end] !== '=') return end;
  return text[end + 1] === '=' ? end + 2 : end + 1;
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The parts between slashes. */
function segments(text: string, start: number, end: number): readonly Stretch[] {
  const found: Stretch[] = [];
  let from = start;
  for (let index = start; index <= end; index += 1) {
    if (index < end && text[index] !== '/') continue;
    found.push({ start: from, end: index });
    from = index + 1;
  }
  return found;
}

type CharacterClass = 'digit' | 'upper' | 'lower' | 'other';

/**
 * Capital and small letters and digits, more than 4 bits a character, and a digit next to a letter at least once in ten
 * characters. In a random string that happens once in four, in names made of words hardly ever.
 */
function isRandom(text: string, start: number, end: number): boolean {
  if (isIdentifier(text.slice(start, Math.min(end, start + 257)))) return false;
  const counts = new Uint32Array(128);
  const seen = new Set<CharacterClass>();
  let previous: CharacterClass = 'other';
  let switches = 0;
  for (let index = start; index < end; index += 1) {
    const code = text.charCodeAt(index);
    counts[code] = (counts[code] ?? 0) + 1;
    const current = classOf(code);
    if (isSwitch(previous, current)) switches += 1;
    seen.add(current);
    previous = current;
  }
  if (!seen.has('digit') || !seen.has('upper') || !seen.has('lower')) return false;
  const length = end - start;
  return switches >= Math.max(4, length / 10) && entropy(counts, length) > MIN_ENTROPY;
}

function isSwitch(previous: CharacterClass, current: CharacterClass): boolean {
  if (previous === current || previous === 'other' || current === 'other') return false;
  return previous === 'digit' || current === 'digit';
}

function isIdentifier(candidate: string): boolean {
  if (PROVIDER_ID.test(candidate) || PUBLIC_SSH_KEY.test(candidate)) return true;
  if (candidate.length > 256) return false;
  return HEX.test(candidate) || candidate.replace(IDENTIFIER, '').length < MIN_CHARS;
}

function classOf(code: number): CharacterClass {
  if (code >= 48 && code <= 57) return 'digit';
  if (code >= 65 && code <= 90) return 'upper';
  return code >= 97 && code <= 122 ? 'lower' : 'other';
}

/** Shannon entropy in bits per character. */
function entropy(counts: Uint32Array, length: number): number {
  let bits = 0;
  for (const count of counts) {
    if (count > 0) bits -= (count / length) * Math.log2(count / length);
  }
  return bits;
}
