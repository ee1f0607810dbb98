/** What a look at the world says of a call nobody saw the end of. */
export type ProbeVerdict = 'LANDED' | 'NOT_LANDED' | 'PARTIAL' | 'UNKNOWN';

export interface ProbeResult {
  readonly verdict: ProbeVerdict;
  /** One line for a person and the model: what was looked at and what was seen. Without secrets, at most 300 characters. */
  readonly evidence: string;
}
