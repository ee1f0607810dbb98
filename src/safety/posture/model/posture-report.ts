import type { AgenticRisk, COVERED, EXTENSION, NOT_COVERED } from './agentic-risks.ts';
import type { Severity, WEIGHTS } from './severity.ts';

/** One thing that speaks against an agent. Its keys are those of the JSON. */
export interface PostureFinding {
  readonly rule: string;
  readonly asi: AgenticRisk;
  /** There, and true, for what belongs to the community extension. */
  readonly extension?: true;
  readonly severity: Severity;
  /** What it takes from the score. */
  readonly weight: number;
  /** Rows of the journal, in their order. */
  readonly ledger_ids: readonly number[];
  /** How many calls it is about. */
  readonly count: number;
  /** One line, redacted. */
  readonly evidence: string;
  /** First and last call; ISO 8601. */
  readonly since: string;
  readonly until: string;
}

/** A window of the journal in numbers. `per_100_calls` is null where nothing was called. */
export interface PostureRate {
  readonly calls: number;
  readonly findings: number;
  readonly per_100_calls: number | null;
  readonly by_rule: Readonly<Record<string, number>>;
}

/** How this window compares with the one of the same length before it. */
export interface PostureTrend {
  readonly previous: PostureRate & {
    readonly since: string;
    readonly until: string;
    readonly score: number | null;
  };
  /** This minus the previous; null where one of both has no score. */
  readonly score_change: number | null;
  readonly per_100_calls_change: number | null;
}

/** Everything there is to say, in the form of the JSON. */
export interface PostureReport {
  readonly schema: 'herma.posture/1';
  readonly generated_at: string;
  /** `since` is null for everything the journal holds. */
  readonly window: { readonly since: string | null; readonly until: string };
  readonly ledger: {
    readonly rows: number;
    readonly sessions: number;
    readonly first: string | null;
    readonly last: string | null;
    /** `ok`, `broken@` and where, or `absent` when there is nothing to check it with. */
    readonly chain: string;
  };
  readonly coverage: {
    readonly covered: typeof COVERED;
    readonly not_covered: typeof NOT_COVERED;
    readonly extension: readonly [typeof EXTENSION];
    readonly titles: Readonly<Record<AgenticRisk, string>>;
  };
  /** From 0 to 100; null when nothing was called. */
  readonly score: number | null;
  readonly formula: string;
  readonly weights: typeof WEIGHTS;
  readonly totals: Readonly<Record<Severity, number>>;
  /** Number of findings of each rule, also where there is none. */
  readonly by_rule: Readonly<Record<string, number>>;
  readonly rate: PostureRate;
  /** Null for a window without a beginning. */
  readonly trend: PostureTrend | null;
  readonly findings: readonly PostureFinding[];
  readonly caveat: string;
}
