import { createHash } from 'node:crypto';
import { type Hole, isSameState, type Oid, type PathChange, type PathState } from '../model/path-state.ts';
import type { CheckpointRecord, CloseRecord, OpenRecord } from '../model/record.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Contents, Snapshots } from './contents.ts';
import type { CurrentTree } from './current-tree.ts';

/** What stands at each path of a project. */
export type FakeTree = ReadonlyMap<string, PathState>;

export interface FakeOpen {
  readonly turn?: string;
  readonly session?: string;
  readonly reason?: string;
  readonly kind?: OpenRecord['kind'];
  /** Named paths: what stands there now is recorded. */
  readonly named?: readonly string[];
  readonly isScanned?: boolean;
  readonly id?: Oid;
}

/** A project with a store in memory, for tests: change `tree`, and open and close calls. */
export class FakeProject {
  readonly records: CheckpointRecord[] = [];
  readonly tree = new Map<string, PathState>();
  readonly holes: Hole[] = [];
  readonly #blobs = new Map<Oid, Uint8Array>();
  readonly #trees = new Map<Oid, { readonly tree: FakeTree; readonly holes: readonly Hole[] }>();
  reads = 0;

  readonly contents: Contents = {
    read: (oid) => {
      this.reads += 1;
      return this.#blobs.get(oid);
    },
  };

  readonly snapshots: Snapshots = {
    stateAt: (root, path) => this.#stateIn(root, path),
    diff: (before, after) => this.#changes(before, after),
    holesOf: (root) => this.#trees.get(root)?.holes ?? [],
  };

  readonly now: CurrentTree = {
    stateOf: (path) => this.tree.get(path) ?? { kind: 'absent' },
    contentOf: (path) => {
      const state = this.tree.get(path);
      return state !== undefined && 'oid' in state ? this.#blobs.get(state.oid) : undefined;
    },
    scanNow: () => this.#snapshot(),
  };

  file(content: string | Uint8Array, mode = 0o644): PathState {
    const bytes = Buffer.from(content);
    const oid = createHash('sha1')
      .update(`blob ${String(bytes.length)}\0`)
      .update(bytes)
      .digest('hex');
    this.#blobs.set(oid, bytes);
    return { kind: 'file', mode, oid, size: bytes.length };
  }

  link(target: string): PathState {
    const state = this.file(target);
    return { kind: 'link', oid: 'oid' in state ? state.oid : '' };
  }

  write(path: string, content: string | Uint8Array, mode = 0o644): void {
    this.tree.set(path, this.file(content, mode));
  }

  lose(oid: Oid): void {
    this.#blobs.delete(oid);
  }

  open({
    turn,
    session = 's1',
    reason = 'before terminal',
    kind = 'call',
    ...rest
  }: FakeOpen = {}): OpenRecord {
    const seq = this.records.length + 1;
    const open: OpenRecord = {
      type: 'open',
      seq,
      id:
        rest.id ??
        createHash('sha1')
          .update(`commit ${String(seq)}`)
          .digest('hex'),
      at: Date.UTC(2026, 2, 16, 4, 30) + seq * 60_000,
      kind,
      reason,
      ...(turn === undefined
        ? {}
        : {
            owner: {
              sessionId: session,
              rootSessionId: session,
              turnId: turn,
              callId: `call-${String(seq)}`,
            },
          }),
      process: { pid: 1, startTime: '1', bootId: '', pidNamespace: '' },
      named: this.#named(rest.named ?? []),
      isPrivate: [],
      bytes: 0,
      ...(rest.isScanned === true ? { before: this.#snapshot() } : {}),
    };
    this.records.push(open);
    return open;
  }

  close(open: OpenRecord): CloseRecord {
    const after = open.before === undefined ? undefined : this.#snapshot();
    const close: CloseRecord = {
      type: 'close',
      seq: this.records.length + 1,
      opens: open.seq,
      at: open.at + 1000,
      named: this.#named(open.named.map(({ path }) => path)),
      changes:
        open.before === undefined || after === undefined ? [] : this.#changes(open.before.root, after.root),
      isLate: false,
      bytes: 0,
      ...(after === undefined ? {} : { after }),
    };
    this.records.push(close);
    return close;
  }

  /** A call that does this. */
  call(options: FakeOpen, work: () => void): OpenRecord {
    const open = this.open(options);
    work();
    this.close(open);
    return open;
  }

  #named(paths: readonly string[]): { readonly path: string; readonly state: PathState }[] {
    return paths.map((path) => ({ path, state: this.tree.get(path) ?? { kind: 'absent' } }));
  }

  #snapshot(): Snapshot {
    const root = createHash('sha1')
      .update(JSON.stringify([[...this.tree], this.holes]))
      .digest('hex');
    this.#trees.set(root, { tree: new Map(this.tree), holes: [...this.holes] });
    return { root, coverage: 'whole', files: this.tree.size, holes: this.holes.length };
  }

  #stateIn(root: Oid, path: string): PathState {
    const snapshot = this.#trees.get(root);
    const hole = snapshot?.holes.find((one) => path === one.path || path.startsWith(`${one.path}/`));
    if (hole !== undefined) return { kind: 'hole', reason: hole.reason };
    return snapshot?.tree.get(path) ?? { kind: 'absent' };
  }

  #changes(before: Oid, after: Oid): readonly PathChange[] {
    const paths = new Set([before, after].flatMap((root) => [...(this.#trees.get(root)?.tree.keys() ?? [])]));
    return [...paths]
      .map((path) => ({ path, before: this.#stateIn(before, path), after: this.#stateIn(after, path) }))
      .filter((change) => !isSameState(change.before, change.after))
      .filter((change) => change.before.kind !== 'hole' || change.after.kind !== 'hole')
      .sort((one, other) => (one.path < other.path ? -1 : 1));
  }
}
