import { fail, messageOf, type Result, succeed } from '../../../kernel/errors/index.ts';
import { isJsonObject, type JsonObject } from '../../../kernel/json/index.ts';
import type { ToolCall } from '../../../kernel/tool-call/index.ts';
import { type Clock, within } from '../../../platform/clock/index.ts';
import { statPath } from '../../../platform/files/index.ts';
import type { Foreseen } from '../model/foreseen.ts';
import type { LedgerRow } from '../model/ledger-row.ts';
import type { ProbeResult } from '../model/probe.ts';
import { checkAnswer } from './check-answer.ts';
import { checkForeseen } from './check-foreseen.ts';
import { isProbeResult, presentable } from './evidence.ts';
import { fillTemplate } from './fill-template.ts';
import { type ForeseePorts, foreseeCall } from './foresee-call.ts';
import { probeTerminal } from './probe-terminal.ts';

/** Looks whether the effect of one call is there. Reads only, and ends when `signal` is aborted. */
export type Probe = (row: LedgerRow, signal: AbortSignal) => Promise<ProbeResult>;

/** What the journal wants of the probes. */
export interface ProbePort {
  /** What is known before a call; undefined when nothing about it could be checked later. Never rejects; takes at most 200 ms. */
  foresee(call: ToolCall): Promise<Foreseen | undefined>;
  /** Never rejects; a probe that fails or takes over 2 s says UNKNOWN. */
  probe(row: LedgerRow): Promise<ProbeResult>;
}

/** How far the session got that a call delegated to. */
export interface ChildState {
  /** `none`: there is no such session. */
  readonly state: 'completed' | 'running' | 'failed' | 'none';
  /** For a person: which session, and what is known of it. */
  readonly summary: string;
}

/**
 * A call of a tool that reads, and what its answer holds when the effect of another tool's call is there. `{{name}}` in both stands for an
 * argument of that call.
 */
export interface McpProbe {
  readonly tool: string;
  readonly args: JsonObject;
  /** A text, or a regular expression between slashes: `/job \d+/i`. */
  readonly expect: string;
}

export interface ProberPorts extends ForeseePorts {
  readonly clock: Clock;
  /** Finds the child session of a call of `delegate_task`; undefined when that cannot be looked up. */
  readonly childState?: ((row: LedgerRow) => Promise<ChildState | undefined>) | undefined;
  /** Calls a tool that only reads, without asking anyone; undefined when there is no answer. */
  readonly callReadTool?:
    | ((tool: string, args: JsonObject, signal: AbortSignal) => Promise<string | undefined>)
    | undefined;
  /** By the name of the tool whose calls are probed: `mcp__server__tool`. */
  readonly mcpProbes?: ReadonlyMap<string, McpProbe> | undefined;
}

/** Milliseconds. */
const FORESEE_LIMIT_MS = 200;
/** How long contents are read before a call. */
const READ_LIMIT_MS = 120;
const PROBE_LIMIT_MS = 2000;

/**
 * Finds out what became of calls nobody saw the end of, by looking at the world: read only, without a model, in bounded time.
 */
export class Prober implements ProbePort {
  readonly #ports: ProberPorts;
  readonly #probes = new Map<string, Probe>();

  constructor(ports: ProberPorts) {
    this.#ports = ports;
  }

  /** Takes the probe of a plugin for a tool of its own. Fails with `probe_taken` when that tool has one already. */
  register(tool: string, probe: Probe): Result<undefined, 'probe_taken'> {
    if (this.#probes.has(tool) || BUILT_IN.has(tool)) {
      return fail(
        'probe_taken',
        `The tool "${tool}" has a probe already.`,
        'Register one probe for each tool, and none for the tools of Herma.',
      );
    }
    this.#probes.set(tool, probe);
    return succeed(undefined);
  }

  async foresee(call: ToolCall): Promise<Foreseen | undefined> {
    const exitFile = await this.#exitFileOf(call).catch(() => undefined);
    const found = await this.#foreseeInTime(call);
    if (exitFile === undefined) return found;
    return { files: [], ...found, exitFile };
  }

