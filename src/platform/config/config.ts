import type { EventName } from '../../kernel/events/index.ts';
import type { Effect } from '../../kernel/tool-call/index.ts';

/** `model:`: which model answers, and how it is reached. */
export interface ModelConfig {
  /** `openai:gpt-5`, `openai-compatible:name`, `scripted:<file>`. */
  readonly name: string;
  readonly baseUrl?: string;
  /** Name of the environment variable that holds the key. */
  readonly apiKeyEnv?: string;
  /** In tokens. */
  readonly contextWindow?: number;
  /** How long the beginning of an answer may take; 60 s when absent. */
  readonly timeoutMs?: number;
}

/** `agent:`: the loop. */
export interface AgentConfig {
  /** Model requests in one turn, at most. */
  readonly maxIterations: number;
  /** Shell commands that must succeed before a turn that edited files may end. */
  readonly verify: readonly string[];
  /** How often failed checks are handed back to the model in one turn, at most. */
  readonly maxVerifyNudges: number;
  /** Added to the built-in system prompt. */
  readonly systemPrompt?: string;
}

/** `approvals:`: when a person is asked, and for how long. */
export interface ApprovalsConfig {
  /** Time to answer. Silence is no. */
  readonly timeoutMs: number;
  /** Globs of tool names whose calls always wait for a person. */
  readonly ask: readonly string[];
}

/** One script below an event of `hooks:`. */
export interface ShellHookConfig {
  readonly event: EventName;
  /** A command line, trimmed. */
  readonly command: string;
  readonly matcher?: string;
  readonly timeoutMs: number;
  readonly failClosed: boolean;
  /** Environment variables that the script sees although they hold credentials. */
  readonly env: readonly string[];
  readonly recheck?: boolean;
}

/** One address below `hooks.outbound`. */
export interface OutboundHookConfig {
  readonly url: string;
  readonly events: readonly EventName[];
  readonly name?: string;
  readonly matcher?: string;
  /** Names the environment variable with the key that signs. */
  readonly secretEnv?: string;
  readonly secret?: string;
  readonly timeoutMs: number;
  /** Whether secrets are left in what is sent. */
  readonly raw: boolean;
}

/** `hooks:`, `hooks_auto_accept` and `hooks_consent`. */
export interface HooksConfig {
  /** In the order of the file. */
  readonly shell: readonly ShellHookConfig[];
  readonly outbound: readonly OutboundHookConfig[];
  /** Whether scripts that are new are approved without a question. */
  readonly autoAccept: boolean;
  /** What an approval is bound to: the content of the script, or its path alone. */
  readonly consent: 'content' | 'path';
}

