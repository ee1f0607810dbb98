import { ledgerJournalStep } from '../../../gate/index.ts';
import { messageOf, type Result, valueOrThrow } from '../../../kernel/errors/index.ts';
import type { JsonObject } from '../../../kernel/json/index.ts';
import { createRedactor } from '../../../kernel/redact/index.ts';
import { type Effect, fingerprintOfCall, type ToolCall } from '../../../kernel/tool-call/index.ts';
import type { Clock } from '../../../platform/clock/index.ts';
import type { LedgerConfig } from '../../../platform/config/index.ts';
import { removeTree } from '../../../platform/files/index.ts';
import { resolvePath } from '../../../platform/paths/index.ts';
import { currentProcessIdentity } from '../../../platform/process/index.ts';
import { randomId } from '../../../platform/random/index.ts';
import { GhostWatch, graceOf, type Ledger, openLedger } from '../../../safety/ledger/index.ts';

/** One thing a journal has to do, and whether it did. */
export interface SelfCheck {
  readonly name: string;
  /** What was seen; why not, when it failed. */
  readonly seen: string;
  readonly ok: boolean;
}

export interface SelfTestParts {
  /** Of the journal: the test runs on one of its own in a folder below, which it removes. */
  readonly folder: string;
  readonly settings: LedgerConfig;
  readonly clock: Clock;
}

interface Bench {
  readonly ledger: Ledger;
  readonly watch: GhostWatch;
  readonly settings: LedgerConfig;
}

type Check = (bench: Bench) => Promise<string>;

/** Does on a journal beside the real one what the journal is for, in five steps. */
export async function selfTest({ folder, settings, clock }: SelfTestParts): Promise<readonly SelfCheck[]> {
  const place = resolvePath(folder, `selftest-${randomId()}`);
  const ledger = openLedger({
    path: resolvePath(place, 'ledger.db'),
    clock,
    redactor: createRedactor(),
    onDamage: () => undefined,
  });
  const watch = new GhostWatch({
    ledger,
    clock,
    probes: {
      foresee: async () => Promise.resolve(undefined),
      probe: async () => Promise.resolve({ verdict: 'NOT_LANDED', evidence: 'the self-test made nothing' }),
    },
    describe: ({ toolName }) => toolName,
  });
  const checks: SelfCheck[] = [];
  try {
    for (const [name, check] of CHECKS)
      checks.push(await outcomeOf(name, check, { ledger, watch, settings }));
  } finally {
    ledger.close();
    valueOrThrow(await removeTree(place));
  }
  return checks;
}

async function outcomeOf(name: string, check: Check, bench: Bench): Promise<SelfCheck> {
  try {
    return { name, ok: true, seen: await check(bench) };
  } catch (error) {
    return { name, ok: false, seen: messageOf(error) };
  }
}

const CHECKS: readonly (readonly [string, Check])[] = [
  ['a call and its end are one row', pairsById],
  ['an end without an id finds its call by the name of the tool', pairsByName],
  ['a call whose process died is a ghost', findsGhosts],
  ['the model of that session is told, once, and no other', tellsModel],
  ['only calls that may have an effect are recorded', recordsEffects],
];

async function pairsById({ ledger, settings }: Bench): Promise<string> {
  const step = stepOn(ledger, settings);
  const call = callOf('pairing', 'write_file', 'write');
  const begun = await step.before(call, { checkpoint: '', verdicts: [], awaitsApproval: false });
  if (begun.type !== 'journalled' || begun.entry === '') throw new Error('the call was not recorded');
  const id = Number(begun.entry);
  expectStatus(await statusOf(ledger, id), 'PENDING');
  await step.after(begun.entry, { call, status: 'ok', result: 'done', durationMs: 1 });
  expectStatus(await statusOf(ledger, id), 'CONFIRMED');
  return 'PENDING, then CONFIRMED';
}

async function pairsByName({ ledger, settings }: Bench): Promise<string> {
  const id = await issue({ ledger, settings }, callOf('by-name', 'create_job', 'external'));
  const match = valueOrThrow(await ledger.find({ rootSessionId: 'by-name', tool: 'create_job' }));
  if (match?.id !== id || match.pairing !== 'name') throw new Error('the call was not found by its name');
  const ended = { status: 'ok', result: 'done', durationMs: 1, effect: 'applied', pairing: 'name' } as const;
  valueOrThrow(await ledger.settle(id, ended));
  const row = valueOrThrow(await ledger.row(id));
  expectStatus(row?.status, 'CONFIRMED');
  if (row?.pairing !== 'name') throw new Error('the row does not say that it was matched by name');
  return 'CONFIRMED, marked as matched by name';
}

