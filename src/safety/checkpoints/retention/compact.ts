import { messageOf } from '../../../kernel/errors/index.ts';
import { unlinkRaw } from '../../../platform/raw-files/index.ts';
import type { Oid } from '../model/path-state.ts';
import type { LooseObject } from '../objects/object-store.ts';
import type { ObjectWriter } from '../objects/object-writer.ts';
import type { MissingObject } from './mark.ts';
import type { PackToRewrite, ReclaimPlan } from './plan-reclaim.ts';
import type { RetentionParts, WorkOptions } from './retention-parts.ts';

export interface Compaction {
  /** Packs that are gone. */
  readonly packs: number;
  readonly damaged: readonly MissingObject[];
  /** Whether everything was done; false when it was aborted. */
  readonly isComplete: boolean;
}

/** A new pack is closed when it holds that much: so much free space, or a pack's worth, is all that is needed. */
const BATCH_BYTES = 32 * 1024 * 1024;
const PAUSE_EVERY_BYTES = 1024 * 1024;

interface Batch {
  readonly packs: PackToRewrite[];
  readonly loose: LooseObject[];
  bytes: number;
}

/**
 * Writes what is alive in the packs to be removed, and single files, into new compressed packs, and removes the old ones
 * once the new ones are on the disk; batch by batch. A pack of which an object cannot be read stays as it is. Throws what
 * the system does when nothing more can be written; nothing is lost then.
 */
export async function compact(
  parts: RetentionParts,
  plan: ReclaimPlan,
  options: WorkOptions,
): Promise<Compaction> {
  const damaged: MissingObject[] = [];
  let packs = 0;
  for (const { pack, objects } of plan.packs)
    if (objects.length === 0 && parts.objects.removePack(pack.name)) {
      packs += 1;
      parts.step?.('pack-removed');
    }
  const batches = batchesOf(plan);
  for (const [done, batch] of batches.entries()) {
    options.onProgress?.({ phase: 'packing', done, total: batches.length });
    const outcome = await rewrite(parts, batch, options);
    if (outcome === undefined) return { packs, damaged, isComplete: false };
    damaged.push(...outcome.damaged);
    packs += outcome.packs;
  }
  return { packs, damaged, isComplete: true };
}

function batchesOf({ packs, loose }: ReclaimPlan): readonly Batch[] {
  const batches: Batch[] = [];
  const last = (): Batch => {
    const batch = batches.at(-1);
    if (batch !== undefined && batch.bytes < BATCH_BYTES) return batch;
    const next: Batch = { packs: [], loose: [], bytes: 0 };
    batches.push(next);
    return next;
  };
  for (const one of packs) {
    if (one.objects.length === 0) continue;
    const batch = last();
    batch.packs.push(one);
    batch.bytes += one.liveBytes;
  }
  for (const one of loose) {
    const batch = last();
    batch.loose.push(one);
    batch.bytes += one.bytes;
  }
  return batches;
}

/** Undefined when it was aborted. */
async function rewrite(
  parts: RetentionParts,
  { packs, loose }: Batch,
  { signal }: WorkOptions,
): Promise<{ readonly damaged: readonly MissingObject[]; readonly packs: number } | undefined> {
  const { objects } = parts;
  const writer = objects.writer({ mayReuse: false, compress: true, alwaysPack: true, sync: true });
  const damaged: MissingObject[] = [];
  const copied = new Set<Oid>();
  let pending = 0;
  try {
    for (const oid of [...packs.flatMap((one) => one.objects), ...loose.map((one) => one.oid)]) {
      const problem = copyObject(parts, writer, oid);
      if (typeof problem === 'number') {
        copied.add(oid);
        pending += problem;
      } else damaged.push(problem);
      if (pending < PAUSE_EVERY_BYTES) continue;
      pending = 0;
      await parts.clock.sleep(0);
      if (signal?.aborted !== true) continue;
      writer.abandon();
      return undefined;
    }
    parts.step?.('objects-copied');
    writer.finish();
    parts.step?.('pack-written');
  } catch (error) {
    writer.abandon();
    throw error;
  }
  const done = packs.filter((one) => one.objects.every((oid) => copied.has(oid)));
  for (const { pack } of done) {
    objects.removePack(pack.name);
    parts.step?.('pack-removed');
  }
  for (const { oid, path } of loose) {
    if (copied.has(oid)) unlinkRaw(path);
    parts.step?.('loose-packed');
  }
  return { damaged, packs: done.length };
}

/** The bytes that were copied, or why not. */
function copyObject({ objects }: RetentionParts, writer: ObjectWriter, oid: Oid): number | MissingObject {
  let object: ReturnType<typeof objects.read>;
  try {
    object = objects.read(oid);
  } catch (error) {
    return { oid, reason: 'damaged', message: messageOf(error) };
  }
  if (object === undefined) return { oid, reason: 'missing', message: `object ${oid} is not there` };
  writer.object(object.kind, object.bytes);
  return object.bytes.length;
}
