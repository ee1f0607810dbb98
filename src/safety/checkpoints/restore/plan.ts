import { type Failure, fail } from '../../../kernel/errors/index.ts';
import { planAgent, planCall } from './plan-agent.ts';
import { planAll, planExact } from './plan-all.ts';
import type { DraftPlan, PlanFailureCode, PlanRequest, PlanResult } from './plan-model.ts';
import { pathInside, planPaths } from './plan-paths.ts';
import { settlePlan } from './settle-plan.ts';
import { stateThen } from './state-then.ts';

/** What a restore would do, without doing it. Reads the project and the store, and writes nothing. */
export function planRestore(request: PlanRequest): PlanResult {
  const { tree } = request;
  const seq = seqOf(request);
  const draft = draftOf(request, seq);
  if ('ok' in draft) return draft;
  const then = stateThen(request, seq);
  return { ok: true, plan: settlePlan({ draft, tree, folderThen: (path) => then.stateOf(path) }) };
}

function seqOf({ target }: PlanRequest): number {
  return target.type === 'call' ? target.open.seq : Math.min(...target.opens.map((open) => open.seq));
}

function draftOf(request: PlanRequest, seq: number): DraftPlan | Failure<PlanFailureCode> {
  const { target, mode, paths } = request;
  if (target.type === 'call') return draftOfCall(request, seq, paths);
  if (paths !== undefined) return planPaths(request, seq, paths);
  switch (mode) {
    case 'agent':
      return planAgent(request, seq);
    case 'all':
      return planAll(request, seq);
    case 'exact':
      return planExact({ ...request, target }, seq);
  }
}

function draftOfCall(
  request: PlanRequest,
  seq: number,
  paths: readonly string[] | undefined,
): DraftPlan | Failure<PlanFailureCode> {
  if (request.mode === 'exact')
    return fail('not_scanned', 'one call is undone by itself, not exactly', 'leave out --exact');
  if (paths === undefined) return planCall(request, seq);
  const wanted: string[] = [];
  for (const written of paths) {
    const path = pathInside(request, written);
    if (typeof path !== 'string') return path;
    wanted.push(path);
  }
  const isWanted = (path: string): boolean =>
    wanted.some((each) => each === '' || path === each || path.startsWith(`${each}/`));
  const events = request.events.filter((event) => event.seq !== seq || isWanted(event.path));
  return planCall({ ...request, events }, seq);
}
