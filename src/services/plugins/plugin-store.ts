import { type Failure, fail, type Result, succeed } from '../../kernel/errors/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import type { Environment } from '../../platform/environment/index.ts';
import {
  listDirectory,
  makeDirectory,
  removeTree,
  renamePath,
  statPath,
} from '../../platform/files/index.ts';
import { withLock } from '../../platform/locks/index.ts';
import { displayPath, type HomePaths, resolvePath, userHome } from '../../platform/paths/index.ts';
import { randomId } from '../../platform/random/index.ts';
import { copyTree } from './copy-tree.ts';
import {
  discoverPlugins,
  type FoundPlugin,
  findPlugin,
  type PluginFolder,
  readPluginFolder,
} from './discover-plugins.ts';
import type { EnabledPlugins } from './enabled-plugins.ts';
import { type FetchedPlugin, fetchPlugin } from './fetch-plugin.ts';
import { type InstalledPlugin, readInstalled, recordInstalled } from './installed-record.ts';
import { checkPluginName } from './plugin-name.ts';
import { readPluginSource } from './plugin-source.ts';
import { previewPlugin } from './preview-plugin.ts';
import type { Registered } from './registration.ts';

export interface PluginStoreParts {
  readonly paths: HomePaths;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly enabled: EnabledPlugins;
}

/** A plugin that is there, or that is enabled and not there. */
export interface ListedPlugin {
  readonly name: string;
  readonly found: FoundPlugin;
  readonly isEnabled: boolean;
  /** Absent for one that was put there by hand. */
  readonly installed?: InstalledPlugin;
}

/** A plugin with what it registers. */
export interface PreviewedPlugin {
  readonly folder: PluginFolder;
  readonly registered: Registered;
}

/** Staging folders begin with a dot, which no plugin does. */
const STAGING = '.staging';
const LOCK_WAIT_MS = 10_000;
const BY_HAND = 'folder';

/** The plugins of a home, as `herma plugins` handles them. Nothing here loads a plugin for good. */
export class PluginStore {
  readonly #parts: PluginStoreParts;

  constructor(parts: PluginStoreParts) {
    this.#parts = parts;
  }

