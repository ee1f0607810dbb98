import type { JsonObject, JsonValue } from '../../../kernel/json/index.ts';
import type { CallFacts } from '../facts/call-facts.ts';
import type { Taint } from '../rules/policy-rule.ts';
import { decodeLineage, encodeLineage, type Lineage, type PastCall } from './lineage-record.ts';

/** Which call of which session: a second look at the same call takes the place of the first. */
export interface CallPlace {
  /** The root of the session: it survives compaction and resume. */
  readonly lineage: string;
  /** Another one for every call of the lineage. */
  readonly key: string;
  /** Milliseconds since some fixed moment; never goes back. */
  readonly nowMs: number;
}

/** What earlier calls of the session mean for one call. */
export interface SessionView {
  /** The reason why a taint lies on the call, from the last `within` calls; undefined when it does not. */
  taint(taint: Taint, facts: CallFacts, within: number): string | undefined;
  /** Whether one of the last `within` calls fitted what the rule waits for. */
  isAfter(ruleId: string, within: number): boolean;
  /** Earlier calls that the rule counted, within the time. */
  counted(ruleId: string, windowMs: number): number;
}

/** What a call leaves behind beside its facts. */
export interface CallMarks {
  /** Rules with a `sequence` whose first half it is. */
  readonly after: readonly string[];
  /** Rules with a `rate` that count it. */
  readonly counted: readonly string[];
}

const MAX_CALLS = 100;
const MAX_LINEAGES = 500;
const MAX_PATHS = 200;
const MAX_COUNTED = 1001;
const NO_LINEAGE: Lineage = { calls: [], rates: new Map() };

/**
 * What the last calls of each session did, as far as it can make a later one suspect: files that were downloaded or written, secrets
 * that were read or moved. A file that is made from such a file is one too. Bounded: the last 100 calls of the last 500 sessions.
 */
export class SessionTaint {
  readonly #lineages = new Map<string, Lineage>();

  /** What came before the call at `place`; the call itself does not count. */
  view({ lineage, key, nowMs }: CallPlace): SessionView {
    const { calls, rates } = this.#lineages.get(lineage) ?? NO_LINEAGE;
    const earlier = calls.filter((call) => call.key !== key);
    return {
      taint: (taint, facts, within) => taintOf(taint, facts, earlier.slice(-within)),
      isAfter: (ruleId, within) => earlier.slice(-within).some(({ after }) => after.has(ruleId)),
      counted: (ruleId, windowMs) =>
        (rates.get(ruleId) ?? []).filter((call) => call.key !== key && nowMs - call.atMs < windowMs).length,
    };
  }

  /** Remembers a call that was not refused. */
  record({ lineage, key, nowMs }: CallPlace, facts: CallFacts, marks: CallMarks): void {
    const known = this.#lineages.get(lineage) ?? NO_LINEAGE;
    const earlier = known.calls.filter((call) => call.key !== key);
    const calls = [...earlier, pastCall(key, facts, { marks, earlier })].slice(-MAX_CALLS);
    const rates = new Map(known.rates);
    for (const ruleId of marks.counted) {
      const list = (rates.get(ruleId) ?? []).filter((call) => call.key !== key);
      rates.set(ruleId, [...list, { key, atMs: nowMs }].slice(-MAX_COUNTED));
    }
    this.#set(lineage, { calls, rates });
  }

  /** Takes over what another process knows of a session; what is no such record is left alone. */
  recall(lineage: string, record: JsonValue | undefined): void {
    const known = decodeLineage(record);
    if (known !== undefined) this.#set(lineage, known);
  }

  /** What is known of a session, for another process. */
  recordOf(lineage: string): JsonObject {
    return encodeLineage(this.#lineages.get(lineage) ?? NO_LINEAGE);
  }

  #set(lineage: string, known: Lineage): void {
    this.#lineages.delete(lineage);
    this.#lineages.set(lineage, known);
    const [oldest] = this.#lineages.keys();
    if (this.#lineages.size > MAX_LINEAGES && oldest !== undefined) this.#lineages.delete(oldest);
  }
}

function pastCall(
  key: string,
  facts: CallFacts,
  { marks, earlier }: { readonly marks: CallMarks; readonly earlier: readonly PastCall[] },
): PastCall {
  const touched = [...facts.reads, ...facts.writes];
  const writes = facts.writes.slice(0, MAX_PATHS);
  const carriesDownload = touched.some((path) => earlier.some(({ downloads }) => downloads.has(path)));
  const isSecret = readsSecret(facts, earlier);
  return {
    key,
    downloads: new Set(
      carriesDownload ? [...facts.downloads, ...writes] : facts.downloads.slice(0, MAX_PATHS),
    ),
    writes: new Set(writes),
    carriers: new Set(isSecret ? writes : []),
    isSecret,
    after: new Set(marks.after),
  };
}

function readsSecret({ findings, reads, writes }: CallFacts, earlier: readonly PastCall[]): boolean {
  if (findings.some((finding) => finding.class === 'cred-read')) return true;
  return [...reads, ...writes].some((path) => earlier.some(({ carriers }) => carriers.has(path)));
}

function taintOf(taint: Taint, facts: CallFacts, earlier: readonly PastCall[]): string | undefined {
  switch (taint) {
    case 'downloaded-run': {
      const file = facts.runs.find((path) => earlier.some(({ downloads }) => downloads.has(path)));
      return file === undefined ? undefined : `runs ${file}, which an earlier call downloaded`;
    }
    case 'written-run': {
      const file = facts.runs.find((path) => earlier.some(({ writes }) => writes.has(path)));
      return file === undefined ? undefined : `runs ${file}, which an earlier call wrote`;
    }
    case 'secret-sent': {
      if (!facts.sends || !earlier.some(({ isSecret }) => isSecret)) return undefined;
      const to = facts.hosts.length === 0 ? '' : ` (to ${facts.hosts.slice(0, 3).join(', ')})`;
      return `can send${to} after an earlier call read or moved a secret`;
    }
  }
}