  async probe(row: LedgerRow): Promise<ProbeResult> {
    return presentable(await this.#look(row), this.#ports.redactor);
  }

  async #foreseeInTime(call: ToolCall): Promise<Foreseen | undefined> {
    const reading = new AbortController();
    const stopTimer = this.#ports.clock.startTimer(READ_LIMIT_MS, () => reading.abort());
    try {
      const timed = await this.#within(FORESEE_LIMIT_MS, (signal) =>
        foreseeCall(call, this.#ports, AbortSignal.any([signal, reading.signal])),
      );
      return timed.inTime ? timed.value : undefined;
    } catch {
      // What cannot be foreseen is no reason to keep a call from running: it is probed as UNKNOWN then.
      return undefined;
    } finally {
      stopTimer();
    }
  }

  async #exitFileOf(call: ToolCall): Promise<string | undefined> {
    if (call.tool !== 'terminal' || call.args['background'] === true) return undefined;
    const path = this.#ports.exitFileOf?.(call);
    if (path === undefined) return undefined;
    // One that is there already was left by another call.
    const stat = await statPath(path);
    return stat.ok && stat.value === undefined ? path : undefined;
  }

  async #look(row: LedgerRow): Promise<ProbeResult> {
    try {
      const timed = await this.#within(PROBE_LIMIT_MS, (signal) => this.#probeOf(row)(row, signal));
      if (!timed.inTime) return unknown('looking took longer than 2 s');
      return isProbeResult(timed.value) ? timed.value : unknown('the probe gave no verdict');
    } catch (error) {
      return unknown(`looking failed: ${messageOf(error)}`);
    }
  }

  #within<Value>(
    limitMs: number,
    work: (signal: AbortSignal) => Promise<Value>,
  ): ReturnType<typeof within<Value>> {
    return within(this.#ports.clock, limitMs, new AbortController().signal, work);
  }

  #probeOf({ toolName }: LedgerRow): Probe {
    const registered = this.#probes.get(toolName);
    if (registered !== undefined) return registered;
    if (toolName === 'terminal') return probeTerminal;
    if (toolName === 'delegate_task') return (row) => this.#probeChild(row);
    if (toolName.startsWith('mcp__')) return (row, signal) => this.#probeMcp(row, signal);
    return probeFiles;
  }

  async #probeChild(row: LedgerRow): Promise<ProbeResult> {
    const child = await this.#ports.childState?.(row);
    switch (child?.state) {
      case undefined:
        return unknown('the session it delegated to cannot be looked up');
      case 'completed':
        return { verdict: 'LANDED', evidence: `the child has finished: ${child.summary}` };
      case 'running':
        return unknown(`the child is still running: ${child.summary}`);
      case 'failed':
        return { verdict: 'PARTIAL', evidence: `the child did not finish: ${child.summary}` };
      case 'none':
        return { verdict: 'NOT_LANDED', evidence: `no child was started: ${child.summary}` };
    }
  }

  async #probeMcp(row: LedgerRow, signal: AbortSignal): Promise<ProbeResult> {
    const { toolName } = row;
    const probe = this.#ports.mcpProbes?.get(toolName);
    if (probe === undefined) return unknown(`no probe is configured for ${toolName}`);
    const [args, expect] = [fillTemplate(probe.args, row), fillTemplate(probe.expect, row)];
    if (!isJsonObject(args) || typeof expect !== 'string')
      return unknown(`the probe of ${toolName} needs an argument that the journal does not hold`);
    const answer = await this.#ports.callReadTool?.(probe.tool, args, signal);
    if (answer === undefined) return unknown(`${probe.tool}, which is to tell, gave no answer`);
    return checkAnswer(answer, expect, probe.tool);
  }
}

const BUILT_IN: ReadonlySet<string> = new Set(['terminal', 'delegate_task', 'write_file', 'patch']);

async function probeFiles(row: LedgerRow, signal: AbortSignal): Promise<ProbeResult> {
  const found = await checkForeseen(row, signal);
  return (
    found ?? unknown(`nothing is known that a call of ${row.toolName} leaves and that could be looked at`)
  );
}

function unknown(evidence: string): ProbeResult {
  return { verdict: 'UNKNOWN', evidence };
}
