import { stripVTControlCharacters } from 'node:util';

/** Characters of two columns: East Asian Width W and F (Unicode TR11), in ranges. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x17000, 0x18cff],
  [0x1aff0, 0x1b2fb],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];
const EMOJI = /^\p{Emoji_Presentation}|\uFE0F|^\p{Regional_Indicator}{2}$/u;
const INVISIBLE = /^[\p{Cc}\p{Cf}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]+$/u;
const PLAIN = /^[\u0020-\u007e]*$/;

/** Made when it is needed: it takes milliseconds to load. */
let segmenter: Intl.Segmenter | undefined;

function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter;
}

/** Columns the text takes on a terminal; colours take none. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes().segment(stripVTControlCharacters(text)))
    width += graphemeWidth(segment);
  return width;
}

/** The text cut to `columns`, with an ellipsis when something is missing. Colours must be added afterwards. */
export function truncateToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes().segment(text)) {
    width += graphemeWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return columns < 1 ? '' : `${kept}…`;
}

function graphemeWidth(grapheme: string): number {
  if (INVISIBLE.test(grapheme)) return 0;
  const code = grapheme.codePointAt(0) ?? 0;
  return EMOJI.test(grapheme) || WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}
