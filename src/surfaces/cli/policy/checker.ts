import { type Result, succeed } from '../../../kernel/errors/index.ts';
import { loadConfig } from '../../../platform/config/index.ts';
import {
  expandTilde,
  type HomePaths,
  homePaths,
  resolvePath,
  userHome,
} from '../../../platform/paths/index.ts';
import {
  createPolicyEngine,
  type PolicyEngine,
  type PolicyState,
  PolicyStore,
  type PolicyVerdict,
} from '../../../safety/policy/index.ts';
import { analyseCommand, type CommandFinding } from '../../../shell/index.ts';
import { globalOptions } from '../global-options.ts';
import type { VerbContext } from '../verb.ts';
import { type CheckedText, checkedCall } from './checked-call.ts';

/** Where a check plays, as it was typed. Nothing of it has to exist. */
export interface CheckPlace {
  readonly cwd: string | undefined;
  readonly homeDir: string | undefined;
}

/** A verdict, with the dangers that were found, each of them once. */
export interface Checked {
  readonly verdict: PolicyVerdict;
  readonly findings: readonly CommandFinding[];
}

/** Judges calls that are not going to run. */
export interface Checker {
  readonly engine: PolicyEngine;
  readonly state: PolicyState;
  /** Absolute: where a call is when it does not say. */
  readonly cwd: string;
  /** As if the policy was enforced, whatever its mode. */
  check(text: CheckedText, unattended: boolean): Promise<Result<Checked>>;
  /** A folder as it was given for one call, as an absolute one. */
  folder(given: string): string;
}

/** The policy of this home, or of the one that is pretended. Opens no journal, makes nothing and asks nobody. */
export async function openChecker(context: VerbContext, place: CheckPlace): Promise<Result<Checker>> {
  const { environment, clock } = context;
  const absolute = (path: string, home: string): string => {
    const expanded = expandTilde(path, home);
    return resolvePath(expanded.startsWith('/') ? '/' : context.workingDirectory(), expanded);
  };
  const ownHome = userHome(environment);
  const home = place.homeDir === undefined ? ownHome : absolute(place.homeDir, ownHome);
  const cwd = place.cwd === undefined ? context.workingDirectory() : absolute(place.cwd, home);
  const paths = place.homeDir === undefined ? context.paths : pathsBelow(home, context);
  const loaded = await loadConfig(paths.home, environment);
  if (!loaded.ok) return loaded;
  const store = new PolicyStore(paths);
  let found: CommandFinding[] = [];
  const engine = await createPolicyEngine({
    current: async () => store.current(),
    clock,
    place: { home, hermaHome: paths.home },
    floors: loaded.config.policy.floors,
    analyse: (command, where) => {
      const analysis = analyseCommand(command, where);
      found.push(...analysis.findings);
      return analysis;
    },
  });
  return succeed({
    engine,
    state: await store.current(),
    cwd,
    check: async (text, unattended) => {
      const call = await checkedCall(text, clock);
      if (!call.ok) return call;
      found = [];
      const verdict = await engine.check(call.value, { unattended, mode: 'enforce' });
      return succeed({ verdict, findings: withoutRepeats(found) });
    },
    folder: (given) => resolvePath(cwd, expandTilde(given, home)),
  });
}

/** `--home` says where Herma's home is whatever the home of the person. */
function pathsBelow(home: string, context: VerbContext): HomePaths {
  const isGiven = context.get(globalOptions.home) !== undefined;
  return isGiven ? context.paths : homePaths(resolvePath(home, '.herma'));
}

function withoutRepeats(findings: readonly CommandFinding[]): readonly CommandFinding[] {
  return [...new Map(findings.map((each) => [JSON.stringify([each.class, each.evidence]), each])).values()];
}
