import { join } from 'node:path';
import { messageOf } from '../../../kernel/errors/index.ts';
import { rawStat } from '../../../platform/raw-files/index.ts';
import type { Oid } from '../model/path-state.ts';
import type { CheckpointRecord } from '../model/record.ts';
import { CorruptObjectError } from '../objects/corrupt-object-error.ts';
import { closeRef, openRef } from '../projects/ref-names.ts';
import { allRefs } from './all-refs.ts';
import { damagedRestores } from './damaged-restores.ts';
import { takeInventory } from './inventory.ts';
import { findLooseEnds } from './loose-ends.ts';
import { Marker, type MissingObject } from './mark.ts';
import type { RetentionParts, WorkOptions } from './retention-parts.ts';

/** Something that is not as it is to be. */
export interface Finding {
  readonly type: /** The repository lacks what git needs, or a file of it is none. */
  'layout' | 'project' | 'record' | 'ref' | 'object' | 'pack';
  /** A path, the name of a ref below `refs/herma/`, or an object. */
  readonly what: string;
  /** One line. */
  readonly message: string;
}

export interface VerifyReport {
  readonly projects: number;
  readonly records: number;
  readonly refs: number;
  /** Objects whose content was read and compared with their names. */
  readonly objects: number;
  /** What was lost or cannot be trusted. */
  readonly damage: readonly Finding[];
  /** Halves of what died on the way, which the next sweep removes: nothing is wrong with them. */
  readonly leftovers: readonly string[];
  /** Whether everything was looked at. */
  readonly isComplete: boolean;
  /** No damage, and everything was looked at. */
  readonly isClean: boolean;
}

/** A record of which something is missing. */
export interface DamagedRecord {
  readonly h16: string;
  readonly record: CheckpointRecord;
  readonly message: string;
}

export interface Inspection extends VerifyReport {
  readonly badObjects: readonly (MissingObject & { readonly path?: string })[];
  readonly damagedRecords: readonly DamagedRecord[];
}

const PAUSE_EVERY = 64;

/**
 * Reads everything that is kept and compares it with what it is to be: refs, commits, trees, blobs by their hashes, records
 * and their refs, projects. Changes nothing, and needs no lock: what is dropped meanwhile may be reported.
 */
export async function verify(parts: RetentionParts, options: WorkOptions = {}): Promise<VerifyReport> {
  const { badObjects: _bad, damagedRecords: _records, ...report } = await inspect(parts, options);
  return report;
}

/** What {@link verify} finds, with what a repair needs to know. */
export async function inspect(parts: RetentionParts, options: WorkOptions): Promise<Inspection> {
  const { registry, journals, refs } = parts;
  const hashes = journals.hashes();
  const records = hashes.flatMap((h16) =>
    journals
      .of(h16)
      .records()
      .map((record) => ({ h16, record })),
  );
  const known = refs.list('');
  const checked = await checkObjects(parts, [...allRefs(parts.folder)], options);
  const bad = new Map(checked.bad.map((one) => [one.oid, one]));
  const damagedRecords = records.flatMap(({ h16, record }) => {
    const message = faultOf(parts, { h16, record, bad, good: checked.good });
    return message === undefined ? [] : [{ h16, record, message }];
  });
  const damage: Finding[] = [
    ...layoutFaults(parts.folder),
    ...registry
      .damaged()
      .map(({ path, problem }) => ({ type: 'project' as const, what: path, message: problem })),
    ...hashes
      .flatMap((h16) => journals.of(h16).damaged())
      .map(({ path, problem }) => ({ type: 'record' as const, what: path, message: problem })),
    ...damagedRestores(parts).map(({ path, problem }) => ({
      type: 'record' as const,
      what: path,
      message: `${path}, the journal of a restore, is damaged: ${problem}`,
    })),
    ...damagedRecords.map(({ h16, record, message }) => ({
      type: 'record' as const,
      what: refOf(h16, record),
      message,
    })),
    ...refs.damaged('').map((name) => ({ type: 'ref' as const, what: name, message: 'it names no object' })),
    ...takeInventory(parts.objects)
      .packs.filter(({ listed }) => listed === undefined)
      .map(({ path }) => ({ type: 'pack' as const, what: path, message: 'it does not belong to its index' })),
    ...checked.bad.map(({ oid, message }) => ({ type: 'object' as const, what: oid, message })),
  ];
  const ends = findLooseEnds(parts);
  const leftovers = [
    ...ends.refs,
    ...[...ends.closes, ...ends.reservations].map(({ h16, seq }) => `journals/${h16}/${String(seq)}`),
  ];
  return {
    projects: registry.hashes().length,
    records: records.length,
    refs: known.length,
    objects: checked.good.size,
    damage,
    leftovers,
    isComplete: checked.isComplete,
    isClean: damage.length === 0 && checked.isComplete,
    badObjects: checked.bad,
    damagedRecords,
  };
}

