/** Marks of direction, characters without width, tags, control characters: what is seen is not what is there. */
const HIDDEN =
  /[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/u;
/** Between pictures, joiners make one of several. */
const JOINED =
  /(\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?)\u200d(?=\p{Extended_Pictographic})/gu;

export function hasHiddenCharacters(text: string): boolean {
  return HIDDEN.test(text) && HIDDEN.test(text.replaceAll(JOINED, '$1'));
}
