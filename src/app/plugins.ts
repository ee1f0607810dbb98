import type { Tool } from '../gate/index.ts';
import type { Logger } from '../platform/logging/index.ts';
import type { CallbackRegistry } from '../safety/hooks/index.ts';
import type { LoadedCommand, LoadedPlugins, LoadedProbe } from '../services/plugins/index.ts';
import { commandEnvironment } from './command-environment.ts';
import type { RuntimeOptions } from './runtime-options.ts';

export interface PluginsParts {
  readonly options: RuntimeOptions;
  readonly callbacks: CallbackRegistry;
  readonly logger: Logger;
  /** Names that no tool of a plugin can have. */
  readonly reservedTools: () => readonly string[];
}

/** The plugins that are enabled. Nothing of them is loaded where there are none. */
export class Plugins {
  readonly #parts: PluginsParts;
  readonly #ending = new AbortController();
  #loaded: LoadedPlugins | undefined;
  #loading: Promise<readonly string[]> | undefined;

  constructor(parts: PluginsParts) {
    this.#parts = parts;
  }

  /** Loads them, once, before any call is made; one line for each thing that is wrong with one. */
  async load(): Promise<readonly string[]> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<readonly string[]> {
    const { options, callbacks, logger, reservedTools } = this.#parts;
    const { enabled, callbackTimeoutMs, settings } = options.config.plugins;
    if (enabled.length === 0) return [];
    const { loadPlugins } = await import('../services/plugins/index.ts');
    this.#loaded = await loadPlugins({
      paths: options.paths,
      enabled,
      settings,
      callbackTimeoutMs,
      callbacks,
      clock: options.clock,
      logger,
      environment: options.environment,
      environmentFor: (names) => commandEnvironment(options, names),
      reservedTools: reservedTools(),
      reservedCommands: [],
      signal: this.#ending.signal,
    });
    return this.#loaded.plugins.flatMap(({ name, problems }) =>
      problems.map((problem) => `plugin ${name}: ${problem}`),
    );
  }

  get tools(): readonly Tool[] {
    return this.#loaded?.tools ?? [];
  }

  get probes(): readonly LoadedProbe[] {
    return this.#loaded?.probes ?? [];
  }

  get commands(): readonly LoadedCommand[] {
    return this.#loaded?.commands ?? [];
  }

  /** What plugins add to the system prompt; empty when they add nothing. */
  async promptSections(): Promise<string> {
    if (this.#loaded === undefined || this.#loaded.sections.length === 0) return '';
    const { renderSections } = await import('../services/plugins/index.ts');
    return renderSections(this.#loaded.sections);
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#loaded?.close();
  }
}
