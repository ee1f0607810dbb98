import { createCallIdMaker } from './call-id-maker.ts';
import type { AssistantPart, Part, PartFormat, ResultPart } from './part.ts';

/** Where the result of one call goes, once it is found. */
interface Slot<Source> {
  result?: ResultPart<Source>;
}

/**
 * The algorithm of {@link repairMessages} for any format; what it promises stands there. One pass over the list to
 * pair, one to rebuild.
 */
export function repairParts<Source>(
  parts: readonly Part<Source>[],
  format: PartFormat<Source>,
): readonly Part<Source>[] {
  const slotsOf = pairResults(parts);
  const giveCallId = createCallIdMaker();
  const repaired = parts.flatMap((part): readonly Part<Source>[] => {
    switch (part.kind) {
      case 'user':
      case 'system':
        return [part];
      case 'result':
        return [];
      case 'assistant': {
        if (part.calls.length === 0) return part.hasContent ? [part] : [];
        const callIds = part.calls.map(({ callId }) => giveCallId(callId));
        return answered(part, { callIds, slots: slotsOf.get(part) ?? [], format });
      }
    }
  });
  return parts.length === 0 ? repaired : openedByUser(repaired, format);
}

/**
 * Pairs each result with the nearest assistant part before it that calls its id, since an id may have been used
 * before; within that part, with the first such call that lacks one. A real result takes the place of a stand-in.
 * Results that find no place are in no slot.
 */
function pairResults<Source>(
  parts: readonly Part<Source>[],
): ReadonlyMap<AssistantPart<Source>, readonly Slot<Source>[]> {
  const slotsOf = new Map<AssistantPart<Source>, readonly Slot<Source>[]>();
  const latest = new Map<string, { readonly owner: AssistantPart<Source>; readonly slots: Slot<Source>[] }>();
  for (const part of parts) {
    if (part.kind === 'assistant') {
      const slots = part.calls.map(({ callId }): Slot<Source> => {
        const slot: Slot<Source> = {};
        const same = latest.get(callId);
        if (same?.owner === part) same.slots.push(slot);
        else latest.set(callId, { owner: part, slots: [slot] });
        return slot;
      });
      slotsOf.set(part, slots);
    } else if (part.kind === 'result') {
      const slot = latest
        .get(part.callId)
        ?.slots.find(({ result }) => result === undefined || (part.isReal && !result.isReal));
      if (slot !== undefined) slot.result = part;
    }
  }
  return slotsOf;
}

interface Answering<Source> {
  readonly callIds: readonly string[];
  readonly slots: readonly Slot<Source>[];
  readonly format: PartFormat<Source>;
}

/** The assistant part under its ids, and one result for each of its calls, in their order. */
function answered<Source>(
  part: AssistantPart<Source>,
  { callIds, slots, format }: Answering<Source>,
): readonly Part<Source>[] {
  const calls = part.calls.map((call, index) => ({ ...call, callId: callIds[index] ?? call.callId }));
  const isRenamed = calls.some(({ callId }, index) => callId !== part.calls[index]?.callId);
  const results = calls.map((call, index): ResultPart<Source> => {
    const found = slots[index]?.result;
    if (found === undefined) {
      return { kind: 'result', callId: call.callId, isReal: false, source: format.missingResult(call) };
    }
    if (found.callId === call.callId) return found;
    return { ...found, callId: call.callId, source: format.withResultId(found.source, call.callId) };
  });
  if (!isRenamed) return [part, ...results];
  return [{ ...part, calls, source: format.withCallIds(part.source, callIds) }, ...results];
}

/** Puts an opening in front of the first part that is no instruction, unless that is a user's. */
function openedByUser<Source>(
  parts: readonly Part<Source>[],
  format: PartFormat<Source>,
): readonly Part<Source>[] {
  const first = parts.findIndex(({ kind }) => kind !== 'system');
  if (parts[first]?.kind === 'user' || (first === -1 && parts.length > 0)) return parts;
  const opening: Part<Source> = { kind: 'user', source: format.opening() };
  return parts.toSpliced(Math.max(first, 0), 0, opening);
}
