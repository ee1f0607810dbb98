import { messageOf } from '../../kernel/errors/index.ts';
import type { ToolCall } from '../../kernel/tool-call/index.ts';
import type { ProcessIdentity } from '../../platform/process/index.ts';
import type { CallCapture, CaptureReport, SettleReport } from '../../safety/checkpoints/index.ts';
import { captureOfCall } from './capture-of-call.ts';
import type { Captured, CheckpointStep } from './checkpoint-step.ts';

/** The two halves of a checkpoint, as the checkpoint store has them. */
export interface CaptureStore {
  capture(request: CallCapture): Promise<CaptureReport>;
  settle(token: string): Promise<SettleReport>;
}

export interface StoreCheckpointParts {
  /** Opened by the first call that needs it. Rejects or throws when it cannot be. */
  readonly store: () => Promise<CaptureStore>;
  readonly onFailure: 'warn' | 'block';
  /** What `~` stands for in the paths of calls. */
  readonly home: string;
  /** The process that can still end a call, when it is not this one. */
  readonly processOf?: (call: ToolCall) => ProcessIdentity | undefined;
}

/** The checkpoint step of a gate on a checkpoint store. */
export function storeCheckpointStep(parts: StoreCheckpointParts): CheckpointStep {
  return {
    before: async (call, signal) => captureBefore(call, signal, parts),
    after: async (checkpoint) => settleAfter(checkpoint, parts),
  };
}

async function captureBefore(
  call: ToolCall,
  signal: AbortSignal,
  { store, onFailure, home, processOf }: StoreCheckpointParts,
): Promise<Captured> {
  const request = await captureOfCall(call, home);
  if (request === undefined) return { type: 'captured', checkpoint: '', warnings: [] };
  const process = processOf?.(call);
  const report = await attempt(async () => {
    signal.throwIfAborted();
    return (await store()).capture(process === undefined ? request : { ...request, process });
  }, signal);
  if (typeof report === 'string') return failed([report], { onFailure, notices: [], checkpoint: '' });
  const { token: checkpoint, notices } = report;
  const problems = report.failures.map(({ message }) => message);
  if (problems.length > 0) {
    const outcome = failed(problems, { onFailure, notices, checkpoint });
    if (outcome.type === 'blocked') await settleAfter(checkpoint, { store });
    return outcome;
  }
  return { type: 'captured', checkpoint, warnings: notices };
}

interface Failing {
  readonly onFailure: 'warn' | 'block';
  readonly notices: readonly string[];
  readonly checkpoint: string;
}

/** The one decision about a checkpoint that is not there: the configuration's. */
function failed(problems: readonly string[], { onFailure, notices, checkpoint }: Failing): Captured {
  const what = problems.join('; ');
  if (onFailure === 'block')
    return {
      type: 'blocked',
      message: `no checkpoint could be taken, and checkpoints.on_failure is block: ${what}`,
      warnings: notices,
    };
  const warning = `This call has no checkpoint, its changes cannot be taken back: ${what}`;
  return { type: 'captured', checkpoint, warnings: [...notices, warning] };
}

async function settleAfter(
  checkpoint: string,
  { store }: Pick<StoreCheckpointParts, 'store'>,
): Promise<readonly string[]> {
  if (checkpoint === '') return [];
  const report = await attempt(async () => (await store()).settle(checkpoint));
  if (typeof report === 'string') return [`What this call changed could not be noted: ${report}`];
  const problems = report.failures.map(({ message }) => message);
  return [
    ...report.notices,
    ...problems.map((problem) => `What this call changed could not be noted: ${problem}`),
  ];
}

/** What the work gives, or why it gave nothing. An abort passes. */
async function attempt<Value extends object>(
  work: () => Promise<Value>,
  signal?: AbortSignal,
): Promise<Value | string> {
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    return messageOf(error);
  }
}