async function findsGhosts(bench: Bench): Promise<string> {
  const id = await issue(bench, callOf('ghost', 'create_job', 'external'), 'an-earlier-boot');
  const ghosts = valueOrThrow(await bench.watch.ghosts());
  if (ghosts.length !== 1 || ghosts[0]?.row.id !== id)
    throw new Error(`${String(ghosts.length)} ghosts were found, and there is 1`);
  return 'found at once';
}

async function tellsModel({ ledger, watch }: Bench): Promise<string> {
  const other = await watch.briefing('pairing');
  if (other.text !== '') throw new Error('another session was told of it');
  const told = await watch.briefing('ghost');
  const isTold = /<herma-journal>[^]*call #\d+ `create_job`[^]*NOT_LANDED[^]*<\/herma-journal>/.test(
    told.text,
  );
  if (!isTold) throw new Error('the text for the model does not name the call');
  const again = await watch.briefing('ghost');
  if (again.text !== '') throw new Error('it was told twice');
  const [row] = valueOrThrow(await ledger.rowsWhere("root_session_id = 'ghost'", []));
  expectStatus(row?.status, 'GHOST_REPORTED');
  return 'told in the next turn, then GHOST_REPORTED';
}

async function recordsEffects({ ledger, settings }: Bench): Promise<string> {
  const step = stepOn(ledger, settings);
  const calls: readonly (readonly [string, Effect, boolean])[] = [
    ['read_file', 'none', false],
    ['patch', 'write', true],
    ['terminal', 'execute', true],
    ['mcp__selftest__read', 'none', true],
  ];
  for (const [tool, effect, isExpected] of calls) {
    const call = callOf('recording', tool, effect);
    const begun = await step.before(call, { checkpoint: '', verdicts: [], awaitsApproval: false });
    const isRecorded = begun.type === 'journalled' && begun.entry !== '';
    if (isRecorded !== isExpected) throw new Error(`${tool} ${isRecorded ? 'was' : 'was not'} recorded`);
  }
  const rows = valueOrThrow(await ledger.rowsWhere("root_session_id = 'recording'", []));
  if (rows.length !== 3) throw new Error(`${String(rows.length)} rows are there, and 3 were written`);
  return 'patch, terminal and mcp__ were, read_file was not';
}

function stepOn(ledger: Ledger, settings: LedgerConfig): ReturnType<typeof ledgerJournalStep> {
  const { onFailure, retryLimit, graceSeconds, grace } = settings;
  return ledgerJournalStep({
    ledger,
    foresee: async () => Promise.resolve(undefined),
    classOf: async () => Promise.resolve(undefined),
    isRepeatable: async () => Promise.resolve(false),
    onFailure,
    retryLimit,
    graceMsOf: (tool) => graceOf(tool, { graceSeconds, byTool: grace }),
  });
}

async function issue(
  { ledger, settings }: Pick<Bench, 'ledger' | 'settings'>,
  call: ToolCall,
  bootId?: string,
): Promise<number> {
  const own = currentProcessIdentity();
  const { graceSeconds, grace } = settings;
  const graceMs = graceOf(call.tool, { graceSeconds, byTool: grace });
  const owner = bootId === undefined ? own : { ...own, bootId };
  return valueOrThrow(await ledger.issue({ call, owner, isOwn: false, graceMs }));
}

function callOf(sessionId: string, tool: string, effect: Effect): ToolCall {
  const [args, cwd]: [JsonObject, string] = [{ name: 'selftest' }, '/'];
  return {
    callId: randomId('call'),
    sessionId,
    rootSessionId: sessionId,
    turnId: 'selftest',
    ordinal: 0,
    tool,
    args,
    cwd,
    effect,
    paths: [],
    origin: { kind: 'herma', surface: 'selftest' },
    fingerprint: fingerprintOfCall({ tool, args, cwd }),
  };
}

async function statusOf(ledger: Ledger, id: number): Promise<string | undefined> {
  const row: Result<{ readonly status: string } | undefined> = await ledger.row(id);
  return valueOrThrow(row)?.status;
}

function expectStatus(status: string | undefined, expected: string): void {
  if (status !== expected) throw new Error(`the row is ${status ?? 'not there'}, and should be ${expected}`);
}
