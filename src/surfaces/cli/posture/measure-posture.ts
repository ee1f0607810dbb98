import { type Failure, fail } from '../../../kernel/errors/index.ts';
import { statPath } from '../../../platform/files/index.ts';
import { displayPath, expandTilde, resolvePath, userHome } from '../../../platform/paths/index.ts';
import { computePosture, type PostureReport, readPostureJournal } from '../../../safety/posture/index.ts';
import { readMoment } from '../ledger/time-span.ts';
import { printableLine } from '../output/printable.ts';
import type { VerbContext } from '../verb.ts';
import { chainState } from './chain-state.ts';

/** What is measured, as it was typed. */
export interface PostureRequest {
  readonly database: string | undefined;
  readonly since: string | undefined;
  /** Ids of sessions, or `all`. */
  readonly unattended: readonly string[];
}

export type MeasuredPosture =
  | { readonly type: 'measured'; readonly report: PostureReport }
  | { readonly type: 'nothing'; readonly path: string }
  | { readonly type: 'failed'; readonly failure: Omit<Failure, 'ok'> };

/** Measures a journal: the one of this home when none is named. What a person should know besides goes to standard error. */
export async function measurePosture(
  context: VerbContext,
  { database, since, unattended }: PostureRequest,
): Promise<MeasuredPosture> {
  const { clock, environment, paths } = context;
  const home = userHome(environment);
  const nowMs = clock.now();
  const moment = since === undefined ? undefined : readMoment(since, nowMs);
  if (moment?.ok === false) return { type: 'failed', failure: moment };
  if (moment !== undefined && moment.value >= nowMs)
    return {
      type: 'failed',
      failure: fail('usage', '--since is in the future', 'write it like 24h, 7d or 2026-03-16'),
    };
  const path =
    database === undefined
      ? paths.ledgerDatabase
      : resolvePath(context.workingDirectory(), expandTilde(database, home));
  const stat = await statPath(path);
  if (!stat.ok) return { type: 'failed', failure: stat };
  if (stat.value === undefined) return { type: 'nothing', path: displayPath(path) };
  const journal = readPostureJournal(path);
  if (!journal.ok) return { type: 'failed', failure: journal };
  const { chain, note } = await chainState(context, path);
  if (note !== undefined) context.note(printableLine(note));
  const named = new Set(unattended);
  const report = computePosture(journal.value.rows, journal.value.decisions, {
    nowMs,
    sinceMs: moment?.value,
    place: { home, hermaHome: paths.home },
    chain,
    isUnattended:
      named.size === 0
        ? undefined
        : ({ sessionId, rootSessionId }) =>
            named.has('all') || named.has(sessionId) || named.has(rootSessionId),
  });
  return { type: 'measured', report };
}
