import { isJsonObject, type JsonObject, parseJson } from '../../kernel/json/index.ts';
import type { LedgerRow, ProbeResult } from '../../safety/ledger/index.ts';
import { memberOf } from './member-of.ts';
import type { PluginProbeCall } from './plugin-api.ts';
import type { RunningPlugin } from './running-plugin.ts';

/** A probe of a plugin that is in effect. */
export interface LoadedProbe {
  readonly tool: string;
  /** Rejects when the probe throws, or answers something that is no finding. */
  probe(row: LedgerRow, signal: AbortSignal): Promise<ProbeResult>;
}

/** The probe that the plugin registered at that place, as the journal asks probes. */
export function probeOf(tool: string, index: number, plugin: RunningPlugin): LoadedProbe {
  return {
    tool,
    probe: async (row, signal) => readFinding(await plugin.runProbe(index, callOf(row), signal)),
  };
}

function callOf({ argsJson, cwd, ts, sessionId, callId }: LedgerRow): PluginProbeCall {
  return { args: argsOf(argsJson), cwd, issuedAt: ts, sessionId, toolCallId: callId };
}

function argsOf(argsJson: string | null): JsonObject {
  if (argsJson === null) throw new Error('the arguments of the call were erased from the journal');
  const parsed = parseJson(argsJson);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
}

const VERDICTS: readonly ProbeResult['verdict'][] = ['LANDED', 'NOT_LANDED', 'PARTIAL', 'UNKNOWN'];

function readFinding(answer: unknown): ProbeResult {
  const [given, evidence] = [memberOf(answer, 'verdict'), memberOf(answer, 'evidence')];
  const verdict = VERDICTS.find((each) => each === given);
  if (verdict === undefined || typeof evidence !== 'string')
    throw new Error(`the probe answered no finding; the verdicts are ${VERDICTS.join(', ')}`);
  return { verdict, evidence };
}
