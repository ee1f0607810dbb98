import { join } from 'node:path';
import type { HomePaths } from '../../platform/paths/index.ts';

/**
 * How far something is watched.
 *
 * - `all`: content, mode and links, of everything below it too.
 * - `way`: a folder that leads to something protected: that it is there, is the same kind of thing, and keeps what it lets
 *   its owner do and keeps others from doing.
 * - `records`: files that come and change by themselves but go only by a person's hand.
 * - `presence`: that it is there, and the same file.
 */
export type Watch = 'all' | 'way' | 'records' | 'presence';

export interface ProtectedRoot {
  /** Absolute. */
  readonly path: string;
  readonly watch: Watch;
}

/** What only a person may change. */
export interface ProtectedPaths {
  readonly home: string;
  /** In the order in which they are put back: what leads to something comes before it. */
  readonly roots: readonly ProtectedRoot[];
  /** Records of what was changed all the same; each blocks a session. */
  readonly records: string;
  /** What was put in the place of a protected file is kept below it. */
  readonly aside: string;
}

/**
 * The files of a home by which Herma decides what an agent may do: the configuration, consents and approvals, scripts of
 * hooks, plugins, the policy. Of the journal only that it is there: its content is checked by its own chain.
 */
export function protectedPaths(paths: HomePaths): ProtectedPaths {
  const records = join(paths.run, 'tampered');
  const watched = (watch: Watch, ...list: readonly string[]): ProtectedRoot[] =>
    list.map((path) => ({ path, watch }));
  return {
    home: paths.home,
    records,
    aside: join(paths.home, 'tampered'),
    roots: [
      ...watched('way', paths.home, paths.run, paths.pluginData, paths.ledger),
      ...watched('all', paths.config, paths.shellHooksAllowlist, paths.approvals),
      ...watched('all', paths.policy, paths.policyMode),
      ...watched('all', paths.agentHooks, paths.hooks, paths.plugins),
      ...watched('presence', paths.ledgerDatabase),
      ...watched('records', records),
    ],
  };
}
