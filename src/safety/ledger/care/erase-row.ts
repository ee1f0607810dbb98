import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import type { Clock } from '../../../platform/clock/index.ts';
import type { Ledger } from '../ledger.ts';
import { noteState, OPEN } from '../store/write-row.ts';

/**
 * Takes the payload of one row away: its arguments, what was foreseen, what was said of it, and its result. That it was is an entry of
 * the chain, which stays valid. Fails with `unknown_row`, and with `row_is_open` for a call that may still have to be looked for.
 */
export async function eraseRow(ledger: Ledger, id: number, clock: Clock): Promise<Result<undefined>> {
  const at = new Date(clock.now()).toISOString();
  const found = await ledger.work((access): 'erased' | 'open' | 'unknown' => {
    const { database } = access;
    const row = database.get(`SELECT (${OPEN}) AS open FROM ledger WHERE id = ?`, [id]);
    if (row === undefined) return 'unknown';
    if (row['open'] === 1) return 'open';
    database.run(
      'UPDATE ledger SET args_json = NULL, foreseen_json = NULL, verdicts_json = NULL, result_digest = NULL WHERE id = ?',
      [id],
    );
    noteState(access, id, { kind: 'erased', at });
    return 'erased';
  });
  if (!found.ok) return found;
  switch (found.value) {
    case 'unknown':
      return fail(
        'unknown_row',
        `There is no call #${String(id)} in the journal.`,
        '`herma ledger list` shows those there are.',
      );
    case 'open':
      return fail(
        'row_is_open',
        `How call #${String(id)} ended is not known, and what it was is needed to find out.`,
        `Look at it with \`herma ledger show ${String(id)}\`, then \`herma ledger ack ${String(id)}\`.`,
      );
    case 'erased': {
      const reclaimed = await ledger.reclaim();
      return reclaimed.ok ? succeed(undefined) : reclaimed;
    }
  }
}
