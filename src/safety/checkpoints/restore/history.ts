import { isSameState, type Oid, type PathChange, type PathState } from '../model/path-state.ts';
import type { CheckpointRecord, OpenRecord } from '../model/record.ts';
import { type ClosedCall, closedCalls, isOverlapping, isScanned } from './closed-call.ts';
import { isNamedByWords, type WordReading } from './named-by-words.ts';
import type { Certainty, PathEvent } from './path-event.ts';

export interface HistoryRequest {
  readonly records: readonly CheckpointRecord[];
  /** What differs between two snapshots. */
  readonly diff: (before: Oid, after: Oid) => readonly PathChange[];
  readonly words: WordReading;
  /** A scan of the project as it is: shows what a command in the background has done since the last record. */
  readonly now?: Oid;
}

/** A command that ran no longer than this is trusted with everything that changed meanwhile, if it can have changed it. */
const TRUSTED_MS = 30_000;

/**
 * What became of each path, in the order in which it happened. Changes with a hole on one side are among them: nobody can
 * take them back.
 */
export function eventsOf(request: HistoryRequest): readonly PathEvent[] {
  const calls = closedCalls(request.records);
  const events = calls.flatMap((call) =>
    isScanned(call) ? scannedEvents(call, calls, request.words) : namedEvents(call),
  );
  for (const call of calls)
    if (call.open.footprint?.isDetached === true) events.push(...detachedEvents(call, calls, request));
  return events.sort((one, other) => one.order - other.order || one.seq - other.seq);
}

function namedEvents(call: ClosedCall): PathEvent[] {
  const certainty: Certainty = call.close.isLate ? NEVER_ENDED : 'certain';
  return Array.from(call.changes.values(), (change) =>
    eventOf(call, { ...change, order: call.close.seq, certainty, callCertainty: certainty }),
  );
}

function scannedEvents(call: ClosedCall, calls: readonly ClosedCall[], words: WordReading): PathEvent[] {
  const parallel = calls.filter((other) => other !== call && isOverlapping(call, other));
  const named = parallel.filter((other) => !isScanned(other));
  const scanned = parallel.filter(isScanned);
  const events: PathEvent[] = [];
  for (const change of call.changes.values()) {
    const own = certaintyOf(call, change, words);
    const rivals = scanned.filter(({ changes }) => changes.has(change.path));
    const isOthers = rivals.some((rival) => !isSameTurn(rival.open, call.open));
    const callCertainty = own === 'certain' && rivals.length > 0 ? AT_THE_SAME_TIME : own;
    const certainty = own === 'certain' && isOthers ? AT_THE_SAME_TIME : own;
    const window = { start: call.open.seq, end: call.close.seq };
    for (const part of unexplained(change, named, window))
      events.push(eventOf(call, { ...part, certainty, callCertainty }));
  }
  return events;
}

const NEVER_ENDED: Certainty = { ambiguous: 'the call never ended' };
const AT_THE_SAME_TIME: Certainty = { ambiguous: 'another command ran at the same time' };
const UNNAMED: Certainty = { ambiguous: 'the command does not name it' };
const IN_THE_BACKGROUND: Certainty = { ambiguous: 'a command went on in the background' };

function certaintyOf({ open, close }: ClosedCall, change: PathChange, words: WordReading): Certainty {
  if (close.isLate) return NEVER_ENDED;
  const { footprint } = open;
  const { path, before, after } = change;
  const isFolder = isFolderOrNothing(before) && isFolderOrNothing(after);
  const isNamed =
    open.named.some((entry) => entry.path === path) ||
    (footprint !== undefined && isNamedByWords(footprint, { path, isFolder }, words));
  if (isNamed) return 'certain';
  if (footprint?.isComplete === true) return UNNAMED;
  const ranMs = close.at - open.at;
  if (ranMs <= TRUSTED_MS) return 'certain';
  return { ambiguous: `the command ran for ${String(Math.round(ranMs / 1000))} s` };
}

function isFolderOrNothing({ kind }: PathState): boolean {
  return kind === 'directory' || kind === 'absent';
}

function isSameTurn(one: OpenRecord, other: OpenRecord): boolean {
  const [a, b] = [one.owner, other.owner];
  return a !== undefined && b !== undefined && a.rootSessionId === b.rootSessionId && a.turnId === b.turnId;
}

interface Window {
  /** A `seq`. */
  readonly start: number;
  readonly end: number;
}

interface Part extends PathChange {
  readonly order: number;
}

/**
 * The parts of a change seen over a window that no named call which ran meanwhile accounts for: before, between and after
 * them. The whole change when there is none.
 */
function unexplained(
  change: PathChange,
  named: readonly ClosedCall[],
  { start, end }: Window,
): readonly Part[] {
  const { path } = change;
  const explaining = named
    .filter(({ changes }) => changes.has(path))
    .toSorted((one, other) => one.close.seq - other.close.seq);
  const parts: Part[] = [];
  let state = change.before;
  for (const { open, close, changes } of explaining) {
    const known = changes.get(path);
    if (known === undefined) continue;
    // It had begun before the window: the window may have opened on either side of its change.
    if (open.seq < start && isSameState(state, known.after)) continue;
    if (!isSameState(state, known.before))
      parts.push({ path, before: state, after: known.before, order: open.seq - 0.5 });
    state = known.after;
    // It goes on beyond the window, which may have closed before its change.
    if (close.seq > end && isSameState(change.after, known.before)) return parts;
  }
  if (!isSameState(state, change.after)) parts.push({ path, before: state, after: change.after, order: end });
  return parts;
}

/** What changed between the end of a command that went on in the background and the next scan: who knows how long it ran. */
function detachedEvents(
  call: ClosedCall,
  calls: readonly ClosedCall[],
  request: HistoryRequest,
): PathEvent[] {
  const { records, diff, now } = request;
  const { close } = call;
  const next = records
    .filter((record) => record.type === 'open')
    .filter(({ before, seq }) => before !== undefined && seq > close.seq)
    .toSorted((one, other) => one.seq - other.seq)[0];
  const to = next === undefined ? now : next.before?.root;
  if (close.after === undefined || to === undefined) return [];
  const window = { start: close.seq, end: next?.seq ?? Number.MAX_SAFE_INTEGER };
  const meanwhile = calls.filter(
    (other) => !isScanned(other) && other.open.seq < window.end && window.start < other.close.seq,
  );
  return diff(close.after.root, to).flatMap((change) =>
    unexplained(change, meanwhile, window).map((part) =>
      eventOf(call, {
        ...part,
        order: Math.min(part.order, window.end - 0.5),
        certainty: IN_THE_BACKGROUND,
        callCertainty: IN_THE_BACKGROUND,
      }),
    ),
  );
}

function eventOf(
  { open, close }: ClosedCall,
  part: Part & { readonly certainty: Certainty; readonly callCertainty: Certainty },
): PathEvent {
  const { path, before, after, order, certainty, callCertainty } = part;
  const { seq, id, kind, reason, owner } = open;
  return {
    seq,
    end: close.seq,
    order,
    id,
    kind,
    reason,
    ...(owner === undefined ? {} : { owner }),
    path,
    before,
    after,
    certainty,
    callCertainty,
  };
}
