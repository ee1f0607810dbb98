import { rawStat } from '../../../platform/raw-files/index.ts';
import type { Oid, PathEntry } from '../model/path-state.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { CorruptObjectError } from '../objects/corrupt-object-error.ts';
import type { ObjectWriter } from '../objects/object-writer.ts';
import { decodeTree, type TreeItem } from '../objects/tree-object.ts';
import type { Lease } from '../projects/leases.ts';
import type { RecordDraft } from '../projects/record-store.ts';
import { closeRef, openRef, privateRef, seqName } from '../projects/ref-names.ts';
import type { CaptureParts } from './capture-parts.ts';
import { writeContentTree } from './content-tree.ts';

/** Which half of a call, and of which project. */
export interface RecordPlace {
  readonly h16: string;
  readonly half: 'open' | 'close';
}

const TREE_MODE = 0o040_000;
const BLOB_MODE = 0o100_644;

/** A number that was reserved, and the refs that were made for it so far. */
export interface ReservedNumber extends RecordPlace {
  readonly seq: number;
  readonly refs: string[];
}

/**
 * Reserves the next number of the project and has `work` write its record. When that throws, nothing of it is left: the
 * number is given up, and the refs that were made are deleted.
 */
export function withNumber<Value>(
  parts: CaptureParts,
  place: RecordPlace,
  work: (number: ReservedNumber) => Value,
): Value {
  const number: ReservedNumber = { ...place, seq: reserveFree(parts, place.h16), refs: [] };
  try {
    parts.step?.(stepName(place, 'reserve'));
    return work(number);
  } catch (error) {
    giveUp(parts, number);
    throw error;
  }
}

function giveUp(parts: CaptureParts, { h16, seq, refs }: ReservedNumber): void {
  try {
    for (const name of refs) parts.refs.delete(name);
  } finally {
    parts.journals.of(h16).cancel(seq);
  }
}

/** A number that no ref has: refs outlive a journal that was lost. */
function reserveFree(parts: CaptureParts, h16: string): number {
  const journal = parts.journals.of(h16);
  for (;;) {
    const seq = journal.reserve(parts.now());
    const refs = [openRef(h16, seq), closeRef(h16, seq), privateRef(h16, seq)];
    // Asked of the file system, which is cheap. A ref that git has packed is found when it is to be made.
    if (refs.every((name) => rawStat(`${parts.folder}/refs/herma/${name}`) === undefined)) return seq;
    journal.cancel(seq);
  }
}

export interface RecordContent {
  readonly reason: string;
  readonly at: number;
  readonly lease: Lease;
  /** Reads the named paths; what it gives to the writer is kept. */
  readonly named: (writer: ObjectWriter) => readonly PathEntry[];
  readonly isPrivate: (path: string) => boolean;
  readonly snapshot: Snapshot | undefined;
  /** More content to keep: a blob. */
  readonly attachment?: { readonly name: string; readonly bytes: Buffer };
}

export interface WrittenContent {
  readonly id: Oid;
  readonly named: readonly PathEntry[];
  /** Paths of `named` that are private. */
  readonly privatePaths: readonly string[];
  readonly attachment: Oid | undefined;
  /** That were added to the store. */
  readonly bytes: number;
}

/**
 * Writes content and names it by refs, then the record that `toDraft` makes of it: whoever dies on the way leaves a
 * reservation, not a record of what is not there.
 */
export function writeRecord(
  parts: CaptureParts,
  number: ReservedNumber,
  content: RecordContent,
  toDraft: (written: WrittenContent) => RecordDraft,
): WrittenContent {
  const { h16, half, seq } = number;
  const written = writeContent(parts, number, content);
  parts.step?.(stepName(number, 'objects'));
  createRef(parts, number, half === 'open' ? openRef(h16, seq) : closeRef(h16, seq), written.id);
  parts.step?.(stepName(number, 'ref'));
  if (written.privateId !== undefined) {
    createRef(parts, number, privateRef(h16, seq), written.privateId);
    parts.step?.(stepName(number, 'private-ref'));
  }
  parts.journals.of(h16).complete(seq, toDraft(written));
  parts.step?.(stepName(number, 'record'));
  parts.bytes.add(written.bytes);
  return written;
}

function createRef(parts: CaptureParts, { refs }: ReservedNumber, name: string, oid: Oid): void {
  parts.refs.create(name, oid);
  refs.push(name);
}

function writeContent(
  parts: CaptureParts,
  { h16, seq }: ReservedNumber,
  content: RecordContent,
): WrittenContent & { readonly privateId: Oid | undefined } {
  const writer = parts.objects.writer({ mayReuse: content.lease.mayReuse });
  try {
    const named = content.named(writer);
    const privatePaths = named.filter(({ path }) => content.isPrivate(path)).map(({ path }) => path);
    const open = named.filter(({ path }) => !privatePaths.includes(path));
    const hidden = writeContentTree(
      writer,
      named.filter(({ path }) => privatePaths.includes(path)),
    );
    const attachment = content.attachment === undefined ? undefined : writer.blob(content.attachment.bytes);
    const items = [
      ...snapshotItems(parts, content.snapshot),
      ...treeItem('named', writeContentTree(writer, open)),
      ...(content.attachment === undefined || attachment === undefined
        ? []
        : [{ name: content.attachment.name, mode: BLOB_MODE, oid: attachment }]),
    ];
    const message = `${content.reason.replaceAll(/\s+/g, ' ').trim()}\n\nHerma-Record: ${h16}/${seqName(seq)}\n`;
    const commit = (tree: Oid): Oid => writer.commit({ tree, message, at: content.at });
    const privateId = hidden === undefined ? undefined : commit(writer.tree(treeItem('named', hidden)));
    const id = commit(writer.tree(items));
    return { id, privateId, named, privatePaths, attachment, bytes: writer.finish() };
  } catch (error) {
    writer.abandon();
    throw error;
  }
}

/** The entries of a snapshot's root, and the root itself, which the record names and nothing else would keep alive. */
function snapshotItems(parts: CaptureParts, snapshot: Snapshot | undefined): readonly TreeItem[] {
  if (snapshot === undefined) return [];
  const root = parts.objects.read(snapshot.root);
  if (root === undefined) throw new CorruptObjectError({ oid: snapshot.root, reason: 'it is missing' });
  return [...decodeTree(root.bytes), ...treeItem('snapshot', snapshot.root)];
}

function treeItem(name: string, oid: Oid | undefined): readonly TreeItem[] {
  return oid === undefined ? [] : [{ name, mode: TREE_MODE, oid }];
}

function stepName({ half }: RecordPlace, step: string): string {
  return half === 'open' ? step : `close-${step}`;
}
