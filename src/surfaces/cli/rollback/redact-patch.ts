import { redact } from '../../../kernel/redact/index.ts';

const KEY_BEGINS = /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}[\s"'`+,\\nr]*$/;
/** A line of the key itself, of its headers, or an empty one between them, also in string literals. */
const KEY_GOES_ON = /^[\s"'`+,]*(?:[A-Za-z0-9+/=]*|[A-Za-z-]{1,40}: .*)(?:\\[nrt])*[\s"'`+,]*$/;
const HIDDEN = '[redacted private_key]';

/** The sides of a patch that a row is on. */
const SIDES: ReadonlyMap<string, readonly ('old' | 'new')[]> = new Map([
  ['-', ['old']],
  ['+', ['new']],
  [' ', ['old', 'new']],
]);

/**
 * A patch without secrets: the same rows, each with what may be a secret replaced by a marker. Names of files stay. What
 * was redacted can no longer be applied.
 */
export function redactPatch(patch: string): string {
  const inKey = { old: false, new: false };
  let isHeader = true;
  return patch
    .split('\n')
    .map((row) => {
      const sides = SIDES.get(row.charAt(0));
      if (row.startsWith('@@ ')) {
        isHeader = false;
        inKey.old = false;
        inKey.new = false;
      } else if (sides === undefined && !row.startsWith('\\')) isHeader = true;
      if (isHeader || sides === undefined) return row;
      const text = row.slice(1);
      const isHidden = sides.some((side) => inKey[side]) && KEY_GOES_ON.test(text);
      const begins = KEY_BEGINS.test(text);
      for (const side of sides) inKey[side] = begins || isHidden;
      return row.charAt(0) + (isHidden && text.trim() !== '' ? HIDDEN : redact.text(text));
    })
    .join('\n');
}
