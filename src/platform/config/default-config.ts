import type { Config } from './config.ts';

/** The configuration of a home without a `config.yaml`. The schema takes its defaults from here. */
export const defaultConfig: Config = {
  agent: { maxIterations: 90, verify: [], maxVerifyNudges: 3 },
  approvals: { timeoutMs: 300_000, ask: [] },
  checkpoints: {
    enabled: false,
    maxSnapshots: 20,
    maxTotalSizeMb: 500,
    maxFileSizeMb: 10,
    autoPrune: true,
    retentionDays: 7,
    privateRetentionDays: 2,
    minIntervalHours: 24,
    onFailure: 'warn',
  },
  compression: { enabled: true, threshold: 0.5, keepFirst: 2, keepLastTurns: 4 },
  delegation: { maxDepth: 2, maxChildren: 3 },
  hooks: { shell: [], outbound: [], autoAccept: false, consent: 'content' },
  plugins: { enabled: [], callbackTimeoutMs: 30_000, settings: new Map() },
  terminal: { timeoutMs: 180_000, env: [] },
  tools: { disabled: [] },
  logging: { level: 'info' },
  mcpServers: new Map(),
};
