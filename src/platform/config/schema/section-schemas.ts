import { z } from 'zod';
import {
  type AgentConfig,
  type ApprovalsConfig,
  type CheckpointsConfig,
  type CompressionConfig,
  type DelegationConfig,
  LOG_LEVELS,
  type LoggingConfig,
  type PolicyConfig,
  type TerminalConfig,
  type ToolsConfig,
} from '../config.ts';
import { defaultConfig } from '../default-config.ts';
import { fromMs, seconds, text, toMs, variableName, wholeNumber } from './fields.ts';

const { agent, approvals, checkpoints, compression, delegation, policy, terminal, tools, logging } =
  defaultConfig;

export const agentSchema = z
  .strictObject({
    max_iterations: wholeNumber(1, 10_000)
      .default(agent.maxIterations)
      .describe('Model requests in one turn, at most.'),
    verify: z
      .array(text('a shell command'))
      .default([...agent.verify])
      .describe('Commands that must succeed before a turn that edited files may end.'),
    max_verify_nudges: wholeNumber(0, 100)
      .default(agent.maxVerifyNudges)
      .describe('How often failed checks are handed back to the model in one turn, at most.'),
    system_prompt: text().optional().describe('Added to the built-in system prompt.'),
  })
  .transform(
    (value): AgentConfig => ({
      maxIterations: value.max_iterations,
      verify: value.verify,
      maxVerifyNudges: value.max_verify_nudges,
      ...(value.system_prompt === undefined ? {} : { systemPrompt: value.system_prompt }),
    }),
  )
  .describe('The agent loop.');

export const approvalsSchema = z
  .strictObject({
    timeout: seconds().default(fromMs(approvals.timeoutMs)).describe('Seconds to answer; silence is no.'),
    ask: z
      .array(text('the name of a tool, or a pattern such as mcp__*'))
      .default([...approvals.ask])
      .describe('Tools whose calls always wait for a person.'),
  })
  .transform((value): ApprovalsConfig => ({ timeoutMs: toMs(value.timeout), ask: value.ask }))
  .describe('When a person is asked.');

export const checkpointsSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(checkpoints.enabled)
      .describe('Whether files are captured before calls that may change them.'),
    max_snapshots: wholeNumber(1, 10_000)
      .default(checkpoints.maxSnapshots)
      .describe('Checkpoints kept for each project.'),
    max_total_size_mb: wholeNumber(0, 10_000_000)
      .default(checkpoints.maxTotalSizeMb)
      .describe('Size of the whole store; 0 for no limit.'),
    max_file_size_mb: wholeNumber(0, 100_000)
      .default(checkpoints.maxFileSizeMb)
      .describe('Larger files are not captured; 0 for no limit.'),
    auto_prune: z
      .boolean()
      .default(checkpoints.autoPrune)
      .describe('Whether what is old is swept away at start-up.'),
    retention_days: wholeNumber(1, 36_500)
      .default(checkpoints.retentionDays)
      .describe('Days after which checkpoints go.'),
    private_retention_days: wholeNumber(0, 36_500)
      .default(checkpoints.privateRetentionDays)
      .describe('Days after which the content of ignored files, such as .env, goes.'),
    min_interval_hours: wholeNumber(0, 8_760)
      .default(checkpoints.minIntervalHours)
      .describe('Hours between two automatic sweeps.'),
    on_failure: z
      .enum(['warn', 'block'])
      .default(checkpoints.onFailure)
      .describe('What becomes of a call whose checkpoint could not be taken.'),
  })
  .transform(
    (value): CheckpointsConfig => ({
      enabled: value.enabled,
      maxSnapshots: value.max_snapshots,
      maxTotalSizeMb: value.max_total_size_mb,
      maxFileSizeMb: value.max_file_size_mb,
      autoPrune: value.auto_prune,
      retentionDays: value.retention_days,
      privateRetentionDays: value.private_retention_days,
      minIntervalHours: value.min_interval_hours,
      onFailure: value.on_failure,
    }),
  )
  .describe('What is kept so that changes to files can be taken back.');

export const compressionSchema = z
  .strictObject({
    enabled: z.boolean().default(compression.enabled).describe('Whether long conversations are summarised.'),
    threshold: z
      .number()
      .min(0.05)
      .max(0.95)
      .default(compression.threshold)
      .describe('Part of the context window at which it happens.'),
    keep_first: wholeNumber(0, 1_000)
      .default(compression.keepFirst)
      .describe('Messages at the start that are kept verbatim.'),
    keep_last_turns: wholeNumber(1, 1_000)
      .default(compression.keepLastTurns)
      .describe('Turns at the end that are kept verbatim.'),
  })
  .transform(
    (value): CompressionConfig => ({
      enabled: value.enabled,
      threshold: value.threshold,
      keepFirst: value.keep_first,
      keepLastTurns: value.keep_last_turns,
    }),
  )
  .describe('Summaries of long conversations.');

export const delegationSchema = z
  .strictObject({
    max_depth: wholeNumber(0, 10)
      .default(delegation.maxDepth)
      .describe('How deep children may delegate in turn; 0 switches delegation off.'),
    max_children: wholeNumber(1, 10)
      .default(delegation.maxChildren)
      .describe('Children of one call that run at once.'),
  })
  .transform((value): DelegationConfig => ({ maxDepth: value.max_depth, maxChildren: value.max_children }))
  .describe('Limits of delegate_task.');

export const policySchema = z
  .strictObject({
    floors: z
      .boolean()
      .default(policy.floors)
      .describe('Whether wiping root or home, raw devices, fork bombs and power off are always refused.'),
  })
  .transform((value): PolicyConfig => ({ floors: value.floors }))
  .describe('What is refused, besides the rules beside the journal.');

export const terminalSchema = z
  .strictObject({
    timeout: seconds()
      .default(fromMs(terminal.timeoutMs))
      .describe('Seconds a foreground command may take when the call names no limit.'),
    env: z
      .array(variableName())
      .default([...terminal.env])
      .describe('Environment variables that commands see although they hold credentials.'),
  })
  .transform((value): TerminalConfig => ({ timeoutMs: toMs(value.timeout), env: value.env }))
  .describe('Commands of the terminal tool.');

export const toolsSchema = z
  .strictObject({
    disabled: z
      .array(text('the name of a tool'))
      .default([...tools.disabled])
      .describe('Tools that are not offered and cannot be called.'),
  })
  .transform((value): ToolsConfig => ({ disabled: value.disabled }))
  .describe('Which tools exist.');

export const loggingSchema = z
  .strictObject({
    level: z.enum(LOG_LEVELS).default(logging.level).describe('How much goes to the log file.'),
  })
  .transform((value): LoggingConfig => ({ level: value.level }))
  .describe('The log file.');