interface CheckedObjects {
  readonly good: ReadonlySet<Oid>;
  readonly bad: readonly (MissingObject & { readonly path?: string })[];
  readonly isComplete: boolean;
}

async function checkObjects(
  { objects, clock }: RetentionParts,
  roots: readonly Oid[],
  { signal, onProgress }: WorkOptions,
): Promise<CheckedObjects> {
  const marker = new Marker(objects);
  for (const oid of roots) marker.mark(oid);
  const good = new Set<Oid>();
  const bad: (MissingObject & { readonly path?: string })[] = [];
  const total = marker.reached.size;
  let done = 0;
  for (const oid of marker.reached) {
    if (done % PAUSE_EVERY === 0) {
      onProgress?.({ phase: 'checking', done, total });
      await clock.sleep(0);
      if (signal?.aborted === true) return { good, bad, isComplete: false };
    }
    done += 1;
    try {
      if (objects.read(oid) === undefined)
        bad.push({ oid, reason: 'missing', message: `object ${oid} is not there` });
      else good.add(oid);
    } catch (error) {
      const problem = { oid, reason: 'damaged' as const, message: messageOf(error) };
      const path = error instanceof CorruptObjectError ? error.path : undefined;
      bad.push(path === undefined ? problem : { ...problem, path });
    }
  }
  return { good, bad, isComplete: true };
}

interface JudgedRecord {
  readonly h16: string;
  readonly record: CheckpointRecord;
  readonly bad: ReadonlyMap<Oid, MissingObject>;
  readonly good: ReadonlySet<Oid>;
}

/** What is wrong with a record; undefined when nothing is. */
function faultOf(parts: RetentionParts, { h16, record, bad, good }: JudgedRecord): string | undefined {
  const commit = parts.refs.get(refOf(h16, record));
  if (commit === undefined) return 'nothing names its content';
  if (record.type === 'open' && record.id !== commit) return `its ref names ${commit}, not ${record.id}`;
  const snapshot = record.type === 'open' ? record.before : record.after;
  if (snapshot !== undefined && !good.has(snapshot.root))
    return `its snapshot ${snapshot.root} is not kept or damaged`;
  // Private content has a life of its own.
  const hidden = new Set(privatePathsOf(parts, h16, record));
  for (const { path, state } of record.named)
    if ((state.kind === 'file' || state.kind === 'link') && !hidden.has(path) && !good.has(state.oid))
      return `the content of ${path} is not kept or damaged`;
  if (bad.size === 0) return undefined;
  const [missing] = new Marker(parts.objects).mark(commit).flatMap((oid) => bad.get(oid) ?? []);
  return missing?.message;
}

function privatePathsOf(
  { journals }: RetentionParts,
  h16: string,
  record: CheckpointRecord,
): readonly string[] {
  if (record.type === 'open') return record.isPrivate;
  const open = journals.of(h16).record(record.opens);
  return open?.type === 'open' ? open.isPrivate : [];
}

function refOf(h16: string, { type, seq }: CheckpointRecord): string {
  return type === 'open' ? openRef(h16, seq) : closeRef(h16, seq);
}

function layoutFaults(folder: string): readonly Finding[] {
  if (rawStat(folder) === undefined) return [];
  return ['HEAD', 'config', 'objects', 'refs/heads', 'refs/herma', 'herma-version']
    .filter((name) => rawStat(join(folder, name)) === undefined)
    .map((name) => ({ type: 'layout' as const, what: join(folder, name), message: 'it is not there' }));
}
