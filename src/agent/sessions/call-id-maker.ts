/** OpenAI refuses longer ids of calls. */
const LONGEST_ID = 40;

/**
 * Gives every call of a list an id of its own, in the order of asking: the one it has, or, when that is empty or was
 * given before, one made of it and the next free number. The answer depends only on what was asked before, so that a
 * list that grows keeps its ids.
 */
export function createCallIdMaker(): (wanted: string) => string {
  const given = new Set(['']);
  const nextNumber = new Map<string, number>();
  return (wanted) => {
    let callId = wanted;
    for (let number = nextNumber.get(wanted) ?? 2; given.has(callId); number += 1) {
      const suffix = `_${number}`;
      callId = `${(wanted === '' ? 'call' : wanted).slice(0, LONGEST_ID - suffix.length)}${suffix}`;
      nextNumber.set(wanted, number + 1);
    }
    given.add(callId);
    return callId;
  };
}
