import { basename, dirname, join } from 'node:path';
import { type LockResult, withLock } from '../../../platform/locks/index.ts';
import { displayPath, errnoOf } from '../../../platform/paths/index.ts';
import {
  createRawFile,
  ensureRawFolder,
  linkRaw,
  rawStat,
  renameRaw,
  unlinkRaw,
} from '../../../platform/raw-files/index.ts';
import type { Oid } from '../model/path-state.ts';
import { ObjectStore } from '../objects/object-store.ts';
import { MAINTENANCE_LOCK } from '../projects/leases.ts';
import { closeRef, openRef, privateRef, seqName } from '../projects/ref-names.ts';
import { stampOf } from './archive-legacy.ts';
import { compact } from './compact.ts';
import { damagedRestores } from './damaged-restores.ts';
import { entriesOf, projectHashes } from './entries-of.ts';
import { forgetTree } from './forget-tree.ts';
import { takeInventory } from './inventory.ts';
import { findLive } from './live-objects.ts';
import { findLooseEnds, removeLooseEnds } from './loose-ends.ts';
import { measureFolder } from './measure-folder.ts';
import type { ReclaimOptions } from './reclaim.ts';
import { recoverLoose } from './remove-loose.ts';
import type { RetentionParts } from './retention-parts.ts';
import { type Inspection, inspect, type VerifyReport, verify } from './verify.ts';
import { waitForLeases } from './wait-for-leases.ts';

export interface Repaired {
  /** What was done, one line each. */
  readonly done: readonly string[];
  /** Entries that can no longer be restored, and were put aside. */
  readonly droppedEntries: number;
  /** The folder beside the store with what was put aside; undefined when nothing was. */
  readonly aside: string | undefined;
  /** False when a take ran all the while or it was aborted: call it again. */
  readonly isComplete: boolean;
  /** What is left. */
  readonly after: VerifyReport;
}

const LEASE_WAIT_MS = 10_000;

/**
 * Makes a store whole again: what git needs is made anew, refs that were lost are, entries whose content is gone and files
 * that cannot be read are moved to `<base>/damaged-<time>/`, nothing is deleted unseen. Manifests are forgotten, the size is
 * measured. Fails with what the lock says when maintenance runs.
 */
export async function repair(
  parts: RetentionParts,
  options: ReclaimOptions = {},
): Promise<LockResult<Repaired>> {
  if (rawStat(parts.folder) === undefined) {
    const after = await verify(parts, options);
    return { ok: true, value: { done: [], droppedEntries: 0, aside: undefined, isComplete: true, after } };
  }
  ObjectStore.create(parts.folder);
  const { signal, leaseWaitMs = LEASE_WAIT_MS, lockWaitMs = 0 } = options;
  const cancel = signal === undefined ? {} : { signal };
  const lock = { waitMs: lockWaitMs, clock: parts.clock, ...cancel };
  return withLock(join(parts.folder, MAINTENANCE_LOCK), lock, async () => {
    const ends = findLooseEnds(parts);
    const isQuiet = await waitForLeases(parts, { waitMs: leaseWaitMs, ...cancel });
    const work = new Repair(parts);
    const isComplete = isQuiet && (await work.run(ends, options));
    const after = await inspect(parts, options);
    parts.bytes.reset(measureFolder(parts.folder));
    const { done, droppedEntries, aside } = work;
    return { done, droppedEntries, aside, isComplete, after: reportOf(after) };
  });
}

class Repair {
  readonly #parts: RetentionParts;
  readonly done: string[] = [];
  droppedEntries = 0;
  aside: string | undefined;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  /** False when it was aborted. */
  async run(ends: ReturnType<typeof findLooseEnds>, options: ReclaimOptions): Promise<boolean> {
    const parts = this.#parts;
    const recovered = recoverLoose(join(parts.folder, 'objects'));
    if (recovered > 0) this.done.push(`put back ${String(recovered)} objects that were being removed`);
    this.#moveUnusablePacks();
    this.#restoreRefs();
    for (const name of parts.refs.damaged('')) {
      this.#moveAside(join(parts.folder, 'refs/herma', name), `refs/${name}`);
      parts.refs.delete(name);
    }
    this.#restoreRefs();
    const found = await inspect(parts, options);
    if (!found.isComplete) return false;
    this.#moveDamagedFiles();
    this.#moveDamagedRestores();
    this.#dropDamagedEntries(found);
    for (const h16 of projectHashes(parts)) forgetTree(parts, h16);
    await this.#moveBadObjects(found, options);
    const removed = removeLooseEnds(parts, ends);
    if (removed > 0) this.done.push(`removed ${String(removed)} halves of what was never finished`);
    return options.signal?.aborted !== true;
  }

  /** A pack without a usable index makes every object that is not found a damaged one. */
  #moveUnusablePacks(): void {
    for (const { listed, path, indexPath } of takeInventory(this.#parts.objects).packs) {
      if (listed !== undefined) continue;
      this.#moveAside(indexPath, `packs/${basename(indexPath)}`);
      this.#moveAside(path, `packs/${basename(path)}`);
    }
  }

