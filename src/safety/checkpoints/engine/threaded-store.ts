import { WorkerClient } from '../../../platform/worker/index.ts';
import type { CallCapture, CaptureReport, CheckpointStore, SettleReport } from '../api.ts';
import type { EngineOptions } from './engine-parts.ts';
import type { StoreMethods } from './store-methods.ts';

type Remote = WorkerClient<StoreMethods>;

/**
 * A store whose scans and restores run in a thread of their own. Named files alone are captured by `near`, in this thread:
 * that takes less than the way to the other one.
 */
export function threadedStore(options: EngineOptions, near: CheckpointStore): CheckpointStore {
  const remote: Remote = new WorkerClient('safety/checkpoints/engine/checkpoint-worker', options);
  const nearTokens = new Set<string>();
  let isUsed = false;
  const far: Remote['call'] = async (method, ...args) => {
    isUsed = true;
    return remote.call(method, ...args);
  };
  return {
    capture: async (request: CallCapture): Promise<CaptureReport> => {
      if (request.scan !== undefined) return far('capture', request);
      const report = await near.capture(request);
      nearTokens.add(report.token);
      return report;
    },
    settle: async (token: string): Promise<SettleReport> =>
      nearTokens.delete(token) ? near.settle(token) : far('settle', token),
    capturedBy: async (token) => near.capturedBy(token),
    take: async (...args) => far('take', ...args),
    list: async (...args) => far('list', ...args),
    diff: async (...args) => far('diff', ...args),
    restore: async (...args) => far('restore', ...args),
    undo: async (...args) => far('undo', ...args),
    drop: async (...args) => far('drop', ...args),
    status: async () => far('status'),
    recover: async (...args) => far('recover', ...args),
    sweep: async () => far('sweep'),
    prune: async (...args) => far('prune', ...args),
    maintain: async () => far('maintain'),
    needsMaintenance: async () => near.needsMaintenance(),
    verify: async () => far('verify'),
    repair: async () => far('repair'),
    clear: async () => far('clear'),
    clearLegacy: async () => far('clearLegacy'),
    close: async () => {
      await near.close();
      if (isUsed) await far('close');
      isUsed = false;
      await remote.close();
    },
  };
}
