import type { EventName } from '../../../kernel/events/index.ts';
import type { JsonObject } from '../../../kernel/json/index.ts';
import type { OutboundHookConfig } from '../../../platform/config/index.ts';
import type { Environment } from '../../../platform/environment/index.ts';
import { compileMatcher, outboundLabel, signingKey } from '../../../safety/hooks/index.ts';

/** What an agent would do about one outbound webhook at an event. */
export interface ToldTarget {
  readonly label: string;
  /** Why it would be told nothing; absent when it would be told. */
  readonly off?: string;
}

/** The outbound webhooks of an event, of those with a matcher only the ones of `tool`, where that is known. */
export async function toldTargets(
  targets: readonly OutboundHookConfig[],
  { event, tool }: { readonly event: EventName; readonly tool: string | undefined },
  environment: Environment,
): Promise<readonly ToldTarget[]> {
  const told: ToldTarget[] = [];
  for (const target of targets) {
    if (!target.events.includes(event)) continue;
    const matcher = await compileMatcher(target.matcher);
    const matches = matcher.ok ? matcher.value : (name: string) => name === target.matcher;
    if (tool !== undefined && !matches(tool)) continue;
    const key = signingKey(target, environment);
    told.push({ label: outboundLabel(target), ...(key.ok ? {} : { off: key.message }) });
  }
  return told;
}

export function toldTargetText({ label, off }: ToldTarget): string {
  return off === undefined
    ? `${label}: an agent would tell it; a test sends nothing`
    : `${label}: off, ${off}`;
}

export function toldTargetDocument({ label, off }: ToldTarget): JsonObject {
  return { target: label, off: off ?? null, sent: false };
}
