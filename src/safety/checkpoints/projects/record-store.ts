import { errnoOf } from '../../../platform/paths/index.ts';
import { rawNames, removeRawFolder, renameRaw, unlinkRaw } from '../../../platform/raw-files/index.ts';
import type { Oid } from '../model/path-state.ts';
import type { CheckpointRecord, CloseRecord, OpenRecord } from '../model/record.ts';
import { CorruptObjectError } from '../objects/corrupt-object-error.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { Damage } from './damage.ts';
import { NumberLine } from './number-line.ts';
import type { ProcessView } from './process-view.ts';
import { readJsonObject } from './read-json-object.ts';
import { type DecodedFile, decodeJournalFile, encodeRecord, encodeReservation } from './record-codec.ts';
import type { Reservation } from './reservation.ts';
import { Drafts } from './temporary-file.ts';

/** A record before it has its number. */
export type OpenDraft = Omit<OpenRecord, 'seq'>;
/** `changesBlob`: the blob (see `encodeChanges`) that holds the changes when they are too many for the record. */
export type CloseDraft = Omit<CloseRecord, 'seq'> & { readonly changesBlob?: Oid };
export type RecordDraft = OpenDraft | CloseDraft;

export interface RecordStoreOptions {
  /** The store. */
  readonly folder: string;
  readonly h16: string;
  readonly processes: ProcessView;
  /** Where the changes of large close records are. */
  readonly objects: Pick<ObjectStore, 'read'>;
}

/**
 * The journal of one project: one file per record, which never changes once it is complete. Any number of processes
 * write at once and nobody waits. Methods throw what the file system does.
 */
export class RecordStore {
  readonly h16: string;
  /** `<store>/journals/<h16>`; it need not exist. */
  readonly folder: string;
  readonly #numbers: NumberLine;
  readonly #drafts: Drafts;
  readonly #processes: ProcessView;
  readonly #objects: Pick<ObjectStore, 'read'>;
  /** What complete files said, by number; valid for the journal with `#mark`. */
  readonly #known = new Map<number, DecodedFile>();
  /** The numbers of records that are closed, as far as this process knows. */
  readonly #closed = new Set<number>();
  #mark = '';
  #damaged: readonly Damage[] = [];

  constructor({ folder, h16, processes, objects }: RecordStoreOptions) {
    this.h16 = h16;
    this.folder = `${folder}/journals/${h16}`;
    this.#numbers = new NumberLine(this.folder);
    this.#drafts = new Drafts(this.folder);
    this.#processes = processes;
    this.#objects = objects;
  }

  /** Sorted by number. Files that cannot be read are left out; see {@link damaged}. */
  records(): readonly CheckpointRecord[] {
    return this.#readAll().records;
  }

  /** The complete record with a number; undefined when there is none or it is damaged. */
  record(seq: number): CheckpointRecord | undefined {
    this.#checkMark();
    const file = this.#fileOf(seq);
    return file?.ok === true && file.value.type === 'record' ? file.value.record : undefined;
  }

  /** Whether a record that this process has read or written closes the one with number `seq`. Reads nothing. */
  isClosed(seq: number): boolean {
    return this.#closed.has(seq);
  }

  /** Numbers whose records are not complete, sorted: their scans run, or their processes are dead. */
  reservations(): readonly Reservation[] {
    return this.#readAll().reservations;
  }

  /** The blobs that hold the changes of large close records, by the number of the record. */
  changesBlobs(): ReadonlyMap<number, Oid> {
    return this.#readAll().blobs;
  }

  /** The files of the journal that cannot be read. They are only removed by {@link remove}. */
  damaged(): readonly Damage[] {
    this.#readAll();
    return this.#damaged;
  }

  /** Writes a record that is complete. Returns its number, which is higher than every one before. */
  append(draft: RecordDraft): number {
    const seq = this.reserve(draft.at);
    this.complete(seq, draft);
    return seq;
  }

  /** Takes the next number, to be completed or cancelled. */
  reserve(at: number): number {
    const text = encodeReservation({ seq: 0, process: this.#processes.self, at });
    const publish = (): number =>
      this.#drafts.publish(text, (path) => {
        const seq = this.#numbers.take(path);
        unlinkRaw(path);
        return seq;
      });
    try {
      return publish();
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
      this.#numbers.create();
      return publish();
    }
  }

