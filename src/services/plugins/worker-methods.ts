import type { ToolOutcome } from '../../gate/index.ts';
import type { JsonObject } from '../../kernel/json/index.ts';
import type { PluginProbeCall } from './plugin-api.ts';
import type { Registered } from './registration.ts';

/** What the thread of a plugin is told at its start. */
export interface PluginWorkerData {
  readonly name: string;
  readonly entry: string;
  readonly config: JsonObject;
  readonly dataDir: string;
}

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: JsonObject;
}

/** How a request to the thread of a plugin ended; what the plugin does wrong is `ok: false`, so that a rejection means that the thread is gone. */
export type WorkerAnswer<Value> = (
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string }
) & { readonly log: readonly LogLine[] };

/** What the thread of a plugin can be asked. The first argument of most is an id of the request, for `cancel` and `nextLines`. */
export type PluginWorkerMethods = {
  readonly register: {
    readonly args: readonly [];
    readonly result: WorkerAnswer<undefined> & { readonly registered: Registered };
  };
  readonly callHook: {
    readonly args: readonly [id: number, index: number, payload: object];
    readonly result: WorkerAnswer<unknown>;
  };
  readonly runTool: {
    readonly args: readonly [
      id: number,
      index: number,
      call: { readonly args: JsonObject; readonly cwd: string },
    ];
    readonly result: WorkerAnswer<ToolOutcome>;
  };
  readonly runProbe: {
    readonly args: readonly [id: number, index: number, call: PluginProbeCall];
    readonly result: WorkerAnswer<unknown>;
  };
  readonly runCommand: {
    readonly args: readonly [id: number, index: number, argument: string];
    readonly result: WorkerAnswer<undefined>;
  };
  /** The lines that a running tool or command wrote since; null once it has ended and all were told. */
  readonly nextLines: { readonly args: readonly [id: number]; readonly result: readonly string[] | null };
  readonly cancel: { readonly args: readonly [id: number]; readonly result: undefined };
};
