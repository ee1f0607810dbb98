import type { JsonObject } from '../../../kernel/json/index.ts';
import type { PolicyDecision, PolicyVerdict } from '../../../safety/policy/index.ts';
import type { Colours } from '../output/colours.ts';
import { printableLine } from '../output/printable.ts';

/** What a check prints with `--json`. */
export function verdictDocument(verdict: PolicyVerdict): JsonObject {
  const { raw, rule, class: named, resolved, message } = verdict;
  return {
    verdict: raw,
    rule: rule ?? null,
    class: named ?? null,
    resolved: resolved ?? null,
    message,
  };
}

/** The verdict for a person: what, by which rule, why, and what would run. */
export function verdictLines(verdict: PolicyVerdict, colours: Colours): readonly string[] {
  const { raw, rule, class: named, resolved, message } = verdict;
  const by = [rule, named === undefined || named === rule ? undefined : `(${named})`];
  const head = [paintDecision(raw, colours)(raw), ...by.filter((part) => part !== undefined)].join('  ');
  return [
    head,
    ...(resolved === undefined ? [] : [`  would run: ${printableLine(resolved)}`]),
    ...(message === '' ? [] : [`  ${printableLine(message)}`]),
  ];
}

export function paintDecision(decision: PolicyDecision, colours: Colours): (text: string) => string {
  const paints = { allow: colours.good, ask: colours.warning, block: colours.bad };
  return paints[decision];
}
