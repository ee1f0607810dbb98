import { getString } from '../../kernel/json/index.ts';
import type { ToolCall } from '../../kernel/tool-call/index.ts';
import type { CallGuard } from '../../kernel/verdict/index.ts';
import { systemClock } from '../../platform/clock/index.ts';
import { type HomePaths, homePaths } from '../../platform/paths/index.ts';
import { runProcess } from '../../platform/process/index.ts';
import { randomId } from '../../platform/random/index.ts';
import { type CallReport, Gate, performCall, type Tool, type ToolOutcome } from '../index.ts';
import type { TamperFinding } from './finding.ts';
import { type ProtectedPaths, protectedPaths } from './protected-paths.ts';
import { protectedTargetGuard } from './protected-target-guard.ts';
import { SelfProtection, tamperWarnings } from './self-protection.ts';
import type { TamperEvent } from './tamper-records.ts';

export interface ProtectionRig {
  readonly paths: HomePaths;
  readonly protectedPaths: ProtectedPaths;
  readonly protection: SelfProtection;
  /** What was found by the calls so far. */
  readonly findings: TamperFinding[];
  readonly events: TamperEvent[];
  readonly guard: CallGuard;
  /** Runs a command in bash, as the terminal tool does. */
  readonly run: (command: string, from?: Partial<Caller>) => Promise<CallReport>;
  readonly call: (
    tool: string,
    args: Readonly<Record<string, string>>,
    from?: Partial<Caller>,
  ) => Promise<CallReport>;
}

export interface Caller {
  readonly sessionId: string;
  readonly rootSessionId: string;
  readonly parentSessionId: string;
}

/** A real gate with real bash behind it, around a home. For tests only. */
export function protectionRig(options: {
  readonly home: string;
  readonly userHome: string;
  readonly cwd: string;
}): ProtectionRig {
  const { home, userHome, cwd } = options;
  const paths = homePaths(home);
  const own = protectedPaths(paths);
  const findings: TamperFinding[] = [];
  const events: TamperEvent[] = [];
  const protection = new SelfProtection({
    paths: own,
    clock: systemClock,
    newId: () => randomId(),
    describe: ({ tool, args }) => `${tool}: ${JSON.stringify(args)}`,
    onTampered: (event) => events.push(event),
  });
  const guard = protectedTargetGuard({ paths: own, userHome });
  const tools = new Map(
    actionsFor({ HOME: userHome, HERMA_HOME: home, PATH: '/usr/bin:/bin' }).map((action): [string, Tool] => [
      action.name,
      watched(action, { protection, findings }),
    ]),
  );
  const gate = new Gate({
    catalog: { lookup: (name) => tools.get(name), names: () => [...tools.keys()] },
    unknownTools: 'refuse',
    guards: () => [guard, protection.guard()],
    approver: { decide: async () => Promise.resolve({ type: 'refused', choice: 'deny', message: 'no' }) },
    audience: {
      observe: async () => Promise.resolve([]),
      transform: async ({ result }) => Promise.resolve({ text: result, warnings: [] }),
    },
    clock: systemClock,
    newTicketId: () => randomId(),
  });
  const call: ProtectionRig['call'] = async (tool, args, from = {}) =>
    performCall(
      {
        callId: randomId(),
        sessionId: 's1',
        rootSessionId: 's1',
        turnId: 't1',
        ordinal: 0,
        ...from,
        tool,
        args,
        cwd,
        origin: { kind: 'herma', surface: 'test' },
      },
      {
        gate,
        toolOf: (name) => tools.get(name),
        clock: systemClock,
        signal: new AbortController().signal,
      },
    );
  const run: ProtectionRig['run'] = async (command, from) => call('terminal', { command }, from);
  return { paths, protectedPaths: own, protection, findings, events, guard, run, call };
}

/** A call that asks for nothing. */
export function callOf(effect: ToolCall['effect']): ToolCall {
  return {
    callId: 'c1',
    sessionId: 's1',
    rootSessionId: 's1',
    turnId: 't1',
    ordinal: 0,
    tool: 'x',
    args: {},
    effect,
    paths: [],
    fingerprint: '',
    cwd: '/',
    origin: { kind: 'herma', surface: 'test' },
  };
}

type Act = (call: ToolCall, signal: AbortSignal) => Promise<ToolOutcome>;

/** A tool without its window. */
type Action = Omit<Tool, 'execute'> & { readonly act: Act };

function actionsFor(env: Readonly<Record<string, string>>): readonly Action[] {
  const base = { description: '', parameters: { type: 'object' }, idempotent: false };
  const act: Act = async () => Promise.resolve({ status: 'ok', result: 'done' });
  return [
    {
      ...base,
      name: 'terminal',
      effect: 'execute',
      pathArguments: ['workdir'],
      act: async ({ args, cwd }, signal) => {
        const ran = await runProcess({
          command: 'bash',
          args: ['--norc', '-c', getString(args, 'command') ?? ''],
          cwd,
          env,
          maxStdoutBytes: 10_000,
          maxStderrBytes: 10_000,
          keep: 'head',
          signal,
        });
        if (ran.exitCode === 0) return { status: 'ok', result: ran.stdoutText };
        return { status: 'error', errorType: 'nonzero_exit', message: ran.stderrText };
      },
    },
    { ...base, name: 'write_file', effect: 'write', pathArguments: ['path'], act },
    { ...base, name: 'read_file', effect: 'none', pathArguments: ['path'], act },
    { ...base, name: 'mcp__x__do', effect: 'external', pathArguments: [], act },
  ];
}

/** The window is around what the tool does, and nothing else. */
function watched(
  { act, ...declaration }: Action,
  { protection, findings }: Pick<ProtectionRig, 'protection' | 'findings'>,
): Tool {
  return {
    ...declaration,
    execute: async ({ call }, { signal, onProgress }) => {
      const window = protection.before(call);
      const outcome = await act(call, signal);
      if (window === undefined) return outcome;
      const found = await protection.after(window);
      findings.push(...found);
      for (const line of [...window.warnings, ...tamperWarnings(found)]) onProgress(line);
      return outcome;
    },
  };
}
