import { resolve } from 'node:path';
import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import type {
  CallCapture,
  CapturedPlace,
  CaptureReport,
  CheckpointDiff,
  CheckpointList,
  CheckpointStore,
  DiffOptions,
  PruneOptions,
  PruneReport,
  RepairReport,
  RestoreOptions,
  RestoreReport,
  RestoreTarget,
  SettleReport,
  StoreStatus,
  TakenCheckpoint,
  VerifyReport,
} from '../api.ts';
import { captureAfter } from '../capture/capture-after.ts';
import { captureBefore } from '../capture/capture-before.ts';
import { persistManifests } from '../capture/persist-manifests.ts';
import { settleDead } from '../capture/settle-dead.ts';
import { takeManual } from '../capture/take-manual.ts';
import { decodeToken } from '../capture/token.ts';
import { listEntries } from '../listing/list-entries.ts';
import { projectHash } from '../projects/project-hash.ts';
import { clear } from '../retention/clear.ts';
import { drop } from '../retention/drop.ts';
import { clearLegacy } from '../retention/legacy.ts';
import { maintain, needsMaintenance } from '../retention/maintain.ts';
import { repair } from '../retention/repair.ts';
import { storeStatus } from '../retention/status.ts';
import { prune, sweep } from '../retention/sweep.ts';
import { trim } from '../retention/trim.ts';
import { verify } from '../retention/verify.ts';
import { diffNow } from './diff-now.ts';
import type { EngineParts } from './engine-parts.ts';
import { entryOf } from './entry-of.ts';
import { otherProjects } from './other-projects.ts';
import { isThere, recoverProject, restoreProject, undoRestore } from './restore-project.ts';

