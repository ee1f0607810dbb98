import { getOwn, isJsonObject, type JsonObject, parseJson } from '../../../kernel/json/index.ts';
import type { ProcessIdentity } from '../../../platform/process/index.ts';
import { randomId } from '../../../platform/random/index.ts';
import { createRawFile, renameRaw, syncRawFolder, unlinkRaw } from '../../../platform/raw-files/index.ts';
import {
  countOf,
  encodeProcess,
  FieldProblem,
  isProjectPath,
  oneOf,
  processOf,
  textOf,
  textsOf,
} from '../projects/json-fields.ts';
import { readJsonObject } from '../projects/read-json-object.ts';
import { decodeJournalFile, encodeRecord } from '../projects/record-codec.ts';
import { type Move, movesOf } from './move.ts';
import type { PlannedAction } from './plan-model.ts';

/** `staging`: nothing of the project was changed, but there may be temporary files. `committing`: all of them are complete. */
export type RestorePhase = 'staging' | 'committing';

/** The restore that runs in a project, as it is on the disk. */
export interface RestoreJournal {
  readonly transaction: string;
  readonly phase: RestorePhase;
  readonly process: ProcessIdentity;
  /** `seq` of the record that was taken before it. */
  readonly opens: number;
  readonly moves: readonly Move[];
}

export type RestoreJournalRead =
  | { readonly type: 'none' }
  | { readonly type: 'journal'; readonly journal: RestoreJournal }
  | { readonly type: 'damaged'; readonly path: string; readonly problem: string };

const VERSION = 1;

function restoreJournalPath(store: string, h16: string): string {
  return `${store}/journals/${h16}/restore.json`;
}

/** Puts the journal on the disk, in place of an older one. Throws what the file system does. */
export function writeRestoreJournal(store: string, h16: string, journal: RestoreJournal): void {
  const path = restoreJournalPath(store, h16);
  const draft = `${store}/journals/${h16}/tmp-${randomId('restore')}`;
  createRawFile(draft, Buffer.from(encode(journal)), { mode: 0o600, sync: true });
  try {
    renameRaw(draft, path);
  } finally {
    unlinkRaw(draft);
  }
  syncRawFolder(`${store}/journals/${h16}`);
}

export function readRestoreJournal(store: string, h16: string): RestoreJournalRead {
  const path = restoreJournalPath(store, h16);
  const read = readJsonObject(path);
  if (read.type === 'none') return { type: 'none' };
  if (read.type === 'damaged') return { type: 'damaged', path, problem: read.problem };
  try {
    return { type: 'journal', journal: decode(read.value) };
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    return { type: 'damaged', path, problem: error.message };
  }
}

/** The restore is over. */
export function removeRestoreJournal(store: string, h16: string): void {
  unlinkRaw(restoreJournalPath(store, h16));
}

function encode({ transaction, phase, process, opens, moves }: RestoreJournal): string {
  const changes = moves.map(({ path, from, to }) => ({ path, before: from, after: to }));
  const actions = parseJson(
    encodeRecord({ type: 'close', seq: 1, opens, at: 0, named: [], changes, isLate: false, bytes: 0 }),
  );
  const document = {
    version: VERSION,
    transaction,
    phase,
    process: encodeProcess(process),
    opens,
    homes: moves.map(({ home }) => home),
    // The form of states is that of records.
    actions: actions.ok ? actions.value : null,
  };
  return `${JSON.stringify(document)}\n`;
}

function decode(value: JsonObject): RestoreJournal {
  if (getOwn(value, 'version') !== VERSION) throw new FieldProblem(`"version" is not ${String(VERSION)}`);
  const transaction = textOf(value, 'transaction');
  if (!/^[a-z0-9_]+$/.test(transaction)) throw new FieldProblem('"transaction" is not an id');
  const homes = textsOf(value, 'homes');
  if (!homes.every((home) => home === '' || isProjectPath(home)))
    throw new FieldProblem('"homes" has a path outside the project');
  const actions = actionsOf(value);
  if (homes.length !== actions.length) throw new FieldProblem('"homes" are not as many as the actions');
  return {
    transaction,
    phase: oneOf(value, 'phase', ['staging', 'committing']),
    process: processOf(value, 'process'),
    opens: countOf(value, 'opens', 1),
    moves: movesOf(actions, homes, transaction),
  };
}

function actionsOf(value: JsonObject): readonly PlannedAction[] {
  const actions = getOwn(value, 'actions');
  if (!isJsonObject(actions)) throw new FieldProblem('"actions" is not an object');
  const decoded = decodeJournalFile(actions, 1, () => undefined);
  if (!decoded.ok) throw new FieldProblem(decoded.problem);
  if (decoded.value.type !== 'record' || decoded.value.record.type !== 'close')
    throw new FieldProblem('"actions" are not changes');
  return decoded.value.record.changes.map(({ path, before, after }) => ({ path, from: before, to: after }));
}
