import type { ApprovalRecord, ApprovalStore } from '../../../gate/index.ts';
import type { Result } from '../../../kernel/errors/index.ts';
import type { JsonObject } from '../../../kernel/json/index.ts';
import { displayPath } from '../../../platform/paths/index.ts';
import { EXIT } from '../exit-code.ts';
import { textArgument } from '../inputs.ts';
import { type Column, formatTable } from '../output/format-table.ts';
import { printableLine } from '../output/printable.ts';
import { relativeTime } from '../output/relative-time.ts';
import { confirm } from '../runtime/confirm.ts';
import { openRuntime } from '../runtime/open-runtime.ts';
import { personOnly } from '../runtime/person-only.ts';
import type { Verb, VerbContext } from '../verb.ts';

const id = textArgument('id', 'the approval, as `herma approvals list` shows it');

const list: Verb = {
  name: 'list',
  summary: 'list what was approved for longer than once',
  details:
    'What was approved in a project holds in that project only, for the rule that asked or for exactly that call.',
  example: 'herma approvals list',
  run: async (context) => {
    const records = await withApprovals(context, (approvals) => approvals.list());
    if (!records.ok) return context.fail(records);
    if (context.json) context.printJson(records.value.map(documentOf));
    else if (records.value.length === 0) context.note('nothing is approved for longer than once');
    else for (const line of tableOf(records.value, context)) context.print(line);
    return EXIT.done;
  },
};

const revoke: Verb = {
  name: 'revoke',
  summary: 'withdraw an approval, at once',
  example: 'herma approvals revoke apr_0mik1x2y3z',
  arguments: [id],
  run: personOnly({ what: 'approvals', verb: 'withdraw' }, async (context) => {
    const revoked = await withApprovals(context, (approvals) => approvals.revoke(context.get(id)));
    if (!revoked.ok) return context.fail(revoked);
    if (context.json) context.printJson(documentOf(revoked.value));
    else context.print(`withdrawn: ${printableLine(revoked.value.shown)}`);
    return EXIT.done;
  }),
};

const clear: Verb = {
  name: 'clear',
  summary: 'withdraw all approvals',
  details: 'Asks first. Exit code 1 when the answer is no.',
  example: 'herma approvals clear -y',
  run: personOnly({ what: 'approvals', verb: 'withdraw' }, async (context) => {
    const cleared = await withApprovals<number | 'declined'>(context, async (approvals) => {
      const records = await approvals.list();
      if (!records.ok) return records;
      const count = records.value.length;
      const agreed =
        count === 0
          ? ({ ok: true, value: true } as const)
          : await confirm(context, `Withdraw ${counted(count)}?`);
      if (!agreed.ok) return agreed;
      return agreed.value ? approvals.clear() : { ok: true, value: 'declined' };
    });
    if (!cleared.ok) return context.fail(cleared);
    const count = cleared.value === 'declined' ? 0 : cleared.value;
    if (context.json) context.printJson({ withdrawn: count });
    else
      context.print(cleared.value === 'declined' ? 'nothing was withdrawn' : `withdrawn: ${counted(count)}`);
    return cleared.value === 'declined' ? EXIT.no : EXIT.done;
  }),
};

export const verb: Verb = {
  name: 'approvals',
  summary: 'see and withdraw what was approved for longer than once',
  example: 'herma approvals list',
  subcommands: [list, revoke, clear],
};

async function withApprovals<Value>(
  context: VerbContext,
  use: (approvals: ApprovalStore) => Promise<Result<Value>>,
): Promise<Result<Value>> {
  const runtime = await openRuntime(context, { surface: 'approvals', cwd: context.paths.home });
  if (!runtime.ok) return runtime;
  try {
    return await use(runtime.value.approvals);
  } finally {
    await runtime.value.close();
  }
}

function tableOf(
  records: readonly ApprovalRecord[],
  { clock, colours, stdout }: VerbContext,
): readonly string[] {
  const columns: readonly Column<ApprovalRecord>[] = [
    { title: 'ID', text: (record) => record.id },
    { title: 'HOLDS', text: holds },
    { title: 'APPROVED', text: ({ approvedAt }) => relativeTime(Date.parse(approvedAt), clock.now()) },
    { title: 'PROJECT', text: ({ project }) => displayPath(project), shrinks: true },
    { title: 'CALL', text: ({ shown }) => shown, shrinks: true },
  ];
  return formatTable(records, columns, { columns: stdout.columns, paintTitle: colours.strong });
}

function holds({ rule, sessionId }: ApprovalRecord): string {
  const scope = sessionId === undefined ? 'always' : `session ${sessionId}`;
  return rule.startsWith('rule:') ? `${scope}, ${rule}` : scope;
}

function documentOf(record: ApprovalRecord): JsonObject {
  return {
    id: record.id,
    tool: record.tool,
    rule: record.rule,
    project: record.project,
    session_id: record.sessionId ?? null,
    approved_at: record.approvedAt,
    shown: record.shown,
  };
}

function counted(count: number): string {
  return count === 1 ? '1 approval' : `${String(count)} approvals`;
}
