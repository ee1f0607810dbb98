import { posix } from 'node:path';
import { currentProcessIdentity, isAlive } from '../../../platform/process/index.ts';
import {
  chmodRaw,
  createRawFile,
  ensureRawFolder,
  makeRawFolder,
  rawContent,
  rawKindOf,
  rawLink,
  rawNames,
  rawStat,
  removeRawFolder,
  renameRaw,
  symlinkRaw,
  unlinkRaw,
} from '../../../platform/raw-files/index.ts';
import { captureAfter } from '../capture/capture-after.ts';
import { captureBefore } from '../capture/capture-before.ts';
import { openCaptureParts } from '../capture/open-capture-parts.ts';
import { takeManual } from '../capture/take-manual.ts';
import { groupEntries } from '../listing/entries.ts';
import type { Footprint, OpenRecord } from '../model/record.ts';
import { projectHash } from '../projects/project-hash.ts';
import type { RestoreMode } from './plan-model.ts';
import { type RestoreOutcome, type RestoreRequest, restoreProject, undoRestore } from './restore.ts';
import type { RestoreParts } from './restore-parts.ts';

export interface ScratchCall {
  readonly turn?: string;
  readonly session?: string;
  /** Of the lineage; the session when absent. */
  readonly rootSession?: string;
  readonly call?: string;
}

export interface ScratchCommand extends ScratchCall {
  /** What the command names; undefined for one of which nothing is known. */
  readonly words?: readonly string[];
  readonly isComplete?: boolean;
  readonly isDetached?: boolean;
  readonly command?: string;
}

export interface ScratchRestore {
  readonly mode?: RestoreMode;
  readonly paths?: readonly string[];
  readonly directory?: string;
  readonly includeAmbiguous?: boolean;
  readonly lineage?: readonly string[];
  readonly isDryRun?: boolean;
}

const settings = {
  maxSnapshots: 20,
  maxTotalBytes: 0,
  maxFileBytes: 1024 * 1024,
  autoPrune: true,
  retentionMs: 1,
  privateRetentionMs: 1,
  minIntervalMs: 1,
  onFailure: 'warn',
} as const;

/** A project in a folder of its own, with a store, a person and agents that change it. For tests. */
export class ScratchProject {
  readonly base: string;
  readonly root: string;
  readonly h16: string;
  parts: RestoreParts;
  /** Milliseconds; what the store takes for the time. */
  now = 1_700_000_000_000;

  /** @param base a canonical, absolute, empty folder, or that of an earlier one. */
  constructor(base: string, step?: (name: string) => void) {
    this.base = base;
    this.root = `${base}/project`;
    this.h16 = projectHash(this.root);
    for (const folder of ['project', 'home', 'tmp']) ensureRawFolder(`${base}/${folder}`);
    if (rawStat(`${this.root}/package.json`) === undefined) this.write('package.json', '{}');
    this.parts = openCaptureParts({
      folder: `${base}/checkpoints/store`,
      home: `${base}/home`,
      temporary: `${base}/tmp`,
      settings,
      now: () => this.now,
      isAlive,
      self: currentProcessIdentity(),
      skip: [],
      ...(step === undefined ? {} : { step }),
    });
  }

  // What anybody does to files.

  place(path: string): string {
    return path.startsWith('/') ? path : `${this.root}/${path}`;
  }

  /** As editors do it: another file in the place of the first. */
  write(path: string, content: string | Uint8Array, mode = 0o644): void {
    const place = this.place(path);
    ensureFolders(posix.dirname(place));
    const draft = `${place}~`;
    createRawFile(draft, Buffer.from(content), { mode });
    renameRaw(draft, place);
  }

  remove(path: string): void {
    const place = this.place(path);
    const stat = rawStat(place);
    if (stat === undefined) return;
    if (rawKindOf(stat) !== 'directory') {
      unlinkRaw(place);
      return;
    }
    for (const name of rawNames(place)) this.remove(`${place}/${name}`);
    removeRawFolder(place);
  }

  folder(path: string, mode = 0o755): void {
    ensureFolders(posix.dirname(this.place(path)));
    makeRawFolder(this.place(path), mode);
  }

  link(path: string, target: string): void {
    symlinkRaw(Buffer.from(target), this.place(path));
  }

  move(from: string, to: string): void {
    renameRaw(this.place(from), this.place(to));
  }

  chmod(path: string, mode: number): void {
    chmodRaw(this.place(path), mode);
  }

  read(path: string): string | undefined {
    const place = this.place(path);
    const stat = rawStat(place);
    return stat === undefined ? undefined : rawContent(place)?.bytes.toString('latin1');
  }

  mode(path: string): string {
    const stat = rawStat(this.place(path));
    return stat === undefined ? 'absent' : (stat.mode & 0o7777).toString(8);
  }

