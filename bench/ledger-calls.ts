import { createRedactor } from '../src/kernel/redact/index.ts';
import { fingerprintOfCall, type ToolCall } from '../src/kernel/tool-call/index.ts';
import { systemClock } from '../src/platform/clock/index.ts';
import { currentProcessIdentity } from '../src/platform/process/index.ts';
import { type Intent, type Ledger, type Outcome, openLedger } from '../src/safety/ledger/index.ts';

export function openBenchLedger(path: string): Ledger {
  return openLedger({
    path,
    clock: systemClock,
    redactor: createRedactor(),
    onDamage: (line) => {
      throw new Error(line);
    },
  });
}

/** A call as a coding agent makes them, with what is known of it beforehand. */
export function typicalIntent(session: string, ordinal: number): Intent {
  const tool = 'terminal';
  const command = `cd packages/server && npm run test -- --run src/routes/session-${String(ordinal)}.test.ts`;
  const cwd = '/home/you/projects/a-project-of-some-length';
  const args = { command, timeout: 120 };
  const call: ToolCall = {
    callId: `call_${session}_${String(ordinal)}`,
    sessionId: `ses_${session}`,
    rootSessionId: `ses_${session}`,
    turnId: `turn_${String(Math.floor(ordinal / 10))}`,
    ordinal: ordinal % 10,
    tool,
    args,
    cwd,
    effect: 'execute',
    paths: [],
    origin: { kind: 'herma', surface: 'bench' },
    fingerprint: fingerprintOfCall({ tool, args, cwd }),
  };
  const exitFile = '/home/you/.herma/run/0123456789abcdef0123456789abcdef.rc';
  return {
    call,
    owner: currentProcessIdentity(),
    isOwn: false,
    graceMs: 900_000,
    checkpoint: 'cp_0123456789abcdef',
    commandClass: 'read-only',
    foreseen: { files: [], exitFile },
    verdicts: [{ by: 'plugin:no-secrets', verdict: 'allow' }],
  };
}

export const TYPICAL_OUTCOME: Outcome = {
  status: 'ok',
  result: JSON.stringify({ output: '✓ 14 tests passed in 1.2 s\n'.repeat(8), exit_code: 0, error: null }),
  durationMs: 1200,
  effect: 'applied',
};

/** Issues and settles that many calls; the times of each, in milliseconds. Throws when one is not recorded. */
export async function recordCalls(
  ledger: Ledger,
  session: string,
  { from = 0, count }: { readonly from?: number; readonly count: number },
): Promise<readonly number[]> {
  const times: number[] = [];
  for (let ordinal = from; ordinal < from + count; ordinal += 1) {
    const intent = typicalIntent(session, ordinal);
    const startedAt = performance.now();
    const issued = await ledger.issue(intent);
    if (!issued.ok) throw new Error(issued.message);
    const settled = await ledger.settle(issued.value, TYPICAL_OUTCOME);
    times.push(performance.now() - startedAt);
    if (!settled.ok || settled.value.type !== 'settled')
      throw new Error('the end of a call was not recorded');
  }
  return times;
}
