export type { PluginFolder } from './discover-plugins.ts';
export { type EnabledPlugins, enabledInConfig } from './enabled-plugins.ts';
export type { InstalledPlugin } from './installed-record.ts';
export {
  type LoadedPlugin,
  type LoadedPlugins,
  type LoadPluginsOptions,
  loadPlugins,
} from './load-plugins.ts';
export type { LoadedCommand } from './loaded-command.ts';
export type { LoadedProbe } from './loaded-probe.ts';
export type { PluginManifest } from './manifest.ts';
export type {
  HookCallback,
  HookOptions,
  PluginCommand,
  PluginCommandIo,
  PluginContext,
  PluginLogger,
  PluginProbe,
  PluginProbeCall,
  PluginProbeFinding,
  PluginSection,
  PluginTool,
  PluginToolAnswer,
  PluginToolEffect,
  PluginToolRun,
  RegisterPlugin,
} from './plugin-api.ts';
export {
  type ListedPlugin,
  PluginStore,
  type PluginStoreParts,
  type PreviewedPlugin,
} from './plugin-store.ts';
export type { Registered } from './registration.ts';
export { renderSections } from './system-prompt-limits.ts';
