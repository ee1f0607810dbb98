import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { printableLine } from '../output/printable.ts';

const ID = /^#?([1-9]\d{0,14})$/;
const SHOWN = 40;

/** The number of a row, as it is shown: `12` or `#12`. */
export function readCallId(text: string): Result<number, 'usage'> {
  const [, digits] = ID.exec(text.trim()) ?? [];
  if (digits !== undefined) return succeed(Number(digits));
  const cut = text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}…` : text;
  return fail(
    'usage',
    `${JSON.stringify(printableLine(cut))} is no number of a call`,
    '`herma ledger list` shows them in its first column',
  );
}
