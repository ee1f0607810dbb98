import { messageOf } from '../../kernel/errors/index.ts';
import { abortReason, type Clock, within } from '../../platform/clock/index.ts';
import { registerModule } from './register-module.ts';
import { functionAt } from './registration.ts';
import { RegistrationRecorder } from './registration-recorder.ts';
import type { RunningPlugin, Started, StartParts } from './running-plugin.ts';
import { failedAnswer, readToolAnswer } from './tool-answer.ts';
import { untilCancelled } from './until-cancelled.ts';

/**
 * Starts a plugin in this very thread. Its callbacks are bounded by whoever calls them; code that never gives the thread
 * back freezes the program.
 */
export async function startInProcess(parts: StartParts): Promise<Started> {
  const { clock, entry, registerLimitMs, signal } = parts;
  const recorder = new RegistrationRecorder();
  try {
    const registered = await within(clock, registerLimitMs, signal, async () =>
      registerModule(entry, parts, recorder),
    );
    if (registered.inTime) return { ok: true, plugin: pluginOf(recorder, clock) };
    return failed(recorder, `it did not register within ${String(registerLimitMs / 1000)} s`);
  } catch (error) {
    if (signal.aborted) throw abortReason(signal);
    return failed(recorder, messageOf(error));
  }
}

/** The recorder is closed: what is still running registers nothing any more. */
function failed(recorder: RegistrationRecorder, message: string): Started {
  recorder.end();
  return { ok: false, message, registered: recorder.registered() };
}

function pluginOf(recorder: RegistrationRecorder, clock: Clock): RunningPlugin {
  const functions = recorder.functions();
  return {
    registered: recorder.registered(),
    endsItself: false,
    callHook: async (index, payload, { signal }) => functionAt(functions.hooks, index)(payload, signal),
    runTool: async (index, { args, cwd }, { signal, onLine }) => {
      try {
        return await untilCancelled(clock, signal, async () =>
          readToolAnswer(await functionAt(functions.tools, index)(args, { signal, cwd, onProgress: onLine })),
        );
      } catch (error) {
        if (signal.aborted) throw error;
        return failedAnswer(messageOf(error));
      }
    },
    runProbe: async (index, call, signal) =>
      untilCancelled(clock, signal, async () => functionAt(functions.probes, index)(call, signal)),
    runCommand: async (index, argument, { signal, onLine }) => {
      await untilCancelled(clock, signal, async () =>
        functionAt(functions.commands, index)(argument, { print: onLine, signal }),
      );
    },
    close: async () => Promise.resolve(),
  };
}
