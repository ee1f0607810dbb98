import type { Message } from '../sessions/index.ts';

export interface PlanOptions {
  /** Messages at the start that are kept word for word. */
  readonly keepFirst: number;
  /** Tokens the kept start may take; its last units give way. */
  readonly headBudget: number;
  /** Turns at the end that are kept word for word, while they fit into {@link tailBudget}. */
  readonly keepLastTurns: number;
  /** Tokens the kept end may take; its oldest units give way, never its last. */
  readonly tailBudget: number;
  /** Tokens there must be to summarise, earlier summaries not counted. */
  readonly worthTokens: number;
  /** Size of a list of messages, in tokens. */
  readonly sizeOf: (messages: readonly Message[]) => number;
}

/** What a summary replaces, and what stays as it is around it. */
export interface CompressionPlan {
  readonly head: readonly Message[];
  /** To be summarised. */
  readonly middle: readonly Message[];
  /** Calls of the middle that are open or whose effect is unknown: kept word for word, behind the summary. */
  readonly unsettled: readonly Message[];
  readonly tail: readonly Message[];
}

/**
 * Decides what a summary may replace. An assistant message and the results of its calls are one unit, which is never
 * split. The message of the person that the running turn answers is always kept.
 *
 * @returns undefined when too little is left to summarise; an earlier summary alone is never summarised again.
 */
export function planCompression(
  messages: readonly Message[],
  options: PlanOptions,
): CompressionPlan | undefined {
  const units = unitsOf(messages);
  const headCount = headLength(units, options);
  const tailStart = Math.max(headCount, tailStartOf(units, options));
  const between = units.slice(headCount, tailStart);
  const request = lastRequest(units, tailStart, headCount);
  const isKept = (unit: Unit): boolean => unit === request || isUnsettled(unit);
  const middle = between.filter((unit) => !isKept(unit)).flat();
  const fresh = middle.filter((message) => !isSummary(message));
  if (fresh.length === 0 || options.sizeOf(fresh) < options.worthTokens) return undefined;
  return {
    head: units.slice(0, headCount).flat(),
    middle,
    unsettled: between.filter(isKept).flat(),
    tail: units.slice(tailStart).flat(),
  };
}

type Unit = readonly Message[];

/** Cuts a repaired list into units: a message, or an assistant message with all results of its calls. */
export function unitsOf(messages: readonly Message[]): readonly Unit[] {
  const units: Message[][] = [];
  for (const message of messages) {
    const last = units.at(-1);
    if (message.role === 'tool' && last !== undefined) last.push(message);
    else units.push([message]);
  }
  return units;
}

/** An open call (no result yet), or one nobody saw the end of. */
function isUnsettled(unit: Unit): boolean {
  const [first, ...results] = unit;
  if (first?.role !== 'assistant') return false;
  const answered = new Set(results.map((result) => (result.role === 'tool' ? result.callId : '')));
  return (
    first.calls.some(({ callId }) => !answered.has(callId)) ||
    results.some((result) => result.role === 'tool' && result.status === 'unknown')
  );
}

function headLength(units: readonly Unit[], { keepFirst, headBudget, sizeOf }: PlanOptions): number {
  let count = 0;
  let messages = 0;
  let size = 0;
  for (const unit of units) {
    messages += unit.length;
    if (messages > keepFirst) break;
    size += sizeOf(unit);
    if (size > headBudget) break;
    count += 1;
  }
  return count;
}

function tailStartOf(units: readonly Unit[], { keepLastTurns, tailBudget, sizeOf }: PlanOptions): number {
  const turnStarts = units.flatMap((unit, index) => (isRequest(unit) ? [index] : []));
  let start = turnStarts.at(-keepLastTurns) ?? turnStarts[0] ?? 0;
  let size = sizeOf(units.slice(start).flat());
  while (start < units.length - 1 && size > tailBudget) {
    size -= sizeOf(units[start] ?? []);
    start += 1;
  }
  return start;
}

/** The newest message of the person, when it lies before the kept end. */
function lastRequest(units: readonly Unit[], tailStart: number, headCount: number): Unit | undefined {
  const index = units.findLastIndex(isRequest);
  return index >= headCount && index < tailStart ? units[index] : undefined;
}

function isRequest(unit: Unit): boolean {
  const [first] = unit;
  return first?.role === 'user' && first.synthetic === undefined;
}

function isSummary(message: Message): boolean {
  return message.role === 'user' && message.synthetic === 'summary';
}
