import { type Alphabet, alphanumericAnd, runEnd } from './alphabet.ts';
import type { SecretKind } from './marker.ts';
import type { Span } from './span.ts';
import { isWordStart } from './word-boundary.ts';

/**
 * Secrets that are known by how they begin. `head` is a fixed beginning; `rest` are the characters that may follow it.
 * The first {@link JUDGED_CHARS} of them decide, so that text full of beginnings costs no more than its length.
 */
interface TokenShape {
  readonly kind: SecretKind;
  readonly head: string;
  readonly rest: Alphabet;
  /** Whether the head is part of another word unless it starts one (`sk-` in `task-`). */
  readonly atWordStart?: boolean;
  /** How many characters must follow the head. */
  readonly min: number;
  /** Whether the head is ordinary text that stays visible, as in the address of a webhook. */
  readonly keepHead?: boolean;
  readonly accepts?: (rest: string) => boolean;
}

const JUDGED_CHARS = 64;
const PLAIN = alphanumericAnd('');
const URL_SAFE = alphanumericAnd('_-');
const DOTTED = alphanumericAnd('_.-');
const BASE64 = alphanumericAnd('+/=_-');

const hasDigit = (rest: string): boolean => /\d/.test(rest);
const isLongOrHasDigit = (rest: string): boolean => rest.length >= 30 || hasDigit(rest);

/** `sk-` also starts class names and locales (`sk-fading-circle12`, `sk-SK`): what follows must look generated. */
function looksLikeKey(rest: string): boolean {
  if (/[A-Za-z0-9]{20}/.test(rest)) return true;
  if (!hasDigit(rest)) return false;
  return /[A-Z]/.test(rest) || /\d{6}/.test(rest) || /[A-Za-z0-9]{16}/.test(rest);
}

const SHAPES: readonly TokenShape[] = [
  { kind: 'api_key', head: 'sk-', atWordStart: true, rest: URL_SAFE, min: 8, accepts: looksLikeKey },
  { kind: 'api_key', head: '[sr]k_(?:live|test)_', atWordStart: true, rest: URL_SAFE, min: 8 },
  { kind: 'secret', head: 'whsec_', rest: BASE64, min: 10 },
  { kind: 'token', head: 'gh[pousr]_', rest: URL_SAFE, min: 8, accepts: isLongOrHasDigit },
  { kind: 'token', head: 'github_pat_', rest: URL_SAFE, min: 8, accepts: isLongOrHasDigit },
  {
    kind: 'token',
    head: 'gl(?:pat|ptt|dt|rt|cbt|soat|ft|imt|agent)-',
    rest: DOTTED,
    min: 8,
    accepts: isLongOrHasDigit,
  },
  { kind: 'api_key', head: '(?:AKIA|ABIA|ACCA)(?=[A-Z0-9]{16})', atWordStart: true, rest: PLAIN, min: 16 },
  {
    kind: 'api_key',
    head: 'ASIA(?=[A-Z0-9]{16})',
    atWordStart: true,
    rest: PLAIN,
    min: 16,
    accepts: hasDigit,
  },
  { kind: 'token', head: 'xox[abeoprs]-', rest: DOTTED, min: 8, accepts: isLongOrHasDigit },
  { kind: 'token', head: 'xapp-', atWordStart: true, rest: URL_SAFE, min: 10, accepts: hasDigit },
  { kind: 'api_key', head: 'AIza', rest: URL_SAFE, min: 30 },
  { kind: 'secret', head: 'GOCSPX-', rest: URL_SAFE, min: 10 },
  { kind: 'token', head: 'ya29\\.', atWordStart: true, rest: DOTTED, min: 10 },
  {
    kind: 'token',
    head: 'npm_(?=[A-Za-z0-9]{20})',
    atWordStart: true,
    rest: PLAIN,
    min: 20,
    accepts: isLongOrHasDigit,
  },
  { kind: 'token', head: 'hf_(?=[A-Za-z0-9]{20})', atWordStart: true, rest: PLAIN, min: 20 },
  { kind: 'token', head: 'pypi-AgE', rest: URL_SAFE, min: 20 },
  { kind: 'token', head: 'dckr_(?:pat|oat)_', rest: URL_SAFE, min: 10 },
  { kind: 'token', head: 'do[opr]_v1_', rest: PLAIN, min: 20 },
  { kind: 'token', head: 'shp(?:at|ca|pa|ss)_', rest: PLAIN, min: 20, accepts: hasDigit },
  { kind: 'token', head: 'hv[sbr]\\.', atWordStart: true, rest: URL_SAFE, min: 20 },
  {
    kind: 'api_key',
    head: '(?:gsk|xai|pplx|tvly|fw|r8|nvapi|sbp|figd|ntn|lin_api|PMAK|NRAK)[_-]',
    atWordStart: true,
    rest: URL_SAFE,
    min: 20,
    accepts: isLongOrHasDigit,
  },
  { kind: 'token', head: 'glsa_', rest: URL_SAFE, min: 20 },
  { kind: 'token', head: 'sntry[su]_', rest: BASE64, min: 20 },
  { kind: 'token', head: 'ATATT3', atWordStart: true, rest: BASE64, min: 20 },
  { kind: 'token', head: 'pscale_(?:tkn|pw)_', rest: DOTTED, min: 20 },
  { kind: 'token', head: 'dapi(?=[0-9a-f]{32})', atWordStart: true, rest: URL_SAFE, min: 32 },
  { kind: 'api_key', head: 'SG\\.(?=[A-Za-z0-9_-]{16,32}\\.)', atWordStart: true, rest: DOTTED, min: 32 },
  { kind: 'api_key', head: 'key-(?=[0-9a-f]{32})', atWordStart: true, rest: PLAIN, min: 32 },
  { kind: 'api_key', head: 'SK(?=[0-9a-f]{32})', atWordStart: true, rest: PLAIN, min: 32 },
  { kind: 'private_key', head: 'AGE-SECRET-KEY-1', rest: PLAIN, min: 10 },
  { kind: 'private_key', head: 'LS0tLS1CRUdJTiB[QRSPFE]', rest: BASE64, min: 10 },
  { kind: 'token', head: '(?<!\\d)\\d{5,12}:AA', rest: URL_SAFE, min: 10 },
  {
    kind: 'secret',
    head: 'hooks\\.slack\\.com/(?:services|workflows|triggers)/',
    rest: alphanumericAnd('/_-'),
    min: 8,
    keepHead: true,
  },
  {
    kind: 'secret',
    head: 'discord(?:app)?\\.com/api/webhooks/\\d{5,25}/',
    rest: URL_SAFE,
    min: 8,
    keepHead: true,
  },
  { kind: 'token', head: '(?<=bot)\\d{5,12}:', rest: URL_SAFE, min: 20 },
  {
    kind: 'secret',
    head: '[?&](?:amp;)?(?:sig|[Ss]ignature|X-Amz-Signature|X-Goog-Signature)=',
    rest: alphanumericAnd('%+/=_-'),
    min: 16,
    keepHead: true,
  },
  {
    kind: 'secret',
    head: '[?&](?:amp;)?(?:code|key)=',
    rest: URL_SAFE,
    min: 20,
    keepHead: true,
    accepts: hasDigit,
  },
  { kind: 'password', head: '\\$(?:2[aby]|[156y]|argon2id?)\\$', rest: alphanumericAnd('./$=,+'), min: 20 },
];

