import type { CommandClass } from '../../../shell/index.ts';
import type { ReadCall } from '../reading/read-call.ts';
import type { PostureScene, Sighting } from './posture-rule.ts';

/** Every executed call in which one of these dangers is, once, with the first part of it that shows one. */
export function byClass(
  classes: readonly CommandClass[],
): ({ calls }: Pick<PostureScene, 'calls'>) => readonly Sighting[] {
  return ({ calls }) => calls.flatMap((call) => sightingIn(call, classes) ?? []);
}

function sightingIn(call: ReadCall, classes: readonly CommandClass[]): Sighting | undefined {
  if (!call.isExecuted) return undefined;
  const found = call.reading().findings.find((finding) => classes.includes(finding.class));
  return found === undefined ? undefined : { calls: [call], evidence: `${found.class}: ${found.evidence}` };
}
