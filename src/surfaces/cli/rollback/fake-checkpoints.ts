import type { Rewind } from '../../../app/index.ts';
import type {
  CallOwner,
  CheckpointList,
  CheckpointStore,
  ListedCheckpoint,
  RestoreReport,
  StoreStatus,
} from '../../../safety/checkpoints/index.ts';
import { FakeHost, type FakeHostOptions, runOn } from '../fake-host.ts';
import type { Verb } from '../verb.ts';
import type { CheckpointOpener, OpenCheckpoints } from './open-checkpoints.ts';

const unexpected = async (): Promise<never> => Promise.reject(new Error('not expected here'));

/** A store for tests of what a person sees of one: what a test does not expect to be asked rejects. */
export function fakeStore(answers: Partial<CheckpointStore>): CheckpointStore {
  return {
    capture: unexpected,
    settle: unexpected,
    capturedBy: unexpected,
    take: unexpected,
    list: unexpected,
    diff: unexpected,
    restore: unexpected,
    undo: unexpected,
    drop: unexpected,
    status: unexpected,
    recover: async () => Promise.resolve([]),
    sweep: unexpected,
    prune: unexpected,
    maintain: unexpected,
    needsMaintenance: unexpected,
    verify: unexpected,
    repair: unexpected,
    clear: unexpected,
    clearLegacy: unexpected,
    close: unexpected,
    ...answers,
  };
}

export interface FakeOpening {
  readonly isEnabled?: boolean;
  readonly rewindTo?: (owner: CallOwner) => Promise<Rewind>;
  readonly checkpointOf?: OpenCheckpoints['checkpointOf'];
}

/** Runs a command line whose checkpoints are those of a fake store. */
export async function runWith(
  store: Partial<CheckpointStore>,
  make: (open: CheckpointOpener) => Verb,
  run: FakeOpening & FakeHostOptions & { readonly argv: readonly string[] },
): ReturnType<typeof runOn> {
  const { isEnabled = true, rewindTo = unexpected, checkpointOf = unexpected, argv, ...options } = run;
  const verb = make(async (_, use) => use({ store: fakeStore(store), isEnabled, rewindTo, checkpointOf }));
  const { name, summary } = verb;
  return runOn(
    new FakeHost(options),
    [name, ...argv],
    [{ name, summary, load: async () => Promise.resolve({ verb }) }],
  );
}

export const ID_1: string = `4270a8c${'1'.repeat(33)}`;
export const ID_2: string = `eaf4c1f${'2'.repeat(33)}`;
const ID_3: string = `b3f9d2e${'3'.repeat(33)}`;

export const OWNER: CallOwner = { sessionId: 's2', rootSessionId: 's1', turnId: 't1', callId: 'c1' };

export function listed(entry: Partial<ListedCheckpoint>): ListedCheckpoint {
  return {
    n: 1,
    id: ID_1,
    at: Date.UTC(2026, 2, 16, 4, 36),
    kind: 'call',
    reason: 'before patch',
    calls: 1,
    files: 0,
    insertions: 0,
    deletions: 0,
    holes: 0,
    ...entry,
  };
}

/** The list of the issue. */
export const LIST: CheckpointList = {
  root: '/path/to/project',
  entries: [
    listed({ files: 1, insertions: 1, callId: 'c1', sessionId: 's1', turnId: 't1' }),
    listed({ n: 2, id: ID_2, at: Date.UTC(2026, 2, 16, 4, 35), reason: 'before write_file' }),
    listed({
      n: 3,
      id: ID_3,
      at: Date.UTC(2026, 2, 16, 4, 34),
      reason: 'before terminal: sed -i s/old/new/ config.py',
      files: 1,
      insertions: 1,
      deletions: 1,
    }),
  ],
  others: [],
  problems: [],
};

export function report(parts: Partial<RestoreReport>): RestoreReport {
  return {
    ok: true,
    root: '/path/to/project',
    target: { id: ID_2, at: Date.UTC(2026, 2, 16, 4, 35), reason: 'before write_file', owner: OWNER },
    restored: [],
    deleted: [],
    kept: [],
    skipped: [],
    ...parts,
  };
}

const MB = 1024 * 1024;

export function statusOf(parts: Partial<StoreStatus>): StoreStatus {
  return {
    base: '/home/you/.herma/checkpoints',
    bytes: 142.3 * MB,
    storeBytes: 138.1 * MB,
    legacy: [],
    projects: [],
    capBytes: 500 * MB,
    isOverCap: false,
    problems: [],
    ...parts,
  };
}
