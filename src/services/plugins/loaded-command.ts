import { fail, messageOf, type Result, succeed } from '../../kernel/errors/index.ts';
import type { PluginCommandIo } from './plugin-api.ts';
import type { CommandNote } from './registration.ts';
import type { RunningPlugin } from './running-plugin.ts';

/** A slash command of a plugin. */
export interface LoadedCommand {
  readonly plugin: string;
  /** Without the slash. */
  readonly name: string;
  readonly summary: string;
  readonly usage?: string;
  /** What the plugin does wrong is a failure, never a rejection. */
  run(argument: string, io: PluginCommandIo): Promise<Result<undefined, 'plugin_failed' | 'cancelled'>>;
}

export function commandOf(parts: {
  readonly name: string;
  readonly command: CommandNote;
  readonly index: number;
  readonly plugin: RunningPlugin;
}): LoadedCommand {
  const { name, command, index, plugin } = parts;
  return {
    ...command,
    plugin: name,
    run: async (argument, { print, signal }) => {
      try {
        await plugin.runCommand(index, argument, { signal, onLine: print });
        return succeed(undefined);
      } catch (error) {
        if (signal.aborted) return fail('cancelled', `/${command.name} was cancelled.`);
        return fail('plugin_failed', `/${command.name} of the plugin ${name} failed: ${messageOf(error)}`);
      }
    },
  };
}
