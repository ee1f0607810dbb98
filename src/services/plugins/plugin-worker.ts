import { messageOf } from '../../kernel/errors/index.ts';
import { isJsonObject, toJsonValue } from '../../kernel/json/index.ts';
import { serveWorker } from '../../platform/worker/index.ts';
import { LineQueue } from './line-queue.ts';
import { plainCopy } from './plain-value.ts';
import type { PluginLogger } from './plugin-api.ts';
import { registerModule } from './register-module.ts';
import { functionAt } from './registration.ts';
import { RegistrationRecorder } from './registration-recorder.ts';
import { failedAnswer, readToolAnswer } from './tool-answer.ts';
import type { LogLine, PluginWorkerData, PluginWorkerMethods, WorkerAnswer } from './worker-methods.ts';

/** Beyond this, lines that nobody fetched are dropped. */
const MAX_LOG_LINES = 1000;

interface Running {
  readonly controller: AbortController;
  readonly lines: LineQueue;
}

const running = new Map<number, Running>();
let log: LogLine[] = [];

function note(level: LogLine['level']): PluginLogger['info'] {
  return (message, fields = {}) => {
    const read = toJsonValue(fields);
    if (log.length < MAX_LOG_LINES)
      log.push({ level, message: String(message), fields: isJsonObject(read) ? read : {} });
  };
}

function takeLog(): readonly LogLine[] {
  const taken = log;
  log = [];
  return taken;
}

async function answer<Value>(work: () => Value | Promise<Value>): Promise<WorkerAnswer<Value>> {
  try {
    return { ok: true, value: await work(), log: takeLog() };
  } catch (error) {
    return { ok: false, message: messageOf(error), log: takeLog() };
  }
}

/** Runs something that can be cancelled, and that writes lines. */
async function track<Value>(
  id: number,
  work: (running: Running) => Value | Promise<Value>,
): Promise<WorkerAnswer<Value>> {
  const request = { controller: new AbortController(), lines: new LineQueue() };
  running.set(id, request);
  const answered = await answer(async () => work(request));
  request.lines.end();
  return answered;
}

serveWorker<PluginWorkerMethods, PluginWorkerData>(({ entry, ...data }) => {
  const recorder = new RegistrationRecorder();
  const functions = recorder.functions();
  const logger: PluginLogger = {
    debug: note('debug'),
    info: note('info'),
    warn: note('warn'),
    error: note('error'),
  };
  return {
    register: async () => {
      const registered = await answer(async () => registerModule(entry, { ...data, logger }, recorder));
      return registered.ok
        ? { ...registered, value: undefined, registered: recorder.registered() }
        : { ...registered, registered: recorder.registered() };
    },
    callHook: async (id, index, payload) => {
      const callback = functionAt(functions.hooks, index);
      const answered = await track(id, async ({ controller }) =>
        plainCopy(await callback(payload, controller.signal)),
      );
      running.delete(id);
      return answered;
    },
    runProbe: async (id, index, call) => {
      const probe = functionAt(functions.probes, index);
      const answered = await track(id, async ({ controller }) =>
        plainCopy(await probe(call, controller.signal)),
      );
      running.delete(id);
      return answered;
    },
    runTool: async (id, index, { args, cwd }) => {
      const runTool = functionAt(functions.tools, index);
      return track(id, async ({ controller: { signal }, lines }) => {
        const onProgress = (line: unknown): void => lines.push(String(line));
        try {
          return readToolAnswer(await runTool(args, { signal, cwd, onProgress }));
        } catch (error) {
          return failedAnswer(messageOf(error));
        }
      });
    },
    runCommand: async (id, index, argument) => {
      const runCommand = functionAt(functions.commands, index);
      return track(id, async ({ controller: { signal }, lines }) => {
        const print = (line: unknown): void => lines.push(String(line));
        await runCommand(argument, { print, signal });
        return undefined;
      });
    },
    nextLines: async (id) => {
      const lines = (await running.get(id)?.lines.next()) ?? null;
      if (lines === null) running.delete(id);
      return lines;
    },
    cancel: async (id) => {
      running.get(id)?.controller.abort();
      return Promise.resolve(undefined);
    },
  };
});
