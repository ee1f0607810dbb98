import { type CallReport, Gate, performCall, type Tool } from '../../gate/index.ts';
import type { JsonObject } from '../../kernel/json/index.ts';
import { systemClock } from '../../platform/clock/index.ts';

export interface BenchOptions {
  /** Absolute. */
  readonly cwd: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (text: string) => void;
}

/** Calls a tool as an agent does, through a gate nobody guards. For tests only. */
export function callTool(tool: Tool, args: JsonObject, options: BenchOptions): Promise<CallReport> {
  const { cwd, signal = new AbortController().signal, onProgress } = options;
  const find = (name: string): Tool | undefined => (name === tool.name ? tool : undefined);
  const gate = new Gate({
    catalog: { lookup: find, names: () => [tool.name] },
    unknownTools: 'refuse',
    guards: () => [],
    approver: {
      decide: () => Promise.resolve({ type: 'refused', choice: 'deny', message: 'nothing is approved here' }),
    },
    audience: {
      observe: () => Promise.resolve([]),
      transform: (ended) => Promise.resolve({ text: ended.result, warnings: [] }),
    },
    clock: systemClock,
    newTicketId: () => 'ticket',
  });
  return performCall(
    {
      tool: tool.name,
      args,
      cwd,
      origin: { kind: 'herma', surface: 'test' },
      callId: 'call-1',
      sessionId: 'session-1',
      rootSessionId: 'session-1',
      turnId: 'turn-1',
      ordinal: 0,
    },
    { gate, toolOf: find, clock: systemClock, signal, ...(onProgress === undefined ? {} : { onProgress }) },
  );
}
