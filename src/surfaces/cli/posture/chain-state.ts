import { createRedactor } from '../../../kernel/redact/index.ts';
import { statPath } from '../../../platform/files/index.ts';
import { HeadAnchors, openLedger, verifyLedger } from '../../../safety/ledger/index.ts';
import { verifyJournal } from '../ledger/verify-journal.ts';
import type { VerbContext } from '../verb.ts';

const ENTRY = /^entry (\d+)$/;

/**
 * What the chain of a journal says: `ok`, `broken@` and where it does not hold first, or `absent` with the reason when there is nothing
 * to check it with. That of this home is also held against what was noted of it elsewhere. `path` is absolute.
 */
export async function chainState(
  context: VerbContext,
  path: string,
): Promise<{ readonly chain: string; readonly note?: string }> {
  const { clock, paths, signal } = context;
  const key = await statPath(`${path.slice(0, path.lastIndexOf('/'))}/ledger.key`);
  if (!key.ok || key.value === undefined)
    return { chain: 'absent', note: 'the chain of the journal is not checked: no ledger.key lies beside it' };
  const damages: string[] = [];
  const ledger = openLedger({
    path,
    clock,
    redactor: createRedactor(),
    onDamage: (line) => damages.push(line),
  });
  try {
    const isOwn = path === paths.ledgerDatabase;
    const anchors = new HeadAnchors(paths.ledgerHeads);
    const verified = isOwn
      ? await verifyJournal({ ledger, anchors, damages: () => damages }, paths, signal)
      : await verifyLedger(ledger, []);
    if (!verified.ok)
      return { chain: 'absent', note: `the chain of the journal is not checked: ${verified.message}` };
    const [flaw] = verified.value.flaws;
    if (flaw === undefined) return { chain: 'ok' };
    return { chain: `broken@${ENTRY.exec(flaw.at)?.[1] ?? flaw.at}`, note: flaw.message };
  } finally {
    ledger.close();
  }
}