/** A store of checkpoints that works in the thread that calls it. */
export class CheckpointEngine implements CheckpointStore {
  readonly #parts: EngineParts;
  /** Projects that got checkpoints through this engine. */
  readonly #touched = new Set<string>();

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  async capture(request: CallCapture): Promise<CaptureReport> {
    const report = captureBefore(this.#parts, request);
    for (const part of report.token.split(' ')) this.#touched.add(part.split(':')[0] ?? '');
    return Promise.resolve(report);
  }

  async settle(token: string): Promise<SettleReport> {
    return Promise.resolve(captureAfter(this.#parts, token));
  }

  async capturedBy(token: string): Promise<readonly CapturedPlace[]> {
    const { registry } = this.#parts;
    const places = decodeToken(token).flatMap(({ h16, id }) => {
      const read = registry.read(h16);
      return read.type === 'project' ? [{ root: read.project.root, id }] : [];
    });
    return Promise.resolve(places);
  }

  async take(directory: string, reason: string): Promise<Result<TakenCheckpoint>> {
    const taken = takeManual(this.#parts, directory, reason);
    if (!taken.ok) return Promise.resolve(taken);
    const { id, root, files, holes, h16 } = taken.value;
    this.#touched.add(h16);
    return Promise.resolve(succeed({ id, root, files, holes }));
  }

  async list(
    directory: string,
    { allCalls = false }: { readonly allCalls?: boolean } = {},
  ): Promise<CheckpointList> {
    const { totals, settings } = this.#parts;
    const { root, records, problems } = this.#project(directory);
    const limit = allCalls ? {} : { limit: settings.maxSnapshots };
    const entries = listEntries({ records, totals }, { allCalls, ...limit });
    const others = entries.length > 0 ? [] : otherProjects(this.#parts, root);
    return Promise.resolve({ root, entries, others, problems });
  }

  async diff(directory: string, ref: string, options: DiffOptions = {}): Promise<Result<CheckpointDiff>> {
    const { allCalls, ...shown } = options;
    const entry = entryOf(this.#parts, this.#root(directory), { ref, allCalls });
    if (!entry.ok) return Promise.resolve(entry);
    return Promise.resolve(
      diffNow(this.#parts, { ...shown, directory, root: this.#root(directory), entry: entry.value }),
    );
  }

  async restore(
    directory: string,
    target: RestoreTarget,
    options: RestoreOptions = {},
  ): Promise<RestoreReport> {
    return restoreProject(this.#parts, { ...options, directory, root: this.#root(directory), target });
  }

  async undo(
    directory: string,
    options: Pick<RestoreOptions, 'mode' | 'isDryRun'> = {},
  ): Promise<RestoreReport> {
    return undoRestore(this.#parts, { ...options, root: this.#root(directory) });
  }

  async drop(directory: string, ref: string): Promise<Result<{ readonly id: string }>> {
    const root = this.#root(directory);
    const entry = entryOf(this.#parts, root, { ref });
    if (!entry.ok) return Promise.resolve(entry);
    const { id } = entry.value;
    const dropped = drop(this.#parts, { h16: projectHash(root), id });
    return Promise.resolve(dropped.ok ? succeed({ id }) : dropped);
  }

  async status(): Promise<StoreStatus> {
    const { settings } = this.#parts;
    const { damaged, aside, projects, ...status } = storeStatus(this.#parts, settings.maxTotalBytes);
    return Promise.resolve({
      ...status,
      projects: projects.map(({ notice, ...project }) => ({
        ...project,
        ...(notice === undefined ? {} : { notice: notice.message }),
      })),
      problems: [
        ...damaged.map(({ path, problem }) => `${path}: ${problem}`),
        ...aside.map((name) => `${name} holds what a repair has put aside`),
      ],
    });
  }

  async recover(directory: string): Promise<readonly string[]> {
    if (!isThere(this.#parts)) return [];
    const root = this.#root(directory);
    const lines = await recoverProject(this.#parts, root);
    const { failures } = settleDead(this.#parts, projectHash(root));
    return [...lines, ...failures.map(({ message }) => message)];
  }

  async sweep(): Promise<PruneReport | undefined> {
    const outcome = await sweep(this.#parts, this.#parts.settings);
    return outcome.type === 'swept' ? outcome.report : undefined;
  }

  async prune({ retentionMs, maxTotalBytes, confirmedOrphans }: PruneOptions): Promise<PruneReport> {
    const { settings } = this.#parts;
    return prune(this.#parts, {
      ...settings,
      retentionMs: retentionMs ?? settings.retentionMs,
      maxTotalBytes: maxTotalBytes ?? settings.maxTotalBytes,
      confirmedOrphans,
      keepOrphans: confirmedOrphans.length === 0,
    });
  }

  async maintain(): Promise<PruneReport> {
    const scanned = this.#parts.registry.hashes().length;
    const done = await maintain(this.#parts, this.#parts.settings);
    const nothing = { scanned, deletedOrphans: 0, deletedStale: 0 };
    if (!done.ok)
      return { ...nothing, droppedEntries: 0, bytesReclaimed: 0, isOverCap: false, errors: [done.message] };
    const { droppedEntries, bytesReclaimed, isOverCap, errors } = done.value;
    return { ...nothing, droppedEntries, bytesReclaimed, isOverCap, errors };
  }

  async needsMaintenance(): Promise<boolean> {
    return Promise.resolve(needsMaintenance(this.#parts, this.#parts.settings));
  }

  async verify(): Promise<VerifyReport> {
    const { isClean, objects, records, damage } = await verify(this.#parts);
    return { ok: isClean, objects, checkpoints: records, problems: damage.map(({ message }) => message) };
  }

  async repair(): Promise<RepairReport> {
    const repaired = await repair(this.#parts);
    if (!repaired.ok) return { done: [], problems: [repaired.message] };
    const { done, after, isComplete } = repaired.value;
    const unfinished = isComplete ? [] : ['not everything could be looked at: run it again'];
    return { done, problems: [...after.damage.map(({ message }) => message), ...unfinished] };
  }

  async clear(): Promise<Result<{ readonly bytes: number }>> {
    const cleared = await clear(this.#parts);
    if (!cleared.ok) return cleared;
    const { bytes, errors } = cleared.value;
    return errors.length === 0 ? succeed({ bytes }) : fail('not_cleared', errors.join('; '));
  }

  async clearLegacy(): Promise<Result<{ readonly bytes: number; readonly archives: number }>> {
    const { removed, errors } = await clearLegacy(this.#parts.base);
    if (errors.length > 0) return fail('not_cleared', errors.join('; '));
    return succeed({ bytes: removed.reduce((sum, each) => sum + each.bytes, 0), archives: removed.length });
  }

  /** Writes what nobody waits for: the manifests of scanned projects; and drops what is beyond the count. */
  async close(): Promise<void> {
    const { settings } = this.#parts;
    for (const h16 of this.#touched) if (h16 !== '') trim(this.#parts, h16, settings.maxSnapshots);
    if (isThere(this.#parts)) persistManifests(this.#parts);
    this.#touched.clear();
    return Promise.resolve();
  }

  #root(directory: string): string {
    return this.#parts.registry.rootOf(resolve(directory));
  }

  #project(directory: string): {
    readonly root: string;
    readonly records: ReturnType<ReturnType<EngineParts['journals']['of']>['records']>;
    readonly problems: readonly string[];
  } {
    const root = this.#root(directory);
    const journal = this.#parts.journals.of(projectHash(root));
    const records = journal.records();
    const problems = journal.damaged().map(({ path, problem }) => `${path}: ${problem}`);
    return { root, records, problems };
  }
}