  /** Everything in `plugins/`, broken or not, and every enabled name that is not; by name. */
  async list(): Promise<Result<readonly ListedPlugin[]>> {
    const { paths, enabled } = this.#parts;
    const [discovered, names, installed] = await Promise.all([
      discoverPlugins(paths.plugins),
      enabled.read(),
      readInstalled(paths),
    ]);
    if (!discovered.ok) return discovered;
    if (!names.ok) return names;
    if (!installed.ok) return installed;
    const there = new Set(discovered.value.map(({ name }) => name));
    const missing = await Promise.all(
      names.value.filter((name) => !there.has(name)).map((name) => findPlugin(paths.plugins, name)),
    );
    const listed = [...discovered.value, ...missing].map((found): ListedPlugin => {
      const entry = installed.value.get(found.name);
      const isEnabled = names.value.includes(found.name);
      return { name: found.name, found, isEnabled, ...(entry === undefined ? {} : { installed: entry }) };
    });
    return succeed(listed.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  }

  /** What a plugin registers. Its code runs for that, in a thread of its own and for a limited time. */
  async preview(name: string, signal: AbortSignal): Promise<Result<PreviewedPlugin>> {
    const folder = await this.#find(name);
    if (!folder.ok) return folder;
    const registered = await previewPlugin(folder.value, { ...this.#parts, signal });
    return registered.ok ? succeed({ folder: folder.value, registered: registered.value }) : registered;
  }

  /** Enables a plugin from the next session on. Fails when it cannot be loaded; false when it was enabled already. */
  async enable(
    name: string,
    signal: AbortSignal,
  ): Promise<Result<PreviewedPlugin & { readonly isChanged: boolean }>> {
    const previewed = await this.preview(name, signal);
    if (!previewed.ok) return previewed;
    return this.#locked(async () => {
      const noted = await this.#noteHooks(name, previewed.value.registered);
      if (!noted.ok) return noted;
      const isChanged = await this.#parts.enabled.set(name, true);
      return isChanged.ok ? succeed({ ...previewed.value, isChanged: isChanged.value }) : isChanged;
    });
  }

  /** Disables a plugin from the next session on, also one that is not there; false when it was not enabled. */
  async disable(name: string): Promise<Result<boolean>> {
    return this.#locked(async () => {
      const changed = await this.#parts.enabled.set(name, false);
      if (!changed.ok || changed.value) return changed;
      const found = await this.#find(name);
      return found.ok ? changed : this.#exists(name, found);
    });
  }

  /**
   * Installs a plugin, disabled, and says what it registers. Nothing is left behind when that fails: it is put together in a
   * folder beside the others and takes its place in one step. Never replaces a plugin.
   */
  async install(
    given: string,
    { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
  ): Promise<Result<PreviewedPlugin & { readonly entry: InstalledPlugin }>> {
    const builtIn = checkPluginName(given);
    if (!builtIn.ok && builtIn.code === 'built_in') return builtIn;
    const { paths, environment } = this.#parts;
    const source = await readPluginSource(given, { cwd, userHome: userHome(environment) });
    if (!source.ok) return source;
    return this.#locked(async () => {
      await this.#sweep();
      const staging = resolvePath(paths.plugins, `${STAGING}-${randomId()}`);
      const made = await makeDirectory(staging);
      if (!made.ok) return made;
      try {
        const fetched = await fetchPlugin(source.value, { staging, environment, signal });
        return fetched.ok ? await this.#settle(given, staging, fetched.value, signal) : fetched;
      } finally {
        await removeTree(staging);
      }
    });
  }

  /** Disables a plugin and removes its folder; its data stays. */
  async remove(name: string): Promise<Result<undefined>> {
    const checked = checkPluginName(name);
    if (!checked.ok) return checked;
    return this.#locked(async () => {
      const disabled = await this.#parts.enabled.set(name, false);
      if (!disabled.ok) return disabled;
      const path = resolvePath(this.#parts.paths.plugins, name);
      const there = await statPath(path, { followLinks: false });
      if (!there.ok) return there;
      const forgotten = await recordInstalled(this.#parts.paths, name, undefined);
      if (!forgotten.ok) return forgotten;
      if (there.value === undefined) return disabled.value ? succeed(undefined) : noPlugin(name);
      const aside = resolvePath(this.#parts.paths.plugins, `${STAGING}-${randomId()}`);
      const moved = await renamePath(path, aside);
      return moved.ok ? removeTree(aside) : moved;
    });
  }

  async #find(name: string): Promise<Result<PluginFolder>> {
    const checked = checkPluginName(name);
    if (!checked.ok) return checked;
    const found = await findPlugin(this.#parts.paths.plugins, name);
    if (found.ok) return succeed(found.folder);
    return fail(
      'not_usable',
      `The plugin ${name} cannot be used: ${found.message}`,
      'See `herma plugins list`.',
    );
  }

  /** A plugin that is broken can be disabled all the same; a name that nothing has is an error. */
  async #exists(name: string, failure: Failure): Promise<Result<boolean>> {
    const checked = checkPluginName(name);
    if (!checked.ok) return checked;
    const there = await statPath(resolvePath(this.#parts.paths.plugins, name), { followLinks: false });
    if (!there.ok) return there;
    return there.value === undefined
      ? noPlugin(name)
      : failure.code === 'not_usable'
        ? succeed(false)
        : failure;
  }

  /** Lest a guard that breaks later is taken for none. */
  async #noteHooks(name: string, { hooks }: Registered): Promise<Result<undefined>> {
    const { paths } = this.#parts;
    const installed = await readInstalled(paths);
    if (!installed.ok) return installed;
    const entry = installed.value.get(name) ?? { source: BY_HAND, hooks: [] };
    return recordInstalled(paths, name, { ...entry, hooks: eventsOf(hooks) });
  }

  async #settle(
    given: string,
    staging: string,
    fetched: FetchedPlugin,
    signal: AbortSignal,
  ): Promise<Result<PreviewedPlugin & { readonly entry: InstalledPlugin }>> {
    const { paths, clock, environment } = this.#parts;
    const described = await readPluginFolder(fetched.path);
    if (!described.ok) return fail('no_plugin', `${given} is no plugin: ${described.message}`);
    const { name } = described.value;
    const place = resolvePath(paths.plugins, name);
    const taken = await statPath(place, { followLinks: false });
    if (!taken.ok) return taken;
    if (taken.value !== undefined) {
      return fail(
        'exists',
        `There is a plugin ${name} already.`,
        `Remove it first: herma plugins remove ${name}`,
      );
    }
    const copy = resolvePath(staging, 'plugin');
    const copied = await copyTree(fetched.path, copy, signal);
    if (!copied.ok) return copied;
    const folder = await readPluginFolder(copy, name);
    if (!folder.ok) return fail('no_plugin', `${given} is no plugin: ${folder.message}`);
    const registered = await previewPlugin(folder.value, { clock, environment, signal });
    if (!registered.ok) return registered;
    const entry: InstalledPlugin = {
      source: given,
      ...fetched.pin,
      installedAt: new Date(clock.now()).toISOString(),
      hooks: eventsOf(registered.value.hooks),
    };
    const moved = await renamePath(copy, place);
    if (!moved.ok) return moved;
    const recorded = await recordInstalled(paths, name, entry);
    if (!recorded.ok) {
      await removeTree(place);
      return recorded;
    }
    const there = await this.#find(name);
    return there.ok ? succeed({ folder: there.value, registered: registered.value, entry }) : there;
  }

  /** What an installation that was killed has left. */
  async #sweep(): Promise<void> {
    const { plugins } = this.#parts.paths;
    const entries = await listDirectory(plugins);
    if (!entries.ok) return;
    for (const { name } of entries.value) {
      if (name.startsWith(`${STAGING}-`)) await removeTree(resolvePath(plugins, name));
    }
  }

  async #locked<Value>(work: () => Promise<Result<Value>>): Promise<Result<Value>> {
    const lock = resolvePath(this.#parts.paths.locks, 'plugins.lock');
    const done = await withLock(lock, { waitMs: LOCK_WAIT_MS }, work);
    return done.ok ? done.value : done;
  }
}

function noPlugin(name: string): Failure {
  return fail('not_found', `There is no plugin ${displayPath(name)}.`, 'See `herma plugins list`.');
}

function eventsOf(hooks: Registered['hooks']): readonly string[] {
  return [...new Set(hooks.map(({ event }) => event))];
}
