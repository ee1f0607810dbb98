import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freezeVariables } from '../environment/index.ts';
import { expandTilde, hermaHome, homePaths, isInside, userHome } from './index.ts';

function environment(variables: Record<string, string>): Readonly<Record<string, string>> {
  return freezeVariables(Object.entries(variables));
}

describe('hermaHome', () => {
  it.each([
    [{ HOME: '/home/u' }, '/home/u/.herma'],
    [{ HOME: '/home/u', HERMA_HOME: '' }, '/home/u/.herma'],
    [{ HOME: '/home/u', HERMA_HOME: '/elsewhere/' }, '/elsewhere'],
    [{ HOME: '/home/u', HERMA_HOME: '~' }, '/home/u'],
    [{ HOME: '/home/u', HERMA_HOME: '~/h' }, '/home/u/h'],
    [{ HOME: '/home/u', HERMA_HOME: 'rel/h' }, resolve('rel/h')],
    [{ HOME: '/home/u', HERMA_HOME: ' spaced ' }, resolve(' spaced ')],
  ])('for %j is %s', (variables, expected) => {
    expect(hermaHome(environment(variables))).toBe(expected);
  });

  it('asks the system when HOME is not set', () => {
    expect(userHome(environment({}))).toBe(homedir());
    expect(userHome(environment({ HOME: '' }))).toBe(homedir());
  });
});

describe('expandTilde', () => {
  it.each([
    ['~', '/h'],
    ['~/a b', '/h/a b'],
    ['~user/x', '~user/x'],
    ['a/~', 'a/~'],
    ['~~', '~~'],
    ['', ''],
  ])('makes %j into %j', (path, expected) => {
    expect(expandTilde(path, '/h')).toBe(expected);
  });
});

describe('homePaths', () => {
  it('names every file of the home where the design puts it', () => {
    expect(homePaths('/h')).toEqual({
      home: '/h',
      config: '/h/config.yaml',
      shellHooksAllowlist: '/h/shell-hooks-allowlist.json',
      approvals: '/h/approvals.json',
      stateDatabase: '/h/state.db',
      agentHooks: '/h/agent-hooks',
      hooks: '/h/hooks',
      plugins: '/h/plugins',
      pluginData: '/h/plugin-data',
      ledger: '/h/plugin-data/agent-ledger',
      ledgerDatabase: '/h/plugin-data/agent-ledger/ledger.db',
      ledgerHeads: '/h/checkpoints/ledger-heads',
      policy: '/h/plugin-data/agent-ledger/policy.json',
      policyMode: '/h/plugin-data/agent-ledger/policy_mode',
      checkpoints: '/h/checkpoints',
      checkpointStore: '/h/checkpoints/store',
      checkpointLastPrune: '/h/checkpoints/.last_prune',
      proxy: '/h/proxy',
      run: '/h/run',
      locks: '/h/run/locks',
      cron: '/h/cron',
      kanban: '/h/kanban',
      logs: '/h/logs',
      log: '/h/logs/herma.log',
    });
  });

  it('stays inside the home', () => {
    for (const path of Object.values<string>({ ...homePaths('/some/home') }))
      expect(isInside('/some/home', path)).toBe(true);
  });
});
