import type { Tool } from '../../gate/index.ts';
import type { Result } from '../../kernel/errors/index.ts';
import { CALLBACK_TIME_LIMIT_MS } from '../../kernel/events/index.ts';
import { isJsonObject, toJsonValue } from '../../kernel/json/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import type { Environment } from '../../platform/environment/index.ts';
import type { Logger } from '../../platform/logging/index.ts';
import { type HomePaths, resolvePath } from '../../platform/paths/index.ts';
import type { CallbackRegistry } from '../../safety/hooks/index.ts';
import { addHooks } from './add-hooks.ts';
import { blockCalls } from './block-calls.ts';
import { findPlugin, type PluginFolder } from './discover-plugins.ts';
import { readInstalled } from './installed-record.ts';
import { IsolatedPlugin } from './isolated-plugin.ts';
import { commandOf, type LoadedCommand } from './loaded-command.ts';
import { type LoadedProbe, probeOf } from './loaded-probe.ts';
import { NameTable } from './name-table.ts';
import type { PluginSection } from './plugin-api.ts';
import { BUILT_IN_PLUGIN } from './plugin-name.ts';
import { NOTHING_REGISTERED, type Registered } from './registration.ts';
import type { RunningPlugin, StartParts } from './running-plugin.ts';
import { SectionBudget } from './section-budget.ts';
import { startInProcess } from './start-in-process.ts';
import { toolOf } from './tool-of.ts';

export interface LoadPluginsOptions {
  readonly paths: HomePaths;
  /** `plugins.enabled`: names, in any order. */
  readonly enabled: readonly string[];
  /** `plugins.config`: what each plugin is given, by its name. */
  readonly settings: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** `plugins.hook_callback_timeout`, in milliseconds; 0 for no limit. */
  readonly callbackTimeoutMs: number;
  readonly callbacks: CallbackRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly environment: Environment;
  /** What a plugin in a thread of its own sees of it: no credentials but those its manifest names. */
  readonly environmentFor: (names: readonly string[]) => Environment;
  /** Names that plugins cannot take: those of the built-in tools, whether or not they are disabled. */
  readonly reservedTools: Iterable<string>;
  /** Names, and aliases, of the built-in slash commands. */
  readonly reservedCommands: Iterable<string>;
  readonly signal: AbortSignal;
}

/** One enabled plugin, and what became of it. */
export interface LoadedPlugin {
  readonly name: string;
  /** Empty when its manifest could not be read. */
  readonly version: string;
  readonly isIsolated: boolean;
  /** False: nothing of it is in effect, apart from a block of all calls where it is, or may be, a guard. */
  readonly isLoaded: boolean;
  /** Whether every call is blocked because it could not be loaded. */
  readonly blocksCalls: boolean;
  /** Names of the events it listens to, without repeats. */
  readonly hooks: readonly string[];
  readonly tools: readonly string[];
  readonly commands: readonly string[];
  readonly sections: readonly string[];
  /** One line each, for the person. */
  readonly problems: readonly string[];
}

/** The enabled plugins of one session. To be closed. */
export interface LoadedPlugins {
  /** In the order of their names, which is the order of their callbacks. */
  readonly plugins: readonly LoadedPlugin[];
  /** To be put behind the built-in ones. */
  readonly tools: readonly Tool[];
  readonly probes: readonly LoadedProbe[];
  readonly commands: readonly LoadedCommand[];
  readonly sections: readonly PluginSection[];
  /** Takes the callbacks away and ends the threads. Idempotent. */
  close(): Promise<void>;
}

interface Loading {
  readonly options: LoadPluginsOptions;
  readonly installedHooks: (name: string) => readonly string[];
  readonly toolNames: NameTable;
  readonly commandNames: NameTable;
  readonly budget: SectionBudget;
  readonly tools: Tool[];
  readonly probes: LoadedProbe[];
  readonly commands: LoadedCommand[];
  readonly sections: PluginSection[];
  readonly undo: (() => Promise<void> | void)[];
}

/**
 * Loads the enabled plugins, one after the other in the order of their names. One that cannot be loaded is reported and leaves
 * nothing behind; the others go on.
 *
 * Fails closed where it matters: as long as an enabled plugin that guards calls cannot be loaded, every call is blocked. It
 * guards calls when its manifest lists `pre_tool_call`, when it was seen to register that event (when it was installed or
 * enabled, or until it failed), and when that cannot be found out.
 *
 * Rejects only with the reason of `signal`.
 */
export async function loadPlugins(options: LoadPluginsOptions): Promise<LoadedPlugins> {
  const installed = await readInstalled(options.paths);
  const loading: Loading = {
    options,
    installedHooks: (name) => (installed.ok ? (installed.value.get(name)?.hooks ?? []) : ['pre_tool_call']),
    toolNames: new NameTable('tool', options.reservedTools),
    commandNames: new NameTable('command', options.reservedCommands),
    budget: new SectionBudget(),
    tools: [],
    probes: [],
    commands: [],
    sections: [],
    undo: [],
  };
  const plugins: LoadedPlugin[] = [];
  try {
    const names = new Set(options.enabled.filter((name) => name !== BUILT_IN_PLUGIN));
    for (const name of [...names].sort()) plugins.push(await loadPlugin(name, loading));
  } catch (error) {
    await undoAll(loading);
    throw error;
  }
  const { tools, probes, commands, sections } = loading;
  return { plugins, tools, probes, commands, sections, close: async () => undoAll(loading) };
}

async function undoAll({ undo }: Loading): Promise<void> {
  await Promise.all(undo.splice(0).map(async (step) => step()));
}

