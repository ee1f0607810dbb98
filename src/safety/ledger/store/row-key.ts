import type { Row } from '../../../platform/sqlite/index.ts';

/**
 * Which call a row is of. A number alone does not say it: a new file begins to count anew, and who lives across its replacement would
 * settle the row of another call.
 */
export interface RowKey {
  readonly root_session_id: string;
  readonly turn_id: string;
  readonly tool_call_id: string;
  readonly ts?: string;
  readonly args_sha256?: string;
}

/** The columns {@link isRowOf} and {@link keyIn} want. */
export const KEY_COLUMNS = 'root_session_id, turn_id, tool_call_id, ts, args_sha256';

/** Whether a row is that of the call; what the key does not say does not matter. */
export function isRowOf(row: Row, key: RowKey): boolean {
  return Object.entries(key).every(([name, value]) => value === undefined || row[name] === value);
}

/** The key of a row; undefined when somebody edited it so that it has none. */
export function keyIn(row: Readonly<Record<string, unknown>>): RowKey | undefined {
  const [root, turn, call, ts] = ['root_session_id', 'turn_id', 'tool_call_id', 'ts'].map(
    (name) => row[name],
  );
  if (typeof root !== 'string' || typeof turn !== 'string') return undefined;
  if (typeof call !== 'string' || typeof ts !== 'string') return undefined;
  return { root_session_id: root, turn_id: turn, tool_call_id: call, ts };
}
