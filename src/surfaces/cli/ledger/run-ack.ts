import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { printableLine } from '../output/printable.ts';
import type { VerbContext } from '../verb.ts';
import { readCallId } from './call-id.ts';
import type { Journal } from './open-journal.ts';
import { insideAgent } from './refuse-agent.ts';

/** Which ghosts are acknowledged, as it was typed. */
export interface AckRequest {
  readonly ids: readonly string[];
  readonly all: boolean;
}

/** `herma ledger ack`: takes ghosts off the list. 1 when something that was named is none. */
export async function runAck(
  context: VerbContext,
  { ledger, watch }: Journal,
  request: AckRequest,
): Promise<ExitCode> {
  const refusal = insideAgent(context, 'acknowledge');
  if (refusal !== undefined) return context.fail(refusal);
  const named = readIds(request);
  if (!named.ok) return context.fail(named);
  const ids = request.all ? await allGhosts({ ledger, watch }) : named;
  if (!ids.ok) return context.fail(ids);
  const not = ledger.file.exists ? await watch.acknowledge(ids.value) : ids;
  if (!not.ok) return context.fail(not);
  const acknowledged = ids.value.filter((id) => !not.value.includes(id));
  const others = await Promise.all(not.value.map(async (id) => ({ id, status: await statusOf(ledger, id) })));
  if (context.json) context.printJson({ acknowledged, not_ghosts: others });
  else if (acknowledged.length > 0)
    context.print(`acknowledged: ${acknowledged.map((id) => `#${String(id)}`).join(', ')}`);
  else context.print('nothing was acknowledged');
  for (const { id, status } of others)
    context.note(
      status === null
        ? `there is no call #${String(id)}`
        : `call #${String(id)} is no ghost: ${printableLine(status)}`,
    );
  return others.length === 0 ? EXIT.done : EXIT.no;
}

function readIds({ ids, all }: AckRequest): Result<readonly number[], 'usage'> {
  if (all && ids.length > 0)
    return fail('usage', '--all names every ghost, and so needs no numbers', 'give one of them');
  if (!all && ids.length === 0)
    return fail('usage', 'ack needs the number of a call', 'herma ledger ack ID, or herma ledger ack --all');
  const read: number[] = [];
  for (const text of ids) {
    const id = readCallId(text);
    if (!id.ok) return id;
    if (!read.includes(id.value)) read.push(id.value);
  }
  return succeed(read);
}

async function allGhosts({
  ledger,
  watch,
}: Pick<Journal, 'ledger' | 'watch'>): Promise<Result<readonly number[]>> {
  if (!ledger.file.exists) return succeed([]);
  const ghosts = await watch.ghosts();
  return ghosts.ok ? succeed(ghosts.value.map(({ row }) => row.id)) : ghosts;
}

async function statusOf(ledger: Journal['ledger'], id: number): Promise<string | null> {
  if (!ledger.file.exists) return null;
  const row = await ledger.row(id);
  return row.ok ? (row.value?.status ?? null) : null;
}
