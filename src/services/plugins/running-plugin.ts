import type { ToolOutcome } from '../../gate/index.ts';
import type { JsonObject } from '../../kernel/json/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import type { Environment } from '../../platform/environment/index.ts';
import type { Logger } from '../../platform/logging/index.ts';
import type { PluginProbeCall } from './plugin-api.ts';
import type { Registered } from './registration.ts';

/** How long an interrupted callback, tool or command may take to end by itself. */
export const CANCEL_GRACE_MS = 2000;

/** What a tool or a command has at hand while it runs. */
export interface RunIo {
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

/** A plugin that has registered, and what it can be asked to do. Indexes are places in {@link registered}. */
export interface RunningPlugin {
  readonly registered: Registered;
  /** Whether it ends a callback that exceeds its time; otherwise that is left behind. */
  readonly endsItself: boolean;
  /**
   * What the callback returned. Rejects when it throws.
   *
   * @param timeLimitMs of the callback.
   */
  callHook(index: number, payload: object, limits: HookLimits): Promise<unknown>;
  /** Never rejects for what the tool does. */
  runTool(
    index: number,
    call: { readonly args: JsonObject; readonly cwd: string },
    io: RunIo,
  ): Promise<ToolOutcome>;
  /** What the probe answered. Rejects when it throws. */
  runProbe(index: number, call: PluginProbeCall, signal: AbortSignal): Promise<unknown>;
  /** Rejects when the command throws. */
  runCommand(index: number, argument: string, io: RunIo): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}

export interface HookLimits {
  readonly timeLimitMs: number;
  readonly signal: AbortSignal;
}

/** What a plugin is started from. */
export interface StartParts {
  readonly name: string;
  /** The module, absolute. */
  readonly entry: string;
  readonly config: JsonObject;
  /** Absolute; need not exist. */
  readonly dataDir: string;
  readonly logger: Logger;
  readonly clock: Clock;
  /** How long it may take to register, in milliseconds. */
  readonly registerLimitMs: number;
  /** What it sees as its environment where it has a thread of its own. */
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

export type Started =
  | { readonly ok: true; readonly plugin: RunningPlugin }
  | {
      readonly ok: false;
      readonly message: string;
      /** What it had registered until then. */
      readonly registered: Registered;
    };
