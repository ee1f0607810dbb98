import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Environment } from '../environment/index.ts';
import { expandTilde } from './expand-tilde.ts';

/** Where everything that Herma keeps is. All of them absolute; none of them need exist. */
export interface HomePaths {
  readonly home: string;
  readonly config: string;
  readonly shellHooksAllowlist: string;
  readonly approvals: string;
  /** Sessions and messages. */
  readonly stateDatabase: string;
  /** Scripts of shell hooks (a convention). */
  readonly agentHooks: string;
  /** Gateway hooks, one folder each. */
  readonly hooks: string;
  readonly plugins: string;
  readonly pluginData: string;
  readonly ledger: string;
  readonly ledgerDatabase: string;
  /** Heads of the journal, noted outside its folder. */
  readonly ledgerHeads: string;
  readonly policy: string;
  readonly policyMode: string;
  readonly checkpoints: string;
  readonly checkpointStore: string;
  readonly checkpointLastPrune: string;
  readonly proxy: string;
  /** Exit files of running commands, sockets of live processes. */
  readonly run: string;
  readonly locks: string;
  readonly cron: string;
  readonly kanban: string;
  readonly logs: string;
  readonly log: string;
}

/** The paths below `home`, an absolute path. */
export function homePaths(home: string): HomePaths {
  const ledger = join(home, 'plugin-data', 'agent-ledger');
  const checkpoints = join(home, 'checkpoints');
  const run = join(home, 'run');
  const logs = join(home, 'logs');
  return {
    home,
    config: join(home, 'config.yaml'),
    shellHooksAllowlist: join(home, 'shell-hooks-allowlist.json'),
    approvals: join(home, 'approvals.json'),
    stateDatabase: join(home, 'state.db'),
    agentHooks: join(home, 'agent-hooks'),
    hooks: join(home, 'hooks'),
    plugins: join(home, 'plugins'),
    pluginData: join(home, 'plugin-data'),
    ledger,
    ledgerDatabase: join(ledger, 'ledger.db'),
    ledgerHeads: join(checkpoints, 'ledger-heads'),
    policy: join(ledger, 'policy.json'),
    policyMode: join(ledger, 'policy_mode'),
    checkpoints,
    checkpointStore: join(checkpoints, 'store'),
    checkpointLastPrune: join(checkpoints, '.last_prune'),
    proxy: join(home, 'proxy'),
    run,
    locks: join(run, 'locks'),
    cron: join(home, 'cron'),
    kanban: join(home, 'kanban'),
    logs,
    log: join(logs, 'herma.log'),
  };
}

/**
 * The home folder of the person: `HOME`, else what the system says, else `/` (where writing then fails with an error
 * that names the path).
 */
export function userHome(environment: Environment): string {
  const home = environment['HOME'];
  if (home !== undefined && home !== '') return resolve(home);
  try {
    return homedir();
  } catch {
    // A user id without an entry in the user database, as in some containers.
    return '/';
  }
}

/** Herma's home, absolute: `HERMA_HOME` with `~` expanded, or `~/.herma` when that is unset or empty. */
export function hermaHome(environment: Environment): string {
  const configured = environment['HERMA_HOME'];
  const chosen = configured === undefined || configured === '' ? '~/.herma' : configured;
  return resolve(expandTilde(chosen, userHome(environment)));
}