  /** Writes the record of a reserved number. */
  complete(seq: number, draft: RecordDraft): void {
    const { record, changesBlob } = numbered(draft, seq);
    this.#drafts.publish(encodeRecord(record, changesBlob), (path) => {
      renameRaw(path, this.#numbers.pathOf(seq));
    });
    if (record.type === 'close') this.#closed.add(record.opens);
  }

  /** Gives up a reserved number; it is not given out again. */
  cancel(seq: number): void {
    this.#numbers.remove([seq]);
  }

  /** Removes records; their numbers are not given out again. Asks the disk for no space. */
  remove(seqs: readonly number[]): void {
    this.#numbers.remove(seqs);
    for (const seq of seqs) this.#known.delete(seq);
  }

  /** Removes the whole journal with whatever is in it. The next one begins with number 1. */
  destroy(): void {
    for (const folder of [`${this.folder}/numbers`, this.folder]) {
      for (const name of namesOf(folder)) if (name !== 'numbers') unlinkRaw(`${folder}/${name}`);
      removeRawFolder(folder);
    }
    this.#known.clear();
    this.#closed.clear();
  }

  #readAll(): {
    readonly records: readonly CheckpointRecord[];
    readonly reservations: readonly Reservation[];
    readonly blobs: ReadonlyMap<number, Oid>;
  } {
    this.#checkMark();
    const seqs = this.#numbers.seqs().toSorted((one, other) => one - other);
    this.#forgetAllBut(new Set(seqs));
    const records: CheckpointRecord[] = [];
    const reservations: Reservation[] = [];
    const damaged: Damage[] = [];
    const blobs = new Map<number, Oid>();
    for (const seq of seqs) {
      const file = this.#fileOf(seq);
      if (file === undefined) continue;
      if (!file.ok) damaged.push({ path: this.#numbers.pathOf(seq), problem: file.problem });
      else if (file.value.type === 'reservation') reservations.push(file.value.reservation);
      else {
        const { record } = file.value;
        records.push(record);
        if (record.type === 'close') this.#closed.add(record.opens);
        if (file.value.changesBlob !== undefined) blobs.set(seq, file.value.changesBlob);
      }
    }
    this.#damaged = damaged;
    return { records, reservations, blobs };
  }

  #checkMark(): void {
    const mark = this.#numbers.mark();
    if (mark === this.#mark) return;
    this.#known.clear();
    this.#closed.clear();
    this.#mark = mark;
  }

  #forgetAllBut(seqs: ReadonlySet<number>): void {
    for (const seq of this.#known.keys()) if (!seqs.has(seq)) this.#known.delete(seq);
  }

  /** Undefined when there is no file. */
  #fileOf(seq: number): DecodedFile | undefined {
    const known = this.#known.get(seq);
    if (known !== undefined) return known;
    const file = this.#read(seq);
    // A reservation becomes a record under the same name, and a missing blob may be what another reader repairs.
    if (file?.ok === true && file.value.type === 'record') this.#known.set(seq, file);
    return file;
  }

  #read(seq: number): DecodedFile | undefined {
    const read = readJsonObject(this.#numbers.pathOf(seq));
    if (read.type === 'none') return undefined;
    if (read.type === 'damaged') return { ok: false, problem: read.problem };
    try {
      return decodeJournalFile(read.value, seq, (oid) => this.#objects.read(oid)?.bytes);
    } catch (error) {
      if (!(error instanceof CorruptObjectError)) throw error;
      return { ok: false, problem: error.message };
    }
  }
}

function numbered(
  draft: RecordDraft,
  seq: number,
): { readonly record: CheckpointRecord; readonly changesBlob?: Oid } {
  if (draft.type === 'open') return { record: { ...draft, seq } };
  const { changesBlob, ...rest } = draft;
  const record = { ...rest, seq };
  return changesBlob === undefined ? { record } : { record, changesBlob };
}

function namesOf(folder: string): readonly string[] {
  try {
    return rawNames(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