async function loadPlugin(name: string, loading: Loading): Promise<LoadedPlugin> {
  const { options } = loading;
  const found = await findPlugin(options.paths.plugins, name);
  if (!found.ok) {
    const listed = found.manifest?.providesHooks ?? loading.installedHooks(name);
    const mayGuard = found.manifest === undefined || listed.includes('pre_tool_call');
    return refused({ name, version: found.manifest?.version ?? '', isIsolated: false }, loading, {
      message: found.message,
      mayGuard,
    });
  }
  const { folder } = found;
  const { manifest } = folder;
  const identity = { name, version: manifest.version, isIsolated: manifest.isolate };
  const parts = startParts(folder, options);
  const started = manifest.isolate ? await IsolatedPlugin.start(parts) : await startInProcess(parts);
  if (!started.ok) {
    const seen = started.registered.hooks.some(({ event }) => event === 'pre_tool_call');
    const listed = [...(manifest.providesHooks ?? []), ...loading.installedHooks(name)];
    return refused(identity, loading, {
      message: started.message,
      mayGuard: seen || listed.includes('pre_tool_call'),
    });
  }
  const registered = putInPlace(folder, started.plugin, loading);
  const missing = missingHooks(folder, registered);
  const problems = [...registered.problems, ...missing, ...unsetVariables(folder, options.environment)];
  report(name, problems, options.logger);
  return {
    ...identity,
    isLoaded: true,
    blocksCalls: false,
    ...namesOf(registered),
    problems,
  };
}

function startParts({ name, entry, manifest }: PluginFolder, options: LoadPluginsOptions): StartParts {
  const { paths, clock, logger, signal, callbackTimeoutMs } = options;
  const config = toJsonValue(options.settings.get(name) ?? {});
  return {
    name,
    entry,
    config: isJsonObject(config) ? config : {},
    dataDir: resolvePath(paths.pluginData, name),
    logger: logger.child({ plugin: name }),
    clock,
    registerLimitMs: callbackTimeoutMs === 0 ? CALLBACK_TIME_LIMIT_MS : callbackTimeoutMs,
    environment: options.environmentFor(manifest.env),
    signal,
  };
}

function refused(
  identity: Pick<LoadedPlugin, 'name' | 'version' | 'isIsolated'>,
  { options, undo }: Loading,
  { message, mayGuard }: { readonly message: string; readonly mayGuard: boolean },
): LoadedPlugin {
  const { name } = identity;
  if (mayGuard) undo.push(blockCalls(options.callbacks, name, message));
  const consequence = mayGuard
    ? `every call is blocked; correct the plugin, or \`herma plugins disable ${name}\``
    : 'the session goes on without it';
  const problems = [`it could not be loaded: ${message}`, consequence];
  report(name, problems, options.logger);
  return {
    ...identity,
    isLoaded: false,
    blocksCalls: mayGuard,
    ...namesOf(NOTHING_REGISTERED),
    problems,
  };
}

/** Puts what the plugin registered into effect; gives back what of it was taken, with a problem for what was not. */
function putInPlace({ name }: PluginFolder, plugin: RunningPlugin, loading: Loading): Registered {
  const { options, toolNames, commandNames, budget, undo } = loading;
  const { hooks, tools, probes, commands, sections } = plugin.registered;
  const problems = [...plugin.registered.problems];
  const isTaken = (refusal: Result<undefined>): boolean => {
    if (!refusal.ok) problems.push(refusal.message);
    return refusal.ok;
  };
  undo.push(addHooks(name, plugin, options), () => plugin.close());
  const taken = {
    tools: tools.filter((tool, index) => {
      if (!isTaken(toolNames.take(tool.name, name))) return false;
      loading.tools.push(toolOf(tool, index, plugin));
      return true;
    }),
    commands: commands.filter((command, index) => {
      if (!isTaken(commandNames.take(command.name, name))) return false;
      loading.commands.push(commandOf({ name, command, index, plugin }));
      return true;
    }),
    sections: sections.filter((section) => {
      if (!isTaken(budget.take(section))) return false;
      loading.sections.push(section);
      return true;
    }),
  };
  const own = new Set(taken.tools.map((tool) => tool.name));
  const probed = probes.filter((tool, index) => {
    if (own.has(tool)) loading.probes.push(probeOf(tool, index, plugin));
    else problems.push(`the probe of ${tool} was left out: the plugin has no tool of that name`);
    return own.has(tool);
  });
  return { hooks, ...taken, probes: probed, problems };
}

/** A guard that its manifest promises and that it did not register. */
function missingHooks({ manifest }: PluginFolder, { hooks }: Registered): readonly string[] {
  const events = new Set<string>(hooks.map(({ event }) => event));
  const missing = (manifest.providesHooks ?? []).filter((event) => !events.has(event));
  return missing.map((event) => `its manifest lists ${event}, which it did not register`);
}

function unsetVariables({ manifest }: PluginFolder, environment: Environment): readonly string[] {
  return manifest.env
    .filter((variable) => (environment[variable] ?? '') === '')
    .map((variable) => `${variable}, which it needs, is not set in the environment`);
}

function namesOf(registered: Registered): Pick<LoadedPlugin, 'hooks' | 'tools' | 'commands' | 'sections'> {
  return {
    hooks: [...new Set(registered.hooks.map(({ event }) => event))],
    tools: registered.tools.map((tool) => tool.name),
    commands: registered.commands.map((command) => command.name),
    sections: registered.sections.map(({ id }) => id),
  };
}

function report(name: string, problems: readonly string[], logger: Logger): void {
  for (const problem of problems) logger.warn(`plugin ${name}: ${problem}`);
}
