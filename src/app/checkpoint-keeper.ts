import { type CheckpointStep, storeCheckpointStep } from '../gate/index.ts';
import { type Result, succeed, valueOrThrow } from '../kernel/errors/index.ts';
import type { CheckpointsConfig } from '../platform/config/index.ts';
import { statPath } from '../platform/files/index.ts';
import { resolvePath, userHome } from '../platform/paths/index.ts';
import { ownProgram, startDetached } from '../platform/process/index.ts';
import type { CheckpointSettings, CheckpointStore } from '../safety/checkpoints/index.ts';
import { commandEnvironment } from './command-environment.ts';
import type { RuntimeOptions } from './runtime-options.ts';

/** The surface of commands that look after checkpoints. */
const CARE_SURFACE = 'checkpoints';

/** Opens the checkpoint store when something needs it, and has it maintained when nothing waits for it. */
export class CheckpointKeeper {
  readonly #options: RuntimeOptions;
  #opening: Promise<Result<CheckpointStore>> | undefined;

  constructor(options: RuntimeOptions) {
    this.#options = options;
  }

  get isEnabled(): boolean {
    return this.#options.config.checkpoints.enabled;
  }

  /** The step of the gate; none when checkpoints are off. */
  step(): CheckpointStep | undefined {
    if (!this.isEnabled) return undefined;
    const { config, environment } = this.#options;
    return storeCheckpointStep({
      store: async () => valueOrThrow(await this.store()),
      onFailure: config.checkpoints.onFailure,
      home: userHome(environment),
    });
  }

  /** The store, whether checkpoints are on or not. Failing is not remembered. */
  async store(): Promise<Result<CheckpointStore>> {
    this.#opening ??= this.#open();
    const opened = await this.#opening;
    if (!opened.ok) this.#opening = undefined;
    return opened;
  }

  /** Ends what processes have left in this project that died, where there is a store; one line for each thing done. */
  async recover(): Promise<readonly string[]> {
    const { paths, cwd } = this.#options;
    const stored = await statPath(paths.checkpointStore);
    if (!this.isEnabled || !stored.ok || stored.value === undefined) return [];
    const store = await this.store();
    return store.ok ? store.value.recover(cwd) : [store.message];
  }

  /**
   * Starts, in a process of its own, what keeps the store small: never in the way of a call. Does nothing when the sweep
   * is switched off and no checkpoint was taken, when there is no store, and when nothing is due.
   */
  async maintainLater(): Promise<void> {
    const { config, paths, clock, surface } = this.#options;
    // What looks after the store, or is the maintenance itself, starts none.
    if (surface === CARE_SURFACE) return;
    if (!config.checkpoints.autoPrune && this.#opening === undefined) return;
    const stored = await statPath(paths.checkpointStore);
    if (!stored.ok || stored.value === undefined) return;
    const isDue = config.checkpoints.autoPrune && (await this.#isSweepDue(clock.now()));
    if (!isDue && !(await this.#needsMaintenance())) return;
    const { command, args } = ownProgram();
    await startDetached({
      command,
      args: [...args, '--home', paths.home, 'checkpoints', 'maintain'],
      cwd: paths.home,
      env: commandEnvironment(this.#options, []),
    });
  }

  async close(): Promise<void> {
    const opened = await this.#opening;
    if (opened?.ok === true) await opened.value.close();
  }

  async #isSweepDue(now: number): Promise<boolean> {
    const { paths, config } = this.#options;
    // A store that was never swept counts from when it was made.
    const stats = await Promise.all(
      [paths.checkpointLastPrune, resolvePath(paths.checkpointStore, 'herma-version')].map(async (path) =>
        statPath(path),
      ),
    );
    const since = stats.flatMap((stat) => (stat.ok && stat.value !== undefined ? [stat.value.mtimeMs] : []));
    const last = since[0];
    return last === undefined || Math.abs(now - last) >= config.checkpoints.minIntervalHours * HOUR_MS;
  }

  async #needsMaintenance(): Promise<boolean> {
    const opened = await this.#opening;
    return opened?.ok === true && (await opened.value.needsMaintenance());
  }

  async #open(): Promise<Result<CheckpointStore>> {
    const { openCheckpointStore } = await import('../safety/checkpoints/index.ts');
    const { paths, environment, clock, surface, config } = this.#options;
    const opened = await openCheckpointStore({
      base: paths.checkpoints,
      userHome: userHome(environment),
      temporary: environment['TMPDIR'] ?? '/tmp',
      skip: [paths.home],
      settings: settingsOf(config.checkpoints),
      clock,
      // A single call has no event loop to keep free, and a thread takes longer to start than it works.
      thread: surface === 'cli' ? 'worker' : 'inline',
    });
    return opened.ok ? succeed(opened.value) : opened;
  }
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const MEGABYTE = 1024 * 1024;

function settingsOf(config: CheckpointsConfig): CheckpointSettings {
  return {
    maxSnapshots: config.maxSnapshots,
    maxTotalBytes: config.maxTotalSizeMb * MEGABYTE,
    maxFileBytes: config.maxFileSizeMb * MEGABYTE,
    autoPrune: config.autoPrune,
    retentionMs: config.retentionDays * DAY_MS,
    privateRetentionMs: config.privateRetentionDays * DAY_MS,
    minIntervalMs: config.minIntervalHours * HOUR_MS,
    onFailure: config.onFailure,
  };
}
