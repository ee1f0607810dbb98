/** What one finding takes from the score, the gravest first. */
export const WEIGHTS = { CRITICAL: 25, HIGH: 15, MEDIUM: 8, LOW: 3 } as const;

export type Severity = keyof typeof WEIGHTS;

export const SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const satisfies readonly Severity[];
