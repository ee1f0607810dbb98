/** What a call may do: nothing, write files it names, run a shell, or anything else. */
export const EFFECTS = ['none', 'write', 'execute', 'external'] as const;

export type Effect = (typeof EFFECTS)[number];

export function isEffect(value: unknown): value is Effect {
  return EFFECTS.some((effect) => effect === value);
}
