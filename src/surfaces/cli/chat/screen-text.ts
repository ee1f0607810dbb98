/**
 * What steers a terminal, turns the direction of text or cannot be seen. Not in it: line breaks, tabs, the joiners that
 * emoji and Persian are written with, and the Arabic signs that Unicode counts as format characters but are visible.
 */
const UNSAFE =
  /(?![\n\t]|\u200c|\u200d|[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text of unknown origin, on as many lines as it has, safe to write to a terminal: what is unsafe is shown escaped. */
export function screenText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** A piece that ends in the first half of something: of a character outside the BMP, or of a line break. */
const UNFINISHED = /[\ud800-\udbff\r]$/;

/** {@link screenText} for text that comes in pieces, which may be cut anywhere. */
export class ScreenTextStream {
  #held = '';

  /** What can be shown now. */
  take(piece: string): string {
    const text = this.#held + piece;
    this.#held = UNFINISHED.exec(text)?.[0] ?? '';
    return screenText(text.slice(0, text.length - this.#held.length));
  }
}
