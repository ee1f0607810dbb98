import { getOwn, isJsonObject, parseJson } from '../../../kernel/json/index.ts';
import { readFileBytes } from '../../../platform/files/index.ts';
import { currentProcessIdentity, processesWithArgument } from '../../../platform/process/index.ts';
import type { LedgerRow } from '../model/ledger-row.ts';
import type { ProbeResult } from '../model/probe.ts';
import { checkForeseen } from './check-foreseen.ts';

const MAX_EXIT_FILE_BYTES = 16;

/**
 * How a shell command ended: by the exit code its shell left, else by whether it still runs, else by what it was to make.
 */
export async function probeTerminal(row: LedgerRow, signal: AbortSignal): Promise<ProbeResult> {
  const exitFile = row.foreseen?.exitFile;
  if (exitFile === undefined) return withoutExitCode(row, signal);
  const early = await exitCodeIn(exitFile);
  if (early !== undefined) return withExitCode(early, row, signal);
  const [pid] = processesWithArgument(exitFile);
  // It may have ended between the two looks.
  const late = await exitCodeIn(exitFile);
  if (late !== undefined) return withExitCode(late, row, signal);
  if (pid !== undefined)
    return {
      verdict: 'UNKNOWN',
      evidence: `still running (process ${String(pid)}), without an exit code so far`,
    };
  return withoutExitCode(row, signal);
}

/** Undefined while there is none. */
async function exitCodeIn(path: string): Promise<number | undefined> {
  const read = await readFileBytes(path, { maxBytes: MAX_EXIT_FILE_BYTES });
  const code = read.ok ? /^(\d{1,3})\n$/.exec(read.value.bytes.toString('latin1'))?.[1] : undefined;
  return code === undefined ? undefined : Number(code);
}

async function withExitCode(code: number, row: LedgerRow, signal: AbortSignal): Promise<ProbeResult> {
  const ended = `it ended with exit code ${String(code)}`;
  if (code === 0) return { verdict: 'LANDED', evidence: ended };
  const found = await checkForeseen(row, signal);
  return found === undefined || found.verdict === 'UNKNOWN'
    ? { verdict: 'PARTIAL', evidence: `${ended}; what it did until then is not known` }
    : { verdict: found.verdict, evidence: `${ended}; ${found.evidence}` };
}

async function withoutExitCode(row: LedgerRow, signal: AbortSignal): Promise<ProbeResult> {
  const missing = row.foreseen?.exitFile === undefined ? '' : 'its shell left no exit code; ';
  const found = await checkForeseen(row, signal);
  if (found === undefined)
    return {
      verdict: 'UNKNOWN',
      evidence: `${missing}nothing it was to make is known that could be looked for`,
    };
  if (found.verdict === 'NOT_LANDED' && mayStillRun(row))
    return {
      verdict: 'UNKNOWN',
      evidence: `it may still run, which cannot be seen from here; ${found.evidence}`,
    };
  return { verdict: found.verdict, evidence: `${missing}${found.evidence}` };
}

/** Whether the command could go on unseen: in the background, where no exit code tells, or in another container. */
function mayStillRun({ argsJson, owner }: LedgerRow): boolean {
  const { pidNamespace, bootId } = currentProcessIdentity();
  if (owner !== undefined && owner.bootId !== '' && owner.bootId !== bootId) return false;
  if (owner !== undefined && owner.pidNamespace !== pidNamespace) return true;
  const args = parseJson(argsJson ?? '');
  return args.ok && isJsonObject(args.value) && getOwn(args.value, 'background') === true;
}
