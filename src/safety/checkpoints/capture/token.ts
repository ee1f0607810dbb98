import type { Oid } from '../model/path-state.ts';

/** A record that was opened. */
export interface OpenedRecord {
  readonly h16: string;
  readonly seq: number;
  readonly id: Oid;
}

/** The token of a capture: one part for each record, with its id, so that it never means another. */
export function encodeToken(records: readonly OpenedRecord[]): string {
  return records.map(({ h16, seq, id }) => `${h16}:${String(seq)}:${id}`).join(' ');
}

/** Parts that are none are left out. */
export function decodeToken(token: string): readonly OpenedRecord[] {
  return token.split(' ').flatMap((part) => {
    const [, h16, seq, id] = /^([0-9a-f]{16}):(\d{1,16}):([0-9a-f]{40})$/.exec(part) ?? [];
    return h16 === undefined || seq === undefined || id === undefined ? [] : [{ h16, seq: Number(seq), id }];
  });
}
