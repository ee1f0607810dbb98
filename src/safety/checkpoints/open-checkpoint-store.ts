import { fail, messageOf, type Result, succeed } from '../../kernel/errors/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import { describeFileError, isFileError } from '../../platform/paths/index.ts';
import type { CheckpointStore } from './api.ts';
import { CheckpointEngine } from './engine/checkpoint-engine.ts';
import { type EngineOptions, openEngineParts } from './engine/engine-parts.ts';
import { threadedStore } from './engine/threaded-store.ts';
import { archiveLegacy } from './retention/archive-legacy.ts';

export interface OpenCheckpointOptions extends EngineOptions {
  readonly clock: Clock;
  /** `worker`: scans and restores run in a thread of their own. `inline`: in this one, which waits meanwhile. */
  readonly thread: 'worker' | 'inline';
}

/**
 * Opens the store of checkpoints below `base`. Makes nothing but room: a store of an older layout is moved aside, to
 * `legacy-<time>`. Fails with `foreign_store` for one that Hermes Agent or a newer version made, which is left alone, and
 * with what is wrong with the folder. To be closed.
 */
export async function openCheckpointStore({
  clock,
  thread,
  ...options
}: OpenCheckpointOptions): Promise<Result<CheckpointStore>> {
  try {
    const layout = archiveLegacy(options.base, clock.now());
    if (layout.type === 'hermes')
      return fail(
        'foreign_store',
        `${options.base}/store is a store of Hermes Agent`,
        'set HERMA_HOME to a folder of its own',
      );
    if (layout.type === 'newer')
      return fail(
        'foreign_store',
        `${options.base}/store was made by a newer version of Herma (layout ${String(layout.version)})`,
        'use that version',
      );
  } catch (error) {
    if (isFileError(error)) return describeFileError(error, options.base, 'open');
    return fail('failed', messageOf(error));
  }
  const engine = new CheckpointEngine(openEngineParts(options, clock));
  return Promise.resolve(succeed(thread === 'inline' ? engine : threadedStore(options, engine)));
}