  #restoreRefs(): void {
    const { journals, refs, objects } = this.#parts;
    for (const h16 of journals.hashes())
      for (const record of journals.of(h16).records()) {
        const name = openRef(h16, record.seq);
        if (record.type !== 'open' || refs.get(name) !== undefined || !objects.has(record.id)) continue;
        if (refs.damaged(name).length > 0) continue;
        refs.create(name, record.id);
        this.done.push(`made the ref ${name} anew`);
      }
  }

  /** Files of projects and records that cannot be read, and the refs of the records. */
  #moveDamagedFiles(): void {
    const { registry, journals } = this.#parts;
    for (const { path } of registry.damaged()) this.#moveAside(path, `projects/${basename(path)}`);
    for (const h16 of journals.hashes())
      for (const { path } of journals.of(h16).damaged()) {
        const seq = Number.parseInt(basename(path), 10);
        this.#dropRefs(h16, seq);
        this.#moveAside(path, `journals/${h16}/${basename(path)}`);
      }
  }

  /** Without its journal a restore that was broken off can be neither finished nor reversed, but others can run. */
  #moveDamagedRestores(): void {
    for (const { h16, path } of damagedRestores(this.#parts)) {
      this.#moveAside(path, `journals/${h16}/${basename(path)}`);
      const read = this.#parts.registry.read(h16);
      const where = read.type === 'project' ? displayPath(read.project.root) : `the project ${h16}`;
      this.done.push(
        `a restore of ${where} may have been left half done: go back to its pre-rollback snapshot with --all to have what was there`,
      );
    }
  }

  #dropDamagedEntries({ damagedRecords }: Inspection): void {
    const parts = this.#parts;
    const isDamaged = new Set(damagedRecords.map(({ h16, record }) => `${h16} ${String(record.seq)}`));
    for (const h16 of parts.journals.hashes()) {
      for (const { entry } of entriesOf(parts, h16)) {
        const seqs = entry.calls.flatMap(({ open, closes }) => [open.seq, ...closes.map(({ seq }) => seq)]);
        if (!seqs.some((seq) => isDamaged.has(`${h16} ${String(seq)}`))) continue;
        this.droppedEntries += 1;
        this.done.push(`put the checkpoint ${entry.id} aside (${entry.reason})`);
        for (const seq of seqs) {
          this.#copyAside(recordPath(parts, h16, seq), `journals/${h16}/${seqName(seq)}.json`);
          parts.journals.of(h16).remove([seq]);
          this.#dropRefs(h16, seq);
        }
      }
    }
  }

  /** A damaged object must not be taken for one that is there. */
  async #moveBadObjects({ badObjects }: Inspection, options: ReclaimOptions): Promise<void> {
    const parts = this.#parts;
    const paths = new Set(badObjects.flatMap(({ path }) => path ?? []));
    const packs = takeInventory(parts.objects).packs.filter(({ path }) => paths.has(path));
    for (const path of paths)
      if (!packs.some((pack) => pack.path === path))
        this.#moveAside(path, `objects/${basename(dirname(path))}${basename(path)}`);
    if (packs.length === 0) return;
    const bad = new Set<Oid>(badObjects.map(({ oid }) => oid));
    const found = await findLive(parts, options);
    if (found === undefined) return;
    for (const pack of packs) this.#copyAside(pack.path, `packs/${basename(pack.path)}`);
    const plan = packs.map((pack) => {
      const kept = (pack.listed ?? []).filter(({ oid }) => found.live.has(oid) && !bad.has(oid));
      return {
        pack,
        objects: kept.map(({ oid }) => oid),
        liveBytes: kept.reduce((sum, { size }) => sum + size, 0),
      };
    });
    await compact(parts, { garbage: [], packs: plan, loose: [] }, options);
  }

  #dropRefs(h16: string, seq: number): void {
    for (const name of [openRef(h16, seq), closeRef(h16, seq), privateRef(h16, seq)]) {
      const oid = this.#parts.refs.get(name);
      if (oid !== undefined) this.#note(`refs/${name}`, `${oid}\n`);
      this.#parts.refs.delete(name);
    }
  }

  #moveAside(path: string, name: string): void {
    if (rawStat(path) === undefined) return;
    const place = this.#place(name);
    renameRaw(path, place);
    this.done.push(`moved ${displayPath(path)} aside, to ${displayPath(place)}`);
  }

  /** A second name, so that what happens to the first does not matter. */
  #copyAside(path: string, name: string): void {
    try {
      linkRaw(path, this.#place(name));
    } catch (error) {
      if (!['ENOENT', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
    }
  }

  #note(name: string, text: string): void {
    const path = this.#place(name);
    unlinkRaw(path);
    createRawFile(path, Buffer.from(text), { mode: 0o600 });
  }

  #place(name: string): string {
    this.aside ??= this.#newFolder();
    const path = join(this.aside, name);
    ensureRawFolder(dirname(path));
    return path;
  }

  #newFolder(): string {
    const { base, clock } = this.#parts;
    const first = join(base, `damaged-${stampOf(clock.now())}`);
    for (let count = 1; ; count += 1) {
      const path = count === 1 ? first : `${first}-${String(count)}`;
      if (rawStat(path) === undefined) return path;
    }
  }
}

function recordPath({ folder }: RetentionParts, h16: string, seq: number): string {
  return join(folder, 'journals', h16, `${seqName(seq)}.json`);
}

function reportOf({ badObjects: _bad, damagedRecords: _records, ...report }: Inspection): VerifyReport {
  return report;
}
