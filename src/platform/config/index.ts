export type { SetConfigValue, SetErrorCode } from './change-config-file.ts';
export {
  type AgentConfig,
  type ApprovalsConfig,
  type CheckpointsConfig,
  type CompressionConfig,
  type Config,
  type DelegationConfig,
  type HooksConfig,
  type HttpMcpServerConfig,
  type LedgerConfig,
  type LedgerProbeConfig,
  type LoggingConfig,
  type LogLevel,
  type McpServerConfig,
  type ModelConfig,
  type OutboundHookConfig,
  type PluginsConfig,
  type ShellHookConfig,
  type StdioMcpServerConfig,
  type TerminalConfig,
  type ToolsConfig,
} from './config.ts';
export { type ConfigProblem, type ConfigSeverity, describeProblem } from './config-problem.ts';
export { defaultConfig } from './default-config.ts';
export { type ConfigValue, getConfigValue } from './get-config-value.ts';
export { listConfigKeys } from './list-config-keys.ts';
export { type BadConfig, type Loaded, type LoadedConfig, loadConfig } from './load-config.ts';
export type { ConfigKey } from './schema/list-keys.ts';
export { setConfigValue } from './set-config-value.ts';