/** `plugins:`. */
export interface PluginsConfig {
  readonly enabled: readonly string[];
  /** Of one callback; 0 for no limit. */
  readonly callbackTimeoutMs: number;
  /** By the name of the plugin. */
  readonly settings: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

/** `compression:`: when and how a long conversation is summarised. */
export interface CompressionConfig {
  readonly enabled: boolean;
  /** Part of the context window (0 to 1) at which it happens. */
  readonly threshold: number;
  /** Messages at the start that are kept verbatim. */
  readonly keepFirst: number;
  /** Turns at the end that are kept verbatim. */
  readonly keepLastTurns: number;
}

/** `delegation:`: the limits of `delegate_task`. */
export interface DelegationConfig {
  /** How deep children may delegate in turn; 0 switches delegation off. */
  readonly maxDepth: number;
  /** Children of one call that run at once. */
  readonly maxChildren: number;
}

/** `terminal:`: commands of the `terminal` tool. */
export interface TerminalConfig {
  /** Time limit of a foreground command that names none. */
  readonly timeoutMs: number;
  /** Environment variables that commands see although they hold credentials. */
  readonly env: readonly string[];
}

/** `tools:`: which tools exist. */
export interface ToolsConfig {
  /** Names of tools that are not offered and cannot be called. */
  readonly disabled: readonly string[];
}

/** `checkpoints:`: what is kept so that changes to files can be taken back. */
export interface CheckpointsConfig {
  readonly enabled: boolean;
  /** Entries kept for each project. */
  readonly maxSnapshots: number;
  /** Size of the whole store; 0 for no limit. In units of 1024 × 1024 bytes. */
  readonly maxTotalSizeMb: number;
  /** Larger files are not captured; 0 for no limit. */
  readonly maxFileSizeMb: number;
  readonly autoPrune: boolean;
  readonly retentionDays: number;
  /** How long the content of ignored files (secrets as a rule) is kept that a tool was about to write. */
  readonly privateRetentionDays: number;
  readonly minIntervalHours: number;
  /** What becomes of a call whose checkpoint could not be taken. */
  readonly onFailure: 'warn' | 'block';
}

/** A read-only call of an MCP server by which the journal looks whether another call of it had an effect. */
export interface LedgerProbeConfig {
  /** Name of the tool, as the model sees it. */
  readonly tool: string;
  /** `{{argument}}` stands for an argument of the call that is looked for. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Text that the answer holds when the effect is there, with `{{argument}}` as well. */
  readonly expect: string;
}

/** `ledger:`: the journal of calls. */
export interface LedgerConfig {
  readonly enabled: boolean;
  /** What becomes of a call with an effect that could not be journalled. */
  readonly onFailure: 'block' | 'warn';
  /** From this equal call on, when the effects of the earlier ones are unknown, it is blocked; 0 for never. */
  readonly retryLimit: number;
  /** How long a call may stay open before it counts as lost, when its owner cannot be seen. */
  readonly graceSeconds: number;
  /** The same, by the name of the tool. */
  readonly grace: ReadonlyMap<string, number>;
  readonly retentionDays: number;
  readonly maxRows: number;
  /** By the name of the tool whose effect they look for. */
  readonly probes: ReadonlyMap<string, LedgerProbeConfig>;
}

/** `policy:`. The rules and the mode are files beside the journal. */
export interface PolicyConfig {
  /** Whether the floors hold, which no rule can lift. Off is for throw-away containers. */
  readonly floors: boolean;
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** `logging:`. */
export interface LoggingConfig {
  readonly level: LogLevel;
}

interface McpServerSettings {
  readonly enabled: boolean;
  /** Time limit of one request. */
  readonly timeoutMs: number;
  /** What its tools may do, by the server's own tool name; `*` is for all others. A tool without an entry is `external`. */
  readonly effects: ReadonlyMap<string, Effect>;
}

/** A server that is started as a program. */
export interface StdioMcpServerConfig extends McpServerSettings {
  readonly transport: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the program's environment. */
  readonly env: ReadonlyMap<string, string>;
  readonly cwd?: string;
}

/** A server that is reached by HTTP. */
export interface HttpMcpServerConfig extends McpServerSettings {
  readonly transport: 'http';
  readonly url: string;
  readonly headers: ReadonlyMap<string, string>;
}

/** One entry of `mcp_servers:`. */
export type McpServerConfig = StdioMcpServerConfig | HttpMcpServerConfig;

/** The whole configuration. Whoever needs a part of it is given that part. */
export interface Config {
  /** Absent when none is chosen. */
  readonly model?: ModelConfig;
  readonly agent: AgentConfig;
  readonly approvals: ApprovalsConfig;
  readonly checkpoints: CheckpointsConfig;
  readonly compression: CompressionConfig;
  readonly delegation: DelegationConfig;
  readonly hooks: HooksConfig;
  readonly ledger: LedgerConfig;
  readonly plugins: PluginsConfig;
  readonly policy: PolicyConfig;
  readonly terminal: TerminalConfig;
  readonly tools: ToolsConfig;
  readonly logging: LoggingConfig;
  /** By name. */
  readonly mcpServers: ReadonlyMap<string, McpServerConfig>;
}
