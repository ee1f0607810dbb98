import { numberColumn, type Row } from '../../../platform/sqlite/index.ts';

/** A row that a call was matched with. */
export interface Match {
  readonly id: number;
  /** `name-fifo`: several were open, and the oldest was taken. */
  readonly pairing?: 'name' | 'name-fifo';
}

/** The row of `rows`, the oldest first, that a call of that id, or else of those arguments, is most likely of. */
export function matchOf(
  rows: readonly Row[],
  callId: string | undefined,
  sealedArgs: string | undefined,
): Match | undefined {
  const byId = callId === undefined ? undefined : rows.findLast((row) => row['tool_call_id'] === callId);
  if (byId !== undefined) return { id: numberColumn(byId, 'id') };
  if (callId !== undefined && callId !== '') return undefined;
  const byArgs = rows.find((row) => row['args_sha256'] === sealedArgs);
  if (byArgs !== undefined) return { id: numberColumn(byArgs, 'id'), pairing: 'name' };
  const [oldest] = rows;
  if (oldest === undefined) return undefined;
  return { id: numberColumn(oldest, 'id'), pairing: rows.length === 1 ? 'name' : 'name-fifo' };
}
