import { basename } from 'node:path';
import type { RetentionParts } from './retention-parts.ts';

const REF_NAME = /^([0-9a-f]{16})\/(?:(?:close|private)\/)?(\d{10,16})$/;

/** Half of something that was never finished, or not removed to the end. */
export interface LooseEnds {
  /** Refs without records, below `refs/herma/`. */
  readonly refs: readonly string[];
  /** Closes without opens. */
  readonly closes: readonly { readonly h16: string; readonly seq: number }[];
  /** Reservations of processes that are dead. */
  readonly reservations: readonly { readonly h16: string; readonly seq: number }[];
}

/**
 * What takes and drops that died on the way have left. A take that runs looks the same until its record is in place: look
 * twice, and wait for the leases in between.
 */
export function findLooseEnds(parts: RetentionParts): LooseEnds {
  const refs: string[] = [];
  const closes: { h16: string; seq: number }[] = [];
  const reservations: { h16: string; seq: number }[] = [];
  const names = parts.refs.list('').map(({ name }) => name);
  const hashes = new Set([
    ...parts.journals.hashes(),
    ...names.flatMap((name) => REF_NAME.exec(name)?.[1] ?? []),
  ]);
  for (const h16 of hashes) {
    const journal = parts.journals.of(h16);
    const records = journal.records();
    const opens = new Set(records.filter(({ type }) => type === 'open').map(({ seq }) => seq));
    // A damaged open may still have its closes.
    const damaged = new Set(journal.damaged().map(({ path }) => Number.parseInt(basename(path), 10)));
    const known = new Set([...records.map(({ seq }) => seq), ...damaged]);
    for (const { seq, process } of journal.reservations()) {
      if (parts.isAlive(process) === 'dead') reservations.push({ h16, seq });
      else known.add(seq);
    }
    for (const record of records)
      if (record.type === 'close' && !opens.has(record.opens) && !damaged.has(record.opens))
        closes.push({ h16, seq: record.seq });
    for (const name of names) {
      const [, project, seq] = REF_NAME.exec(name) ?? [];
      if (project === h16 && !known.has(Number(seq))) refs.push(name);
    }
  }
  return { refs, closes, reservations };
}

/** Removes what was found before the takes of that time had ended, and is still so. Returns how many. */
export function removeLooseEnds(parts: RetentionParts, found: LooseEnds): number {
  const now = findLooseEnds(parts);
  const wasFound = (list: LooseEnds['closes']) => (one: { h16: string; seq: number }) =>
    list.some(({ h16, seq }) => h16 === one.h16 && seq === one.seq);
  const closes = now.closes.filter(wasFound(found.closes));
  const reservations = now.reservations.filter(wasFound(found.reservations));
  for (const { h16, seq } of [...closes, ...reservations]) parts.journals.of(h16).remove([seq]);
  const left = new Set(findLooseEnds(parts).refs);
  const closed = new Set(closes.map(({ h16, seq }) => `${h16} ${String(seq)}`));
  const refs = [...left].filter((name) => {
    const [, h16, seq] = REF_NAME.exec(name) ?? [];
    return found.refs.includes(name) || closed.has(`${String(h16)} ${String(Number(seq))}`);
  });
  for (const name of refs) parts.refs.delete(name);
  return closes.length + reservations.length + refs.length;
}