  /** Every path of the project with all that can be restored of it. */
  tree(below = ''): ReadonlyMap<string, string> {
    const tree = new Map<string, string>();
    for (const name of rawNames(this.place(below === '' ? '.' : below)).toSorted()) {
      const path = below === '' ? name : `${below}/${name}`;
      const place = this.place(path);
      const stat = rawStat(place);
      if (stat === undefined) continue;
      const kind = rawKindOf(stat);
      const mode = (stat.mode & 0o7777).toString(8);
      if (kind === 'link') tree.set(path, `link ${rawLink(place).toString('latin1')}`);
      else if (kind === 'file') tree.set(path, `file ${mode} ${this.read(path) ?? ''}`);
      else tree.set(path, `${kind} ${mode}`);
      if (kind === 'directory') for (const [inner, what] of this.tree(path)) tree.set(inner, what);
    }
    return tree;
  }

  // What agents do.

  /** A tool that names its files. */
  tool(paths: string | readonly string[], work: () => void, call: ScratchCall = {}): void {
    const names = typeof paths === 'string' ? [paths] : paths;
    const { token } = this.#checked(
      captureBefore(this.parts, {
        reason: 'before write_file',
        owner: ownerOf(call),
        paths: names.map((path) => this.place(path)),
      }),
    );
    work();
    this.end(token);
  }

  agentWrites(path: string, content: string, call: ScratchCall = {}): void {
    const { mode } = rawStat(this.place(path)) ?? { mode: 0o644 };
    this.tool(
      path,
      () => {
        this.write(path, content, mode & 0o7777);
      },
      call,
    );
  }

  /** A command of the shell. */
  command(work: () => void, command: ScratchCommand = {}): void {
    const token = this.begin(command);
    work();
    this.end(token);
  }

  begin({
    words,
    isComplete = true,
    isDetached = false,
    command = 'x',
    ...call
  }: ScratchCommand = {}): string {
    const footprint: Footprint | undefined =
      words === undefined ? undefined : { words, isComplete, isDetached, cwd: this.root };
    return this.#checked(
      captureBefore(this.parts, {
        reason: `before terminal: ${command}`,
        owner: ownerOf(call),
        paths: [],
        scan: { directory: this.root, ...(footprint === undefined ? {} : { footprint }) },
      }),
    ).token;
  }

  end(token: string): void {
    this.#checked(captureAfter(this.parts, token));
  }

  take(): void {
    const taken = takeManual(this.parts, this.root, 'by hand');
    if (!taken.ok) throw new Error(taken.message);
  }

  // What the person does with checkpoints.

  /** Back to the nth newest entry. */
  async restore(n: number, options: ScratchRestore = {}): Promise<RestoreOutcome> {
    const entry = groupEntries(this.records()).at(n - 1);
    const opens = entry?.calls.map(({ open }) => open) ?? [];
    const [first, ...others] = opens;
    if (first === undefined) throw new Error(`there is no entry ${String(n)}`);
    return this.#restore({ type: 'entry', opens: [first, ...others] }, options);
  }

  /** Without one call. */
  async revert(callId: string, options: ScratchRestore = {}): Promise<RestoreOutcome> {
    const open = this.opens().find(({ owner }) => owner?.callId === callId);
    if (open === undefined) throw new Error(`there is no call ${callId}`);
    return this.#restore({ type: 'call', open }, options);
  }

  async undo(mode: 'agent' | 'all' = 'agent', isDryRun = false): Promise<RestoreOutcome> {
    return undoRestore(this.parts, { project: this, mode, isDryRun });
  }

  records(): ReturnType<ReturnType<RestoreParts['journals']['of']>['records']> {
    return this.parts.journals.of(this.h16).records();
  }

  opens(): readonly OpenRecord[] {
    return this.records().filter((record) => record.type === 'open');
  }

  entries(): number {
    return groupEntries(this.records()).length;
  }

  async #restore(target: RestoreRequest['target'], options: ScratchRestore): Promise<RestoreOutcome> {
    const { mode = 'agent', paths, directory, includeAmbiguous = false, lineage, isDryRun = false } = options;
    return restoreProject(this.parts, {
      project: this,
      target,
      mode,
      includeAmbiguous,
      isDryRun,
      ...(paths === undefined ? {} : { paths }),
      ...(directory === undefined ? {} : { directory }),
      ...(lineage === undefined ? {} : { lineage: new Set(lineage) }),
    });
  }

  #checked<Report extends { readonly failures: readonly { readonly message: string }[] }>(
    report: Report,
  ): Report {
    const failure = report.failures[0];
    if (failure !== undefined) throw new Error(failure.message);
    return report;
  }
}

function ownerOf({ turn = 't1', session = 's1', rootSession = session, call = 'c' }: ScratchCall): {
  readonly sessionId: string;
  readonly rootSessionId: string;
  readonly turnId: string;
  readonly callId: string;
} {
  return { sessionId: session, rootSessionId: rootSession, turnId: turn, callId: call };
}

/** With the usual mode, unlike folders of the store. */
function ensureFolders(folder: string): void {
  if (rawStat(folder) !== undefined) return;
  ensureFolders(posix.dirname(folder));
  makeRawFolder(folder, 0o755);
}
