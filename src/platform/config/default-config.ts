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
  ledger: {
    enabled: true,
    onFailure: 'block',
    retryLimit: 3,
    graceSeconds: 120,
    grace: new Map([
      ['terminal', 900],
      ['delegate_task', 1800],
    ]),
    retentionDays: 90,
    maxRows: 50_000,
    probes: new Map(),
  },
  plugins: { enabled: [], callbackTimeoutMs: 30_000, settings: new Map() },
  policy: { floors: true },
  terminal: { timeoutMs: 180_000, env: [] },
  tools: { disabled: [] },
  logging: { level: 'info' },
  mcpServers: new Map(),
};