const HEADS = new RegExp(SHAPES.map(({ head }) => `(${head})`).join('|'), 'g');

/** The spans of tokens with a known beginning, among them JSON Web Tokens. */
export function findTokenShapes(text: string): readonly Span[] {
  const spans: Span[] = [...findJsonWebTokens(text)];
  HEADS.lastIndex = 0;
  for (let match = HEADS.exec(text); match !== null; match = HEADS.exec(text)) {
    const shape = SHAPES[match.slice(1).findIndex((group: string | undefined) => group !== undefined)];
    const restStart = HEADS.lastIndex;
    if (shape === undefined || !isAccepted(shape, text, restStart)) continue;
    if (shape.atWordStart === true && !isWordStart(text, match.index)) continue;
    const end = withoutFinalDots(text, runEnd(text, restStart, shape.rest));
    spans.push({ start: shape.keepHead === true ? restStart : match.index, end, kind: shape.kind });
    HEADS.lastIndex = end;
  }
  return spans;
}

function isAccepted(shape: TokenShape, text: string, restStart: number): boolean {
  const judged = text.slice(restStart, restStart + JUDGED_CHARS);
  const rest = judged.slice(0, runEnd(judged, 0, shape.rest));
  return rest.length >= shape.min && (shape.accepts?.(rest) ?? true);
}

/** RFC 7519: base64url parts joined by dots, the first of which starts with `{"`. Two parts are enough: it may be cut. */
function findJsonWebTokens(text: string): readonly Span[] {
  const spans: Span[] = [];
  let start = text.indexOf('eyJ');
  while (start !== -1) {
    const headerEnd = runEnd(text, start, URL_SAFE);
    const end = text[headerEnd] === '.' ? runEnd(text, headerEnd, DOTTED) : headerEnd;
    if (headerEnd - start >= 10 && end - headerEnd >= 8) {
      spans.push({ start, end: withoutFinalDots(text, end), kind: 'token' });
    }
    start = text.indexOf('eyJ', end);
  }
  return spans;
}

/** The full stop after a token belongs to the sentence around it. */
function withoutFinalDots(text: string, end: number): number {
  let trimmed = end;
  while (text[trimmed - 1] === '.') trimmed -= 1;
  return trimmed;
}
