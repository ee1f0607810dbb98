import type { Redactor } from '../../kernel/redact/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import { Ledger } from './ledger.ts';
import { LedgerFile } from './store/ledger-file.ts';
import { Spool } from './store/spool.ts';

export interface OpenLedgerOptions {
  /** `ledger.db`, absolute. */
  readonly path: string;
  readonly clock: Clock;
  /** Takes secrets out of everything that is recorded. */
  readonly redactor: Redactor;
  /** How long a write waits for other processes, in milliseconds; 5,000 when absent. */
  readonly patienceMs?: number;
  /** Told, in one line, when a damaged journal was kept aside and a new one begun. */
  readonly onDamage: (line: string) => void;
}

/** A journal. Nothing is opened before it is needed, so this cannot fail; to be closed. */
export function openLedger({ path, clock, redactor, patienceMs, onDamage }: OpenLedgerOptions): Ledger {
  const file = new LedgerFile({
    path,
    clock,
    onDamage,
    ...(patienceMs === undefined ? {} : { patienceMs }),
  });
  const spool = new Spool(path.slice(0, path.lastIndexOf('/')), onDamage);
  return new Ledger({ file, spool, clock, redactor });
}
