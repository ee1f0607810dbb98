import { EXIT, type ExitCode } from '../exit-code.ts';
import { printableLine } from '../output/printable.ts';
import { counted } from '../rollback/text-style.ts';
import { working } from '../rollback/working.ts';
import type { VerbContext } from '../verb.ts';
import { nothingYet } from './nothing-yet.ts';
import type { Journal } from './open-journal.ts';
import { verifyJournal } from './verify-journal.ts';

/** `herma ledger verify`: 0 when the journal is intact, 1 when it is not, 2 when that cannot be told. */
export async function runVerify(context: VerbContext, journal: Journal): Promise<ExitCode> {
  const { paths, signal } = context;
  if (!journal.ledger.file.exists) return nothingYet(context, null);
  const verified = await working(context, 'verifying', () => verifyJournal(journal, paths, signal));
  if (!verified.ok) return context.fail(verified);
  const { rows, entries, head, flaws, anchors } = verified.value;
  if (context.json)
    context.printJson({
      ok: flaws.length === 0,
      rows,
      entries,
      head: head === undefined ? null : { seq: head.seq, sha256: head.hash },
      anchors,
      flaws,
    });
  else {
    for (const { at, message } of flaws)
      context.print(context.colours.bad(printableLine(`${at}: ${message}`)));
    const verdict = flaws.length === 0 ? 'intact' : counted(flaws.length, 'flaw');
    const held = `held against ${counted(anchors, 'head')} noted elsewhere`;
    context.print(`${counted(rows, 'call')}, ${entriesText(entries)}, ${held}: ${verdict}.`);
  }
  if (flaws.length === 0) return EXIT.done;
  // What was sealed with a key that is not there cannot be judged.
  return flaws.every(({ kind }) => kind === 'lost_key') ? EXIT.couldNot : EXIT.no;
}

function entriesText(entries: number): string {
  return entries === 1 ? '1 entry' : `${String(entries)} entries`;
}
