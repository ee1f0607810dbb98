import type { ReadCall } from '../reading/read-call.ts';
import { bursts } from './bursts.ts';
import type { PostureRule } from './posture-rule.ts';

const BURST = { least: 3, withinMs: 10 * 60_000 };
/** Tools that do the same however often the same is asked of them. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['write_file', 'todo', 'read_file', 'search_files']);

/**
 * Equal calls of one lineage, three or more within ten minutes. A command that is run again after other work, such as tests
 * after an edit, is no repeat.
 */
export const retryDuplicate: PostureRule = {
  id: 'retry-dup',
  asi: 'ASI08',
  severity: 'HIGH',
  find: ({ calls }) =>
    repeats(calls)
      .flatMap((list) => bursts(list, BURST))
      .map((list) => ({
        calls: list,
        evidence: `${String(list.length)} equal calls within 10 minutes: ${list[0]?.title ?? ''}`,
      })),
};

/** Runs of equal calls. */
function repeats(calls: readonly ReadCall[]): readonly (readonly ReadCall[])[] {
  const acting = calls.filter((call) => call.isExecuted && hasEffect(call));
  return [...Map.groupBy(acting, ({ row }) => row.rootSessionId).values()].flatMap((lineage) => {
    const runs = new Map<string, ReadCall[][]>();
    for (const [index, call] of lineage.entries()) {
      const { argsSha256, toolName } = call.row;
      if (IDEMPOTENT.has(toolName)) continue;
      const list = runs.get(argsSha256) ?? [];
      runs.set(argsSha256, list);
      const last = list.at(-1);
      if (last === undefined || isAfterWork(lineage[index - 1], call)) list.push([call]);
      else last.push(call);
    }
    return [...runs.values()].flat();
  });
}

function hasEffect({ row }: ReadCall): boolean {
  return row.effectClass !== 'none' && row.commandClass !== 'read-only';
}

/** Whether a command follows a settled call that is not equal to it. */
function isAfterWork(before: ReadCall | undefined, { row }: ReadCall): boolean {
  if (row.effectClass !== 'execute' || before === undefined) return false;
  return before.row.argsSha256 !== row.argsSha256 && before.row.status === 'CONFIRMED';
}
