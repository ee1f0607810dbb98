import { posix, resolve } from 'node:path';
import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import type {
  CapturedPlace,
  CheckpointStore,
  RestoreOptions,
  RestoreReport,
  RestoreTarget,
} from '../../../safety/checkpoints/index.ts';
import { readCallId } from '../ledger/call-id.ts';
import type { OpenCheckpoints } from './open-checkpoints.ts';

type Places = readonly [CapturedPlace, ...CapturedPlace[]];

/**
 * The checkpoints of a call that is named by its number in the journal; undefined for what is no such number: then it is the id that
 * the model gave the call.
 */
export async function placesOfCall(
  target: RestoreTarget,
  { store, checkpointOf }: Pick<OpenCheckpoints, 'store' | 'checkpointOf'>,
): Promise<Result<Places | undefined>> {
  const id = 'callId' in target ? readCallId(target.callId) : undefined;
  if (id?.ok !== true) return succeed(undefined);
  const token = await checkpointOf(id.value);
  if (!token.ok) return token;
  if (token.value === undefined) return succeed(undefined);
  const name = `call #${String(id.value)}`;
  if (token.value === null)
    return fail(
      'no_checkpoint',
      `no checkpoint was taken for ${name}, so what it changed cannot be taken back`,
      'checkpoints.enabled: true takes them from now on',
    );
  const [first, ...others] = await store.capturedBy(token.value);
  if (first !== undefined) return succeed([first, ...others]);
  return fail(
    'no_such_call',
    `the checkpoint of ${name} is gone, with the project it was of`,
    'herma checkpoints shows what is kept',
  );
}

/**
 * Takes one call back in every project it was captured in.
 *
 * @param options `directory` is where relative `paths` start.
 */
export async function restoreCall(
  store: Pick<CheckpointStore, 'recover' | 'restore'>,
  places: Places,
  { directory, paths, ...options }: RestoreOptions & { readonly directory: string },
): Promise<RestoreReport> {
  const reports: RestoreReport[] = [];
  for (const { root, id } of places) {
    const files = paths?.map((path) => resolve(directory, path));
    const own = places.length === 1 ? files : files?.filter((path) => isBelow(path, root));
    if (own?.length === 0) continue;
    await store.recover(root);
    const only = own === undefined ? {} : { paths: own };
    reports.push(await store.restore(root, { callOf: id }, { ...options, ...only }));
  }
  const [first, ...others] = reports;
  if (first === undefined) return nothingThere(places[0].root);
  return others.length === 0 ? first : merged(first, reports);
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`);
}

/** Paths of several projects are absolute. */
function merged(first: RestoreReport, reports: readonly RestoreReport[]): RestoreReport {
  const all = (pick: (report: RestoreReport) => readonly string[]): readonly string[] =>
    reports.flatMap((report) => pick(report).map((path) => posix.join(report.root, path)));
  const failed = reports.find(({ ok }) => !ok);
  return {
    ...first,
    ok: failed === undefined,
    restored: all(({ restored }) => restored),
    deleted: all(({ deleted }) => deleted),
    kept: all(({ kept }) => kept),
    skipped: reports.flatMap(({ root, skipped }) =>
      skipped.map((each) => ({ ...each, path: posix.join(root, each.path) })),
    ),
    ...(failed?.error === undefined ? {} : { error: failed.error }),
  };
}

function nothingThere(root: string): RestoreReport {
  const error = { code: 'no_such_path', message: 'the call was captured nowhere near these files' };
  return { ok: false, root, restored: [], deleted: [], kept: [], skipped: [], error };
}
