import type { CancelTimer, Clock } from '../../platform/clock/index.ts';
import { BEAT_MS } from './ghosts/judge-row.ts';
import type { LedgerFile } from './store/ledger-file.ts';
import { isRowOf, KEY_COLUMNS, type RowKey } from './store/row-key.ts';

/** The calls of this process that run, of which their rows are given a sign of life now and then. */
export class RunningCalls {
  readonly #file: LedgerFile;
  readonly #clock: Clock;
  readonly #running = new Map<number, { readonly key: RowKey; readonly generation: number }>();
  #stopBeating: CancelTimer | undefined;
  #isClosed = false;

  constructor(file: LedgerFile, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
  }

  add(id: number, key: RowKey): void {
    this.#running.set(id, { key, generation: this.#file.generation });
    if (this.#stopBeating === undefined && !this.#isClosed) this.#beatLater();
  }

  delete(id: number): void {
    this.#running.delete(id);
  }

  /** Which call the row of that number was made for; undefined when none of this process runs. */
  keyOf(id: number): RowKey | undefined {
    return this.#running.get(id)?.key;
  }

  /** Whether the row of that number in the file there is now is of a call that runs here. */
  has(id: number): boolean {
    return this.#running.get(id)?.generation === this.#file.generation;
  }

  /** No more signs of life. What runs is still known. */
  close(): void {
    this.#isClosed = true;
    this.#stopBeating?.();
    this.#stopBeating = undefined;
  }

  #beatLater(): void {
    this.#stopBeating = this.#clock.startTimer(
      BEAT_MS,
      () => {
        this.#stopBeating = undefined;
        if (this.#running.size === 0) return;
        this.#beatLater();
        // A beat that fails is made up for by the next.
        this.#beat().catch(() => undefined);
      },
      { background: true },
    );
  }

  async #beat(): Promise<void> {
    const uptime = this.#clock.monotonicMs();
    await this.#file.write(({ database }) => {
      if (this.#isClosed) return;
      for (const [id, { key }] of this.#running) {
        const row = database.get(`SELECT ${KEY_COLUMNS} FROM ledger WHERE id = ?`, [id]);
        if (row === undefined || !isRowOf(row, key)) continue;
        database.run('UPDATE ledger SET beat_uptime_ms = ? WHERE id = ?', [uptime, id]);
      }
    });
  }
}
