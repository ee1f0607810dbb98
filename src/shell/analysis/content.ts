/** What is known of a text that the command handles: the value of a variable, what a program prints, what a file holds. */
export interface Content {
  /** Exact, when it is known. */
  readonly text: string | undefined;
  /** A pattern of the shell that it matches: `*` when nothing is known. Of no meaning when `text` is known. */
  readonly pattern: string;
  /** Whether anything unknown is in it; names that only a pattern of files decides are not unknown in this sense. */
  readonly isDynamic: boolean;
  /** Values it may have instead. */
  readonly choices: readonly string[];
  readonly origin: 'here' | 'network' | 'encoded';
  /** The file it is the content of, absolute. */
  readonly file: string | undefined;
  /** Patterns of paths: it is a list of such names. */
  readonly names: readonly string[] | undefined;
  /** Credentials, or the environment, may be in it. */
  readonly secret: 'none' | 'environment' | 'credential';
  /** Comes from a file or a program of this machine. */
  readonly isLocal: boolean;
}

const PLAIN: Omit<Content, 'text' | 'pattern' | 'isDynamic'> = {
  choices: [],
  origin: 'here',
  file: undefined,
  names: undefined,
  secret: 'none',
  isLocal: false,
};

export const MAX_TEXT = 65_536;
const MAX_PATTERN = 4096;
export const MAX_CHOICES = 8;

export const UNKNOWN: Content = { ...PLAIN, text: undefined, pattern: '*', isDynamic: true };
/** What an ordinary program prints. */
export const PRINTED: Content = { ...UNKNOWN, isLocal: true };
export const FROM_NETWORK: Content = { ...UNKNOWN, origin: 'network' };
export const DECODED: Content = { ...UNKNOWN, origin: 'encoded' };
export const NOTHING: Content = textContent('');
/** Digits: no part of a path that leads elsewhere. */
export const NUMBER: Content = { ...PLAIN, text: undefined, pattern: '*', isDynamic: false };

export function textContent(text: string): Content {
  return text.length > MAX_TEXT ? UNKNOWN : { ...PLAIN, text, pattern: '', isDynamic: false };
}

export function escapePattern(text: string): string {
  return /[*?[\]\\]/.test(text) ? text.replaceAll(/[*?[\]\\]/g, String.raw`\$&`) : text;
}

export function patternOf(content: Content): string {
  return content.text === undefined ? content.pattern : escapePattern(content.text);
}

/** The worst of both, text and pattern left aside. */
export function mergeTraits(one: Content, other: Content): Content {
  return {
    ...one,
    origin: worse(one.origin, other.origin, ['here', 'encoded', 'network']),
    secret: worse(one.secret, other.secret, ['none', 'environment', 'credential']),
    isLocal: one.isLocal || other.isLocal,
    file: one.file ?? other.file,
  };
}

function worse<T>(one: T, other: T, order: readonly T[]): T {
  return order.indexOf(one) >= order.indexOf(other) ? one : other;
}

/** One behind the other. */
export function concatenate(contents: readonly Content[]): Content {
  const all = contents.filter(({ text }) => text !== '');
  const [only] = all;
  if (only === undefined) return NOTHING;
  if (all.length === 1) return only;
  const names = all.flatMap(({ names: each }) => each ?? []);
  const texts = all.flatMap(({ text }) => text ?? []);
  const whole = texts.length === all.length ? joinTexts(texts) : UNKNOWN;
  const merged = all.reduce(mergeTraits, whole);
  return { ...merged, file: undefined, names: names.length > 0 ? names : undefined };
}

function joinTexts(texts: readonly string[]): Content {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  return length > MAX_TEXT ? UNKNOWN : textContent(texts.join(''));
}

/** A pattern of several; of one that gets too long only that nothing is known is left. */
export function joinPatterns(patterns: readonly string[]): string {
  const length = patterns.reduce((sum, pattern) => sum + pattern.length, 0);
  return length > MAX_PATTERN ? '*' : patterns.join('');
}

/** One or the other: what a variable holds behind branches. */
export function either(one: Content, other: Content): Content {
  if (one === other || (one.text !== undefined && one.text === other.text)) return one;
  const choices = [...new Set([...textsOf(one), ...textsOf(other)])];
  const isDynamic = one.isDynamic || other.isDynamic || choices.length > MAX_CHOICES;
  const merged = mergeTraits(UNKNOWN, mergeTraits(one, other));
  return { ...merged, isDynamic, choices: choices.slice(0, MAX_CHOICES) };
}

function textsOf({ text, choices }: Content): readonly string[] {
  return text === undefined ? choices : [text];
}
