import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { statPath } from '../../../platform/files/index.ts';
import { displayPath, type HomePaths, resolvePath } from '../../../platform/paths/index.ts';
import { type LedgerVerification, verifyLedger } from '../../../safety/ledger/index.ts';
import { headsInLog } from './noted-heads.ts';
import type { Journal } from './open-journal.ts';

/** What is wrong with a journal; `damaged` when its file could not be read and was kept aside just now. */
export interface JournalFlaw {
  readonly kind: LedgerVerification['flaws'][number]['kind'] | 'damaged';
  readonly at: string;
  readonly message: string;
}

/** What a look at a whole journal says. */
export interface JournalVerification extends Omit<LedgerVerification, 'flaws'> {
  readonly flaws: readonly JournalFlaw[];
  /** Heads noted outside the journal that it was held against. */
  readonly anchors: number;
}

/**
 * Checks the chain and the rows of a journal that is there, against what is noted of it in the store of checkpoints and in the log. Fails
 * when it cannot be told: with `no_key` when what it was sealed with is gone.
 */
export async function verifyJournal(
  { ledger, anchors, damages }: Pick<Journal, 'ledger' | 'anchors' | 'damages'>,
  paths: HomePaths,
  signal: AbortSignal,
): Promise<Result<JournalVerification>> {
  const keyPath = resolvePath(paths.ledger, 'ledger.key');
  const key = await statPath(keyPath);
  if (!key.ok) return key;
  if (key.value === undefined)
    return fail(
      'no_key',
      `${displayPath(keyPath)} is missing: what the journal was sealed with cannot be known.`,
      'Put it back from a backup.',
    );
  const noted = await anchors.read();
  if (!noted.ok) return noted;
  const logged = await headsInLog(paths.log, signal);
  const before = damages().length;
  const verified = await verifyLedger(ledger, [...noted.value, ...logged]);
  if (!verified.ok) return verified;
  const damaged = damages()
    .slice(before)
    .map((message): JournalFlaw => ({ kind: 'damaged', at: 'the file', message }));
  const known = new Map(noted.value.map(({ seq, hash }) => [seq, hash]));
  const disagreeing = logged
    .filter(({ seq, hash }) => known.has(seq) && known.get(seq) !== hash)
    .map(
      ({ seq }): JournalFlaw => ({
        kind: 'truncated',
        at: `entry ${String(seq)}`,
        message: `two different entries ${String(seq)} were noted outside the journal: the file was replaced in between`,
      }),
    );
  return succeed({
    ...verified.value,
    flaws: [...damaged, ...disagreeing, ...verified.value.flaws],
    anchors: new Set([...noted.value, ...logged].map(({ seq }) => seq)).size,
  });
}
