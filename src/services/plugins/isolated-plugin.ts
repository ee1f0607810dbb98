import type { ToolOutcome } from '../../gate/index.ts';
import { messageOf } from '../../kernel/errors/index.ts';
import { canonicalJson, type JsonObject, toJsonValue } from '../../kernel/json/index.ts';
import { abortReason, within } from '../../platform/clock/index.ts';
import { WorkerClient } from '../../platform/worker/index.ts';
import type { PluginProbeCall } from './plugin-api.ts';
import { NOT_REGISTERED, NOTHING_REGISTERED, type Registered } from './registration.ts';
import {
  CANCEL_GRACE_MS,
  type HookLimits,
  type RunIo,
  type RunningPlugin,
  type Started,
  type StartParts,
} from './running-plugin.ts';
import type { LogLine, PluginWorkerData, PluginWorkerMethods, WorkerAnswer } from './worker-methods.ts';

/** Below the sources, as the worker is found. */
const WORKER = 'services/plugins/plugin-worker';
/** How often a thread that ended is started again in one session. */
const MAX_RESTARTS = 5;

class UnregisteredError extends Error {}

type Thread = WorkerClient<PluginWorkerMethods>;

/**
 * A plugin in a thread of its own. One that exceeds its time is ended with its thread, also in the middle of a loop that never
 * returns; the next request starts another one, a bounded number of times. What else the thread was doing then fails too.
 *
 * The thread is no wall against malice: it shares files and network with the program. Its environment is one of its own.
 */
export class IsolatedPlugin implements RunningPlugin {
  readonly registered: Registered;
  readonly endsItself = true;
  readonly #parts: StartParts;
  #thread: Promise<Thread> | undefined;
  #current: Thread | undefined;
  #restarts = 0;
  #lastId = 0;
  #isClosed = false;

  private constructor(parts: StartParts, thread: Thread, registered: Registered) {
    this.#parts = parts;
    this.registered = registered;
    this.#current = thread;
    this.#thread = Promise.resolve(thread);
  }

  static async start(parts: StartParts): Promise<Started> {
    const thread = startThread(parts);
    const outcome = await registerIn(thread, parts).catch(async (error: unknown) => {
      await thread.close();
      throw error;
    });
    if (outcome.ok) return { ok: true, plugin: new IsolatedPlugin(parts, thread, outcome.registered) };
    await thread.close();
    return outcome;
  }

  async callHook(index: number, payload: object, { timeLimitMs, signal }: HookLimits): Promise<unknown> {
    const sent: object = structuredClone(payload);
    const { clock } = this.#parts;
    let used: Thread | undefined;
    const ask = (thread: Thread, id: number): Promise<WorkerAnswer<unknown>> => {
      used = thread;
      return thread.call('callHook', id, index, sent);
    };
    const answered = await within(clock, timeLimitMs, signal, async (limited) =>
      this.#request(ask, limited, false),
    );
    if (answered.inTime) return answered.value;
    this.#drop(used ?? this.#current);
    throw new Error(`did not answer within ${String(timeLimitMs / 1000)} s, and its thread was ended`);
  }

