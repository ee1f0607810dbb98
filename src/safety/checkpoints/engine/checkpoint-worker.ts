import { systemClock } from '../../../platform/clock/index.ts';
import { serveWorker } from '../../../platform/worker/index.ts';
import type { CheckpointStore } from '../api.ts';
import { CheckpointEngine } from './checkpoint-engine.ts';
import { type EngineOptions, openEngineParts } from './engine-parts.ts';
import type { StoreMethods } from './store-methods.ts';

serveWorker<StoreMethods, EngineOptions>((options) => {
  const engine: CheckpointStore = new CheckpointEngine(openEngineParts(options, systemClock));
  return {
    capture: async (...args) => engine.capture(...args),
    settle: async (...args) => engine.settle(...args),
    capturedBy: async (...args) => engine.capturedBy(...args),
    take: async (...args) => engine.take(...args),
    list: async (...args) => engine.list(...args),
    diff: async (...args) => engine.diff(...args),
    restore: async (...args) => engine.restore(...args),
    undo: async (...args) => engine.undo(...args),
    drop: async (...args) => engine.drop(...args),
    status: async () => engine.status(),
    recover: async (...args) => engine.recover(...args),
    sweep: async () => engine.sweep(),
    prune: async (...args) => engine.prune(...args),
    maintain: async () => engine.maintain(),
    needsMaintenance: async () => engine.needsMaintenance(),
    verify: async () => engine.verify(),
    repair: async () => engine.repair(),
    clear: async () => engine.clear(),
    clearLegacy: async () => engine.clearLegacy(),
    close: async () => engine.close(),
  };
});
