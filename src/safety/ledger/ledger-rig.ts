import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { valueOrThrow } from '../../kernel/errors/index.ts';
import type { JsonObject } from '../../kernel/json/index.ts';
import { createRedactor } from '../../kernel/redact/index.ts';
import { fingerprintOfCall, type ToolCall } from '../../kernel/tool-call/index.ts';
import { FakeClock } from '../../platform/clock/index.ts';
import { currentProcessIdentity, type ProcessIdentity } from '../../platform/process/index.ts';
import { GhostWatch } from './ghosts/ghost-watch.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerRow } from './model/ledger-row.ts';
import type { ProbeResult } from './model/probe.ts';
import { openLedger } from './open-ledger.ts';
import type { ProbePort } from './probes/prober.ts';
import type { Intent, Outcome } from './recording/intent.ts';
import { graceOf } from './recording/is-recorded.ts';

/** A process of an earlier boot: dead for certain. */
export const DEAD: ProcessIdentity = { ...currentProcessIdentity(), bootId: 'an-earlier-boot' };

/** A process that lives: the parent of this one's worker. */
export const ALIVE: ProcessIdentity = currentProcessIdentity();

export function callOf(given: Partial<ToolCall> & { readonly args?: JsonObject } = {}): ToolCall {
  const { tool = 'terminal', args = { command: 'true' }, cwd = '/p' } = given;
  return {
    callId: 'call-1',
    sessionId: 's1',
    rootSessionId: given.sessionId ?? 's1',
    turnId: 't1',
    ordinal: 0,
    effect: 'execute',
    paths: [],
    origin: { kind: 'herma', surface: 'cli' },
    ...given,
    tool,
    args,
    cwd,
    fingerprint: fingerprintOfCall({ tool, args, cwd }),
  };
}

export function intentOf(given: Partial<Intent> & { readonly call?: ToolCall } = {}): Intent {
  const call = given.call ?? callOf();
  return { owner: ALIVE, isOwn: true, graceMs: graceOf(call.tool, { byTool: new Map() }), ...given, call };
}

export const OK: Outcome = { status: 'ok', result: 'done', durationMs: 5, effect: 'applied' };

/** A journal of its own with everything that watches over it, for tests. */
export class LedgerRig {
  readonly clock = new FakeClock();
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'ledger-')));
  readonly path = join(this.folder, 'agent-ledger', 'ledger.db');
  readonly damages: string[] = [];
  readonly ledger: Ledger = this.open();
  /** What probes say, by row. */
  probeResult: (row: LedgerRow) => ProbeResult = () => ({
    verdict: 'UNKNOWN',
    evidence: 'nothing to look at',
  });
  probed = 0;

  open(): Ledger {
    return openLedger({
      path: this.path,
      clock: this.clock,
      redactor: createRedactor(),
      patienceMs: 0,
      onDamage: (line) => this.damages.push(line),
    });
  }

  readonly probes: ProbePort = {
    foresee: async () => Promise.resolve(undefined),
    probe: async (row) => {
      this.probed += 1;
      return Promise.resolve(this.probeResult(row));
    },
  };

  watch(ledger = this.ledger): GhostWatch {
    return new GhostWatch({
      ledger,
      clock: this.clock,
      probes: this.probes,
      describe: (row) => `${row.toolName}: ${row.argsJson ?? ''}`,
    });
  }

  async issue(given: Partial<Intent> = {}): Promise<number> {
    return valueOrThrow(await this.ledger.issue(intentOf(given)));
  }

  async status(id: number): Promise<string | undefined> {
    return valueOrThrow(await this.ledger.row(id))?.status;
  }

  async row(id: number): Promise<LedgerRow> {
    const row = valueOrThrow(await this.ledger.row(id));
    if (row === undefined) throw new Error(`no row ${String(id)}`);
    return row;
  }
}