  async runTool(
    index: number,
    call: { readonly args: JsonObject; readonly cwd: string },
    io: RunIo,
  ): Promise<ToolOutcome> {
    try {
      return await this.#request(
        (thread, id) => thread.call('runTool', id, index, call),
        io.signal,
        io.onLine,
      );
    } catch (error) {
      if (io.signal.aborted) throw error;
      return { status: 'error', errorType: 'plugin_error', message: messageOf(error) };
    }
  }

  async runProbe(index: number, call: PluginProbeCall, signal: AbortSignal): Promise<unknown> {
    return this.#request((thread, id) => thread.call('runProbe', id, index, call), signal, false);
  }

  async runCommand(index: number, argument: string, io: RunIo): Promise<void> {
    await this.#request((thread, id) => thread.call('runCommand', id, index, argument), io.signal, io.onLine);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const thread = this.#current;
    this.#current = undefined;
    this.#thread = undefined;
    await thread?.close();
  }

  /** One request to the thread. Rejects with what the plugin says went wrong, and when the thread ends first. */
  async #request<Value>(
    ask: (thread: Thread, id: number) => Promise<WorkerAnswer<Value>>,
    signal: AbortSignal,
    onLine: ((line: string) => void) | false,
  ): Promise<Value> {
    try {
      return await this.#ask(ask, signal, onLine);
    } catch (error) {
      if (!(error instanceof UnregisteredError)) throw error;
    }
    // The thread had ended between two requests, and another one has begun in its place.
    return this.#ask(ask, signal, onLine);
  }

  async #ask<Value>(
    ask: (thread: Thread, id: number) => Promise<WorkerAnswer<Value>>,
    signal: AbortSignal,
    onLine: ((line: string) => void) | false,
  ): Promise<Value> {
    signal.throwIfAborted();
    const thread = await this.#running();
    this.#lastId += 1;
    const id = this.#lastId;
    const release = this.#endOnAbort(thread, id, signal);
    try {
      const asked = ask(thread, id);
      const lines = onLine === false ? undefined : tellLines(thread, id, onLine);
      const answered = await asked.catch((error: unknown) => {
        this.#drop(thread);
        if (messageOf(error) === NOT_REGISTERED) throw new UnregisteredError(NOT_REGISTERED);
        throw new Error(`its thread ended before it answered: ${messageOf(error)}`);
      });
      await lines;
      writeLog(this.#parts, answered.log);
      if (!answered.ok) throw new Error(answered.message);
      return answered.value;
    } finally {
      release();
    }
  }

  /** Asks the plugin to stop when the signal is aborted, and ends its thread when it does not. */
  #endOnAbort(thread: Thread, id: number, signal: AbortSignal): () => void {
    const released = new AbortController();
    const onAbort = (): void => {
      thread.call('cancel', id).catch(() => undefined);
      const cancelTimer = this.#parts.clock.startTimer(CANCEL_GRACE_MS, () => this.#drop(thread), {
        background: true,
      });
      released.signal.addEventListener('abort', cancelTimer, { once: true });
    };
    signal.addEventListener('abort', onAbort, { once: true, signal: released.signal });
    if (signal.aborted) onAbort();
    return () => released.abort();
  }

  async #running(): Promise<Thread> {
    if (this.#isClosed) throw new Error('the plugin is closed');
    this.#thread ??= this.#restart();
    return this.#thread;
  }

  async #restart(): Promise<Thread> {
    if (this.#restarts >= MAX_RESTARTS)
      throw new Error(`its thread ended ${String(MAX_RESTARTS + 1)} times, and is not started again`);
    this.#restarts += 1;
    const thread = startThread(this.#parts);
    this.#current = thread;
    try {
      const outcome = await registerIn(thread, this.#parts);
      if (!outcome.ok) throw new Error(`it could not be started again: ${outcome.message}`);
      if (!isSame(outcome.registered, this.registered))
        throw new Error('it could not be started again: it registers something else now');
      return thread;
    } catch (error) {
      this.#drop(thread);
      throw error;
    }
  }

  /** Ends a thread; the next request starts another. Does nothing when that has happened. */
  #drop(thread: Thread | undefined): void {
    if (thread === undefined || thread !== this.#current) return;
    this.#current = undefined;
    this.#thread = undefined;
    thread.close().catch(() => undefined);
  }
}

function startThread({ name, entry, config, dataDir, environment }: StartParts): Thread {
  const data: PluginWorkerData = { name, entry, config, dataDir };
  return new WorkerClient<PluginWorkerMethods>(WORKER, data, { env: environment });
}

type RegisterOutcome =
  | { readonly ok: true; readonly registered: Registered }
  | { readonly ok: false; readonly message: string; readonly registered: Registered };

async function registerIn(thread: Thread, parts: StartParts): Promise<RegisterOutcome> {
  const { clock, registerLimitMs, signal } = parts;
  try {
    const answered = await within(clock, registerLimitMs, signal, async () => thread.call('register'));
    if (!answered.inTime) {
      const message = `it did not register within ${String(registerLimitMs / 1000)} s`;
      return { ok: false, message, registered: NOTHING_REGISTERED };
    }
    const { registered, log } = answered.value;
    writeLog(parts, log);
    return answered.value.ok
      ? { ok: true, registered }
      : { ok: false, message: answered.value.message, registered };
  } catch (error) {
    if (signal.aborted) throw abortReason(signal);
    return { ok: false, message: messageOf(error), registered: NOTHING_REGISTERED };
  }
}

/** Passes lines on until the request has ended. A thread that ends, ends them too. */
async function tellLines(thread: Thread, id: number, onLine: (line: string) => void): Promise<void> {
  try {
    for (;;) {
      const lines = await thread.call('nextLines', id);
      if (lines === null) return;
      for (const line of lines) onLine(line);
    }
  } catch (error) {
    // The request itself reports why the thread ended.
    if (!(error instanceof Error)) throw error;
  }
}

function writeLog({ logger }: { readonly logger: StartParts['logger'] }, lines: readonly LogLine[]): void {
  for (const { level, message, fields } of lines) logger[level](message, fields);
}

function isSame(one: Registered, other: Registered): boolean {
  return canonicalJson(toJsonValue(one)) === canonicalJson(toJsonValue(other));
}
