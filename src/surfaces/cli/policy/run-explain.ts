import type { JsonObject } from '../../../kernel/json/index.ts';
import type { PolicyCandidate } from '../../../safety/policy/index.ts';
import type { ExitCode } from '../exit-code.ts';
import { type Column, formatTable } from '../output/format-table.ts';
import { printableLine } from '../output/printable.ts';
import type { VerbContext } from '../verb.ts';
import type { Checked } from './checker.ts';
import { type CheckRequest, judgeOne } from './run-check.ts';
import { paintDecision, verdictDocument, verdictLines } from './verdict-text.ts';

const LIMITS =
  'A seat belt, not a wall: what a compiled program, a script that another tool writes later, an interpreter or another machine does is not seen.';

/** `herma policy explain`: the verdict, and everything that was weighed for it. */
export async function runExplain(context: VerbContext, request: CheckRequest): Promise<ExitCode> {
  return judgeOne(context, request, (checked) => {
    if (context.json) context.printJson(documentOf(checked));
    else for (const line of explanation(checked, context)) context.print(line);
  });
}

function documentOf({ verdict, findings }: Checked): JsonObject {
  return {
    ...verdictDocument(verdict),
    unattended: verdict.unattended,
    classes: findings.map((each) => ({
      class: each.class,
      evidence: each.evidence,
      targets: [...each.targets],
    })),
    candidates: verdict.candidates.map(({ rule, source, decision, severity, state, why }) => ({
      rule,
      source,
      decision,
      severity,
      state,
      why,
    })),
    limits: LIMITS,
  };
}

function explanation(
  { verdict, findings }: Checked,
  { colours, stdout }: Pick<VerbContext, 'colours' | 'stdout'>,
): readonly string[] {
  const dangers = findings.map((each) => `  ${each.class}: ${printableLine(each.evidence)}`);
  const columns: readonly Column<PolicyCandidate>[] = [
    { title: 'RULE', text: ({ rule }) => rule },
    { title: 'SOURCE', text: ({ source }) => source },
    {
      title: 'DECISION',
      text: ({ decision }) => decision,
      paint: (text, { decision, state }) =>
        state === 'match' ? paintDecision(decision, colours)(text) : colours.faint(text),
    },
    { title: 'SEVERITY', text: ({ severity }) => severity },
    { title: 'STATE', text: ({ state }) => state },
    { title: 'WHY', text: ({ why }) => why, shrinks: true },
  ];
  const { candidates } = verdict;
  return [
    ...verdictLines(verdict, colours),
    '',
    ...(dangers.length === 0 ? ['No danger was found.'] : ['Dangers that were found:', ...dangers]),
    '',
    ...(candidates.length === 0
      ? ['No rule fits or comes near.']
      : formatTable(candidates, columns, { columns: stdout.columns, paintTitle: colours.strong })),
    '',
    colours.faint(LIMITS),
  ];
}
