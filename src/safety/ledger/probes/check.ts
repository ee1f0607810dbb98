import type { ProbeResult } from '../model/probe.ts';

/**
 * How one thing a call was to change looks now. `changed`: otherwise than before, where only that was foreseen; `other`: neither as
 * before nor as foreseen; `unknown`: nothing can be said.
 */
export const CHECK_STATES = ['done', 'not_done', 'changed', 'other', 'unknown'] as const;

export type CheckState = (typeof CHECK_STATES)[number];

export interface Check {
  readonly state: CheckState;
  /** What it is about, for a person: without content and without secrets. */
  readonly what: string;
}

const WORDS: Readonly<Record<CheckState, string>> = {
  done: 'as it was to become',
  not_done: 'still as before',
  changed: 'changed since, maybe not to the end',
  other: 'neither as before nor as it was to become',
  unknown: 'cannot be checked',
};

/** Things named of each state. */
const MAX_NAMED = 3;

/** What several looks say together. `checks` must not be empty. */
export function verdictOf(checks: readonly Check[]): ProbeResult {
  const evidence = CHECK_STATES.flatMap((state) => {
    const found = checks.filter((check) => check.state === state);
    return found.length === 0 ? [] : [`${WORDS[state]}: ${listOf(found.map(({ what }) => what))}`];
  }).join('; ');
  return { verdict: verdictOfStates(new Set(checks.map(({ state }) => state))), evidence };
}

function verdictOfStates(states: ReadonlySet<CheckState>): ProbeResult['verdict'] {
  if (states.has('other')) return 'UNKNOWN';
  if (states.has('changed')) return 'PARTIAL';
  if (states.has('done')) return states.size === 1 ? 'LANDED' : 'PARTIAL';
  return states.has('unknown') ? 'UNKNOWN' : 'NOT_LANDED';
}

function listOf(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED).join(', ');
  return names.length > MAX_NAMED ? `${named} and ${String(names.length - MAX_NAMED)} more` : named;
}
